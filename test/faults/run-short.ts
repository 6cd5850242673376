import type { Test } from 'tap'
import { planRuns } from './faults.ts'
import { runFault } from './run.ts'
import { openStage } from './stage.ts'
import { SHORT_REST_MS } from './workload.ts'

const FIRST_SEED = 100

/** Runs each of these faults once, under load and judged by the oracle. Only `npm run faults` checks times. */
export async function runShort(t: Test, kinds: string[]): Promise<void> {
  for (const [settings, runs] of planRuns(kinds, kinds.length, FIRST_SEED)) {
    await t.test(`on the stage of: ${runs.map(({ fault }) => fault).join(', ')}`, async (t) => {
      const stage = await openStage(settings)
      t.teardown(() => stage.cleanup.run())
      for (const { fault, seed } of runs) {
        await t.test(`nothing is lost, doubled or wrong after: ${fault}`, async (t) => {
          const { wrong, calls } = await runFault(stage, fault, seed, {
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
