import t from 'tap'
import { runFault } from './run.ts'
import { expectToEnd } from '../support/cleanup.ts'
import { openStage } from './stage.ts'

/*
 * The short form of `npm run faults`: one run of the faults that say most, each under load and judged by the oracle.
 * Times are looked at by the long form alone.
 */

const SHORT = [
  'API killed at a point',
  'worker killed at a point',
  'PostgreSQL stopped at once',
  'answer to COMMIT swallowed',
  'COMMIT swallowed',
  'connections reset',
  'silent line',
  'the same job twenty times',
  'everything killed',
]

const stage = await openStage()
t.teardown(() => stage.cleanup.run().finally(expectToEnd))

for (const [at, fault] of SHORT.entries()) {
  await t.test(`nothing is lost, doubled or wrong after: ${fault}`, async (t) => {
    const { wrong, calls } = await runFault(stage, fault, 100 + at, { looksAtTimes: false, repeats: 1 })
    t.same(wrong, [])
    t.ok(calls > 0)
  })
}
