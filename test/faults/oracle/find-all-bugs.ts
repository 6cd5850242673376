import t from 'tap'
import { assertFound } from '../bugs/find-bugs.ts'
import { runFault } from '../run.ts'
import { openStage } from '../stage.ts'

/*
 * Tests the oracle: it has to find every bug of `plants.ts` in the running program, and nothing when none is planted. Each
 * kind of process has a stage of its own: what the bugs of another kind have left keeps workers from the work that shows
 * theirs.
 */

for (const kind of ['api', 'worker', 'start'] as const) {
  await t.test(`in the processes of ${kind}`, async (t) => {
    const stage = await openStage({ isOneProcess: kind === 'start', hasMail: true })
    t.teardown(() => stage.cleanup.run())
    await t.test('it finds nothing when nothing is wrong', async (t) => {
      const outcome = await runFault(stage, 'nothing', 1)
      t.same(outcome.wrong, [])
      t.ok(outcome.calls > 10)
    })
    await assertFound(t, stage, kind)
  })
}
