import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/cli/seeded-random.ts'
import { FAULTS } from './faults.ts'
import { oracle } from './oracle.ts'
import type { Stage } from './stage.ts'
import type { LoadOptions, Operation } from './workload.ts'
import { startLoad } from './workload.ts'

/** What one fault under load came to. */
export interface Outcome {
  fault: string
  seed: number
  calls: number
  /** Tries that got no definite answer: no answer at all, 5xx, or that the first one is still running. */
  unknown: number
  /** Calls that never got a definite answer. */
  unresolved: number
  /** The longest time without any success while the load ran, in milliseconds. */
  outageMs: number
  /** What the oracle found, a line each. */
  wrong: string[]
}

export interface RunOptions extends Pick<LoadOptions, 'resolveWithinMs'> {
  /** How long the projections may take to catch up once all is calm. */
  settlesWithinMs?: number
  /** How soon a call has to succeed once all is well again; for ever, where nobody looks at times. */
  recoversWithinMs?: number
}

const COMPANIES = 3
const CLIENTS = 8
const BEFORE_MS = 300
const AFTER_MS = 500
/** How soon an API that has PostgreSQL again has to succeed. */
const RECOVERS_WITHIN_MS = 5_000

/** Puts the installation under load, lets something bad happen, waits until all is calm, and asks the oracle. */
export async function runFault(stage: Stage, fault: string, seed: number, options: RunOptions = {}): Promise<Outcome> {
  const companies = await stage.makeCompanies(COMPANIES)
  const ids = companies.map(({ companyId }) => companyId)
  const load = startLoad(stage.apis.map(({ address }) => address), companies, { ...options, clients: CLIENTS, seed })
  await pause(BEFORE_MS)
  const happen = FAULTS[fault]
  if (!happen) throw new Error(`there is no fault called ${fault}`)
  await happen(stage, seededRandom(seed))
  const overAt = load.now()
  await firstSuccessAfter(load.operations, overAt)
  const recoveredMs = load.now() - overAt
  await pause(AFTER_MS)
  const until = load.now()
  await load.end()
  const wrong: string[] = []
  if (recoveredMs > (options.recoversWithinMs ?? RECOVERS_WITHIN_MS)) wrong.push(`no success for ${Math.round(recoveredMs)} ms after all was well again`)
  if (!(await stage.settled(ids, options.settlesWithinMs))) wrong.push('the projections never caught up')
  wrong.push(...(await stage.withDatabase((db) => oracle(db, ids, load.operations)).catch((error: unknown) => [`the oracle could not read the ledger: ${String(error)}`])))
  return { fault, seed, ...tally(load.operations, until), wrong }
}

async function firstSuccessAfter(operations: Operation[], at: number): Promise<void> {
  const deadline = performance.now() + 60_000
  const hasSuccess = () => operations.some(({ attempts }) => attempts.some((attempt) => attempt.at >= at && attempt.status !== null && attempt.status < 300))
  while (!hasSuccess() && performance.now() < deadline) await pause(20)
}

function tally(operations: Operation[], untilMs: number): Pick<Outcome, 'calls' | 'unknown' | 'unresolved' | 'outageMs'> {
  const attempts = operations.flatMap((operation) => operation.attempts)
  const unknown = attempts.filter(({ status, code }) => status === null || status >= 500 || code === 'idempotency_in_progress')
  const successes = attempts.filter(({ status }) => status !== null && status < 300).map(({ at, took }) => at + took).toSorted((a, b) => a - b)
  const gaps = [0, ...successes.filter((at) => at <= untilMs), untilMs].map((at, index, all) => at - (all[index - 1] ?? 0))
  return {
    calls: operations.length,
    unknown: unknown.length,
    unresolved: operations.filter(({ final }) => final === null).length,
    outageMs: Math.round(Math.max(...gaps)),
  }
}
