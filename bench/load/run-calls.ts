import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '../report/statistics.ts'

/** A prepared call; rejects on an unexpected answer. */
export type Call = () => Promise<void>

/** The results of a number of calls. Latencies are in milliseconds. */
export interface LoadResult {
  calls: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  failures: number
  /** The message of the first failure. */
  firstFailure: string | null
}

/** Returns the result of a load. Throws, naming what was done, when a call has failed. */
export function assertNoFailures<Load extends Pick<LoadResult, 'failures' | 'firstFailure'>>(
  what: string,
  load: Load,
): Load {
  if (load.failures === 0) return load
  throw new Error(`${what}: ${load.failures} calls failed: ${load.firstFailure}`)
}

/** Makes the calls with this many concurrent callers; each caller waits for an answer before its next call. */
export async function runCalls(calls: readonly Call[], callers: number): Promise<LoadResult> {
  const latencies = new Float64Array(calls.length)
  const failed: unknown[] = []
  let next = 0
  const started = performance.now()
  async function caller(): Promise<void> {
    for (let at = next++; at < calls.length; at = next++) {
      const begun = performance.now()
      await calls[at]!().catch((error: unknown) => failed.push(error))
      latencies[at] = performance.now() - begun
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return loadResult(latencies, (performance.now() - started) / 1000, failed)
}

/** Summarizes calls. `failed` are the errors of the failed ones. */
function loadResult(latencies: Float64Array, seconds: number, failed: unknown[]): LoadResult {
  return {
    calls: latencies.length,
    seconds,
    perSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    failures: failed.length,
    firstFailure: failed.length === 0 ? null : String(failed[0]),
  }
}

const TICK_MS = 1

/** Makes the calls at a constant rate, regardless of their latency (an open-loop load). */
export async function sendEvenly(calls: readonly Call[], perSecond: number): Promise<LoadResult> {
  const latencies = new Float64Array(calls.length)
  const failed: unknown[] = []
  const sent: Promise<void>[] = []
  const started = performance.now()
  async function send(at: number): Promise<void> {
    const begun = performance.now()
    await calls[at]!().catch((error: unknown) => failed.push(error))
    latencies[at] = performance.now() - begun
  }
  while (sent.length < calls.length) {
    const due = Math.ceil(((performance.now() - started) / 1000) * perSecond)
    while (sent.length < Math.min(due, calls.length)) sent.push(send(sent.length))
    await pause(TICK_MS)
  }
  await Promise.all(sent)
  return loadResult(latencies, (performance.now() - started) / 1000, failed)
}
