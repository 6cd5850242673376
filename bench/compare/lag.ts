import { setTimeout as pause } from 'node:timers/promises'
import { makeRequests } from '../load/http-work.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import { waitUntilVisible } from '../peers/ours-peer.ts'
import { runCalls, sendEvenly } from '../load/run-calls.ts'
import { percentile } from '../report/statistics.ts'

/** The time from the answer of a call until the log shows its entry. */
export interface LagResult {
  companies: number
  /** Calls per second during the measurement: half of the peak. */
  perSecond: number
  /** Number of calls whose lag was measured. */
  followed: number
  p50Ms: number
  p99Ms: number
  failures: number
  firstFailure: string | null
}

interface LagOptions {
  companies: number
  seconds: number
  /** Concurrent callers for the peak. */
  callers: number
  records: number
}

/** The state that the sender and the followers share. */
interface Sending {
  /** The last answered call, until a follower takes it. */
  newest: { tenant: OurTenant; logId: string; at: number } | null
  isOver: boolean
}

/** Concurrent followers; few, because each polls. */
const FOLLOWERS = 4
const TICK_MS = 1
const CALLS_OF_A_CALLER = 20

/** Finds the peak rate of single creates, then sends at half of it and measures the lag of some calls. */
export async function measureLag(ours: Ours, { companies, seconds, callers, records }: LagOptions): Promise<LagResult> {
  const cell = { work: 'single-create', companies } as const
  const probe = await runCalls(ours.prepare(cell, callers * CALLS_OF_A_CALLER), callers)
  const peak = await runCalls(ours.prepare(cell, Math.max(callers, Math.round(probe.perSecond * seconds))), callers)
  await ours.visible!()

  const sending: Sending = { newest: null, isOver: false }
  const count = Math.max(callers, Math.round((peak.perSecond / 2) * seconds))
  const made = makeRequests('single-create', ours.tenants.get(companies)!, count, records)
  const calls = made.map((call) => async () => {
    const { logId } = await ours.send(call)
    sending.newest = { tenant: call.tenant, logId: logId!, at: performance.now() }
  })

  const lags: number[] = []
  async function follow(): Promise<void> {
    while (!sending.isOver || sending.newest) {
      const next = sending.newest
      sending.newest = null
      if (!next) await pause(TICK_MS)
      else {
        await waitUntilVisible(ours.client, next.tenant, next.logId)
        lags.push(performance.now() - next.at)
      }
    }
  }
  const followers = Array.from({ length: FOLLOWERS }, follow)
  const load = await sendEvenly(calls, peak.perSecond / 2)
  sending.isOver = true
  await Promise.all(followers)
  const { perSecond, failures, firstFailure } = load
  return {
    companies,
    perSecond,
    followed: lags.length,
    p50Ms: percentile(lags, 0.5),
    p99Ms: percentile(lags, 0.99),
    failures,
    firstFailure,
  }
}
