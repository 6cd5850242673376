import type { Test } from 'tap'
import { STAGES } from './faults.ts'
import { runFault } from './run.ts'
import type { StageSettings } from './stage.ts'
import { openStage } from './stage.ts'
import { SHORT_REST_MS } from './workload.ts'

const USUAL: StageSettings = {}
const FIRST_SEED = 100

/** Runs each of these faults once, under load and judged by the oracle. Only `npm run faults` checks times. */
export async function runShort(t: Test, kinds: string[]): Promise<void> {
  for (const [settings, own] of Map.groupBy(kinds, (kind) => STAGES[kind] ?? USUAL)) {
    await t.test(`on the stage of: ${own.join(', ')}`, async (t) => {
      const stage = await openStage(settings)
      t.teardown(() => stage.cleanup.run())
      for (const fault of own) {
        await t.test(`nothing is lost, doubled or wrong after: ${fault}`, async (t) => {
          const { wrong, calls } = await runFault(stage, fault, FIRST_SEED + kinds.indexOf(fault), {
            looksAtTimes: false,
            times: 1,
            restMs: SHORT_REST_MS,
          })
          t.same(wrong, [])
          t.ok(calls > 0)
        })
      }
    })
  }
}
