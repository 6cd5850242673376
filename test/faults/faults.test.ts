import t from 'tap'
import { planRuns } from './faults.ts'
import { runShort } from './run-short.ts'

/*
 * The short form of `npm run faults`: one fault, in which the only process is killed. `faults.long.test.ts` has the
 * others.
 */

await t.test('as many runs are made as asked for, each with its own seed', (t) => {
  const plan = planRuns(['API killed at random', 'disk full', 'everything killed'], 5, 7)
  t.strictSame(
    [...plan.values()].map((runs) => runs.map(({ fault, seed }) => [fault, seed])),
    [
      [
        ['API killed at random', 7],
        ['everything killed', 9],
        ['API killed at random', 10],
      ],
      [
        ['disk full', 8],
        ['disk full', 11],
      ],
    ],
  )
  t.end()
})

await runShort(t, ['start: killed at random'])
