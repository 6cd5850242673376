import { setTimeout as pause } from 'node:timers/promises'
import { requestsOf } from '../load/http-work.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import { waitUntilVisible } from '../peers/ours-peer.ts'
import { runCalls, sendEvenly } from '../load/run-calls.ts'
import { percentile } from '../report/statistics.ts'

/** From the answer of a call until its entry can be read in the log, in milliseconds. */
export interface LagResult {
  companies: number
  /** Calls a second while it was measured: half of the peak. */
  perSecond: number
  /** How many calls were followed into the log. */
  followed: number
  p50Ms: number
  p99Ms: number
  failures: number
  firstFailure: string | null
}

export interface LagOptions {
  companies: number
  seconds: number
  /** The callers who make the peak. */
  callers: number
  records: number
}

/** What is known of the calls that are being sent. */
interface Sending {
  /** The last call that was answered, until somebody follows it. */
  newest: { tenant: OurTenant; logId: string; at: number } | null
  isOver: boolean
}

/** How many calls are followed at once. Each is asked for again and again, so they are few. */
const FOLLOWERS = 4
const TICK_MS = 1
const CALLS_OF_A_CALLER = 20

/** Finds the peak of single creates, then sends half as many in even time, and follows some of them into the log. */
export async function measureLag(ours: Ours, { companies, seconds, callers, records }: LagOptions): Promise<LagResult> {
  const cell = { work: 'single-create', companies } as const
  const probe = await runCalls(ours.prepare(cell, callers * CALLS_OF_A_CALLER), callers)
  const peak = await runCalls(ours.prepare(cell, Math.max(callers, Math.round(probe.perSecond * seconds))), callers)
  await ours.visible!()

  const sending: Sending = { newest: null, isOver: false }
  const count = Math.max(callers, Math.round((peak.perSecond / 2) * seconds))
  const made = requestsOf('single-create', ours.tenants.get(companies)!, count, records)
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
