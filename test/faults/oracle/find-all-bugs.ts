import t from 'tap'
import { assertFound } from '../bugs/find-bugs.ts'
import { BUGS } from '../bugs/plants.ts'
import { runFault } from '../run.ts'
import { openStage } from '../stage.ts'

/*
 * Tests the oracle: it has to find every bug of `plants.ts` in the running program, and nothing when none is planted.
 */

const inOneProcess = (name: string) => BUGS[name]!.process === 'start'

for (const isOneProcess of [false, true]) {
  await t.test(isOneProcess ? 'in one process' : 'in processes of their own', async (t) => {
    const stage = await openStage({ isOneProcess, hasMail: true })
    t.teardown(() => stage.cleanup.run())
    await t.test('it finds nothing when nothing is wrong', async (t) => {
      const outcome = await runFault(stage, 'nothing', 1)
      t.same(outcome.wrong, [])
      t.ok(outcome.calls > 10)
    })
    await assertFound(
      t,
      stage,
      Object.keys(BUGS).filter((name) => inOneProcess(name) === isOneProcess),
    )
  })
}
