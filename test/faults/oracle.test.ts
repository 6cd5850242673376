import t from 'tap'
import { expectToEnd } from '../support/cleanup.ts'
import { assertFound } from './bugs/find-bugs.ts'
import { runFault } from './run.ts'
import { openStage } from './stage.ts'

/*
 * The oracle is tested itself: bugs are planted into the running program, and it has to find them. It has to find nothing
 * when nothing is planted. Here are a few bugs, one for each way to look; all of them are in `full/oracle.test.ts`.
 */

const SHORT = ['answers before the commit', 'does not bind idempotency keys', 'leaves failed calls out of the log']

const stage = await openStage({ apis: 1, workers: 1 })
t.teardown(() => stage.cleanup.run().finally(expectToEnd))

await t.test('it finds nothing where nothing is wrong', async (t) => {
  const outcome = await runFault(stage, 'nothing', 1)
  t.same(outcome.wrong, [])
  t.ok(outcome.calls > 10)
})

await assertFound(t, stage, SHORT)
