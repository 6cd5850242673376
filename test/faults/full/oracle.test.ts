import t from 'tap'
import { expectToEnd } from '../../support/cleanup.ts'
import { assertFound } from '../bugs/find-bugs.ts'
import { BUGS } from '../bugs/plants.ts'
import { openStage } from '../stage.ts'

/*
 * Every bug of `plants.ts` is planted into the running program, and the oracle has to find it.
 */

const inOneProcess = (name: string) => BUGS[name]!.process === 'start'

for (const isOneProcess of [false, true]) {
  const stage = await openStage({ isOneProcess })
  t.teardown(() => stage.cleanup.run())
  await assertFound(
    t,
    stage,
    Object.keys(BUGS).filter((name) => inOneProcess(name) === isOneProcess),
  )
  if (!isOneProcess) await stage.cleanup.run()
}
t.teardown(expectToEnd)
