import t from 'tap'
import { planRuns } from './faults.ts'
import { runShort } from './run-short.ts'

/* Runs each fault of `npm run faults` once. */

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

await runShort(t, [
  'API killed at a point',
  'worker killed at a point',
  'PostgreSQL stopped at once',
  'answer to COMMIT swallowed',
  'killed in turn',
  'everything killed',
  'COMMIT swallowed',
  'connections reset',
  'silent line',
  'read models rebuilt',
  'companies changed in parallel',
  'the same job twenty times',
  'alerts while killed',
  'start: killed at random',
  'start: killed at a point',
  'start: PostgreSQL killed',
  'start: connections lost',
])
