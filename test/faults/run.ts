import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/cli/demo/seeded-random.ts'
import { startAdministrator, type Administrator } from './administrator.ts'
import type { LoadUnder, Spell } from './fault.ts'
import { COMPANIES, FAULTS, HOSTILE, TIMES, UNTOLD, UPGRADE } from './faults.ts'
import { administratorFaults } from './oracle/administrator-faults.ts'
import type { Finding } from './oracle/finding.ts'
import { findings, firstOfEach } from './oracle/finding.ts'
import { lagging, lagMs } from './lag.ts'
import { countDeliveries, deliveryFaults } from './oracle/delivery-faults.ts'
import { hurtOthers, spellFaults } from './oracle/neighbor-faults.ts'
import { oracle } from './oracle/oracle.ts'
import { startProbe } from './probe.ts'
import { providerFaults } from './oracle/provider-faults.ts'
import { startProviders, type Providers } from './providers.ts'
import { runProgram } from './program.ts'
import type { Stage } from './stage.ts'
import { openWebhooks } from './webhooks/webhooks.ts'
import type { Load, LoadOptions, Operation } from './workload.ts'
import { startLoad } from './workload.ts'

/** The result of one fault under load. */
export interface Outcome {
  fault: string
  seed: number
  /** How often it happened. */
  times: number
  calls: number
  /** Those that were answered with 2xx. */
  acknowledged: number
  /** Tries without a definite answer: no answer at all, 5xx, or one that says that the first try is still running. */
  unknown: number
  /** Calls that never got a definite answer, apart from those of identity providers, which are not tried again. */
  unresolved: number
  /** The longest time without a success during the load, in milliseconds. */
  outageMs: number
  /** How long the slowest try took, in milliseconds. */
  slowestMs: number
  /** From the end of the fault to the first success, and until the projections were less than a second behind, in milliseconds. */
  recoveryMs: number
  lagMs: number
  /** How many batches were folded from memory; null where that is impossible. */
  foldsFromMemory: number | null
  /** Parts of uploaded files that became calls. */
  parts: number
  /** Messages that the receivers of webhooks accepted, those accepted again, and how often a receiver misbehaved. */
  messages: number
  repeated: number
  troubles: number
  /** The fault's own measurement. */
  note?: string
  /** What was wrong. */
  wrong: Finding[]
}

interface RunOptions extends Pick<LoadOptions, 'resolveWithinMs' | 'restMs'> {
  /** How long the projections may take to catch up after the load. */
  settlesWithinMs?: number
  /** Whether to check the times of recovery and lag: not on a busy machine. */
  looksAtTimes?: boolean
  /** How many calls the load makes at least, within a limited time. */
  callsAtLeast?: number
  /** How often the fault happens, if not as often as usual. */
  times?: number
}

const FEW_COMPANIES = 3
const CLIENTS = 8
const BEFORE_MS = 300
const AFTER_MS = 300
const LOOKS_EVERY_MS = 100
/** How soon calls have to succeed once an API has PostgreSQL again. */
const RECOVERS_WITHIN_MS = 5_000
const RECOVERS_AT_ALL_WITHIN_MS = 60_000
/** How soon the projections have to be less than `LAG_MS` behind. */
const CATCHES_UP_WITHIN_MS = 30_000
const LAG_MS = 1_000
const ENOUGH_WITHIN_MS = 10_000
/** How much of what was logged about a request is shown, in characters. */
const LOGGED_AT_MOST = 2_000

/**
 * Puts the installation under load, makes the fault happen, waits until everything has settled, and asks the oracle.
 */
export async function runFault(stage: Stage, fault: string, seed: number, options: RunOptions = {}): Promise<Outcome> {
  const { looksAtTimes = true } = options
  const happen = FAULTS[fault]
  if (!happen) throw new Error(`there is no fault called ${fault}`)
  const companies = await stage.makeCompanies(COMPANIES[fault] ?? FEW_COMPANIES)
  const ids = companies.map(({ companyId }) => companyId)
  const webhooks = await openWebhooks(stage, UNTOLD.has(fault) ? [] : companies, seed)
  const { administrator, providers } = await startPeople(stage, fault, { ...options, seed })
  const load = startLoad(
    stage.apis.map(({ address }) => address),
    companies,
    { ...options, clients: CLIENTS, seed, isForPrevious: fault === UPGRADE },
  )
  const probe = startProbe(stage)
  try {
    await pause(BEFORE_MS)
    const [beganAt, foldsBefore] = [load.now(), stage.foldsFromMemory()]
    const random = seededRandom(seed)
    const under: LoadUnder = { companyIds: ids, companies, now: load.now, useAll: load.useAll }
    const wrong: Finding[] = []
    const notes: string[] = []
    const spells: Spell[] = []
    const [hostile, sentByHostile]: [string[], Operation[]] = [[], []]
    let [times, overAt, recoveryMs, caughtUpMs] = [0, 0, 0, 0]
    for (let left = options.times ?? TIMES[fault] ?? 1; left > 0; left -= 1) {
      const happened = (await happen(stage, random, under)) ?? {}
      overAt = load.now()
      times += happened.times ?? 1
      wrong.push(...(happened.wrong ?? []))
      if (happened.note !== undefined) notes.push(happened.note)
      if (happened.spell) spells.push(happened.spell)
      hostile.push(...(happened.companyIds ?? []))
      sentByHostile.push(...(happened.operations ?? []))
      // On a cluster, each company has a database of its own; otherwise, any success will do.
      const recovered = await recovery(stage, load, ids, happened.spell ? ids : [undefined], options)
      wrong.push(...recovered.wrong)
      recoveryMs = Math.max(recoveryMs, recovered.recoveryMs)
      caughtUpMs = Math.max(caughtUpMs, recovered.caughtUpMs)
    }
    await pause(AFTER_MS)
    await enoughCalls(load.operations, options.callsAtLeast ?? 0)
    const until = load.now()
    await load.end()
    wrong.push(...((await administrator?.end()) ?? []), ...((await providers?.end()) ?? []))
    if (HOSTILE.has(fault)) wrong.push(...hurtOthers(load.operations, beganAt, overAt))
    if (spells.length > 0) wrong.push(...spellFaults(load.operations, spells, looksAtTimes))
    wrong.push(...(await webhooks.settle(load.operations, options.settlesWithinMs)))
    const administered = administrator === null ? [] : [administrator.administered]
    const provisioned = providers === null ? [] : [providers.provisioned]
    const all = [...ids, ...hostile, ...[...administered, ...provisioned].map(({ companyId }) => companyId)]
    const called = [...load.operations, ...(providers?.operations ?? [])]
    if (!(await stage.settled(all, options.settlesWithinMs)))
      wrong.push({ kind: 'never caught up', text: 'the projections never caught up' })
    wrong.push(...(await probe.end()))
    const foldsFromMemory = foldsBefore === null ? null : stage.foldsFromMemory()! - foldsBefore
    if (foldsFromMemory !== null) wrong.push(...(await readModelFaults(stage)))
    // Folds that are late read the ledger.
    if (foldsFromMemory === 0 && looksAtTimes) wrong.push({ kind: 'no run', text: 'nothing was folded from memory' })
    const judge = stage.withDatabase(async (db) => [
      ...(await oracle(db, all, [...called, ...sentByHostile], stage.projections)),
      ...(await deliveryFaults(db, webhooks.all)),
      ...(
        await Promise.all(administered.map((one) => administratorFaults(db, one, stage.mail?.accepted ?? [])))
      ).flat(),
      ...(await Promise.all(provisioned.map((one) => providerFaults(db, one)))).flat(),
    ])
    wrong.push(
      ...(await judge.catch((error: unknown) =>
        findings('ledger', [`the oracle could not read the ledger: ${String(error)}`]),
      )),
    )
    return {
      fault,
      seed,
      times,
      ...tally(called, until),
      recoveryMs: Math.round(recoveryMs),
      lagMs: Math.round(caughtUpMs),
      foldsFromMemory,
      parts: administered.reduce((parts, { logIds }) => parts + logIds.length, 0),
      ...countDeliveries(webhooks.all),
      ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
      wrong: explain(firstOfEach(looksAtTimes ? wrong : wrong.filter(({ kind }) => kind !== 'slow answer')), stage),
    }
  } finally {
    await Promise.all([load.end(), probe.end(), webhooks.close(), administrator?.end(), providers?.end()])
  }
}

/**
 * An administrator and two identity providers, of a company each, work during most faults: not if events are damaged, or
 * if they may be refused because of a hostile caller.
 */
async function startPeople(
  stage: Stage,
  fault: string,
  options: RunOptions & { seed: number },
): Promise<{ administrator: Administrator | null; providers: Providers | null }> {
  if (UNTOLD.has(fault) || HOSTILE.has(fault)) return { administrator: null, providers: null }
  const [company, another] = await stage.makeCompanies(2)
  return {
    administrator: await startAdministrator(stage, company!, options),
    providers: await startProviders(stage, another!, options),
  }
}

/** Adds what the program logged about the requests that it answered with 500. */
function explain(wrong: Finding[], { apis }: Stage): Finding[] {
  const lines = apis.flatMap(({ said }) => said().split('\n'))
  return wrong.map(({ kind, text }) => {
    const [id] = text.split(':')
    const line = kind === 'internal error' && lines.find((line) => line.includes(`"reqId":"${id}"`))
    return { kind, text: line ? `${text}, and logged: ${line.slice(0, LOGGED_AT_MOST)}` : text }
  })
}

/** `projections verify` finds all read models right, however they were folded. */
async function readModelFaults(stage: Stage): Promise<Finding[]> {
  const exitCode = await runProgram(stage, ['projections', 'verify'])
  return exitCode === 0 ? [] : [{ kind: 'read model', text: `projections verify ended with ${exitCode}` }]
}

/** Waits until calls succeed again and the projections have caught up, and says what took too long. */
async function recovery(
  stage: Stage,
  load: Load,
  companyIds: string[],
  awaited: (string | undefined)[],
  { looksAtTimes = true }: RunOptions,
): Promise<{ recoveryMs: number; caughtUpMs: number; wrong: Finding[] }> {
  const overAt = load.now()
  await served(load, overAt, awaited)
  const recoveryMs = load.now() - overAt
  // On a busy machine, the projections may be late as long as the load lasts: they catch up in the end.
  const wrong = looksAtTimes ? await untilLagIsOver(stage, companyIds) : []
  const caughtUpMs = load.now() - overAt
  const within = looksAtTimes ? RECOVERS_WITHIN_MS : RECOVERS_AT_ALL_WITHIN_MS
  if (recoveryMs > within)
    wrong.push({
      kind: 'slow recovery',
      text: `no success for ${Math.round(recoveryMs)} ms after all was well again`,
    })
  return { recoveryMs, caughtUpMs, wrong }
}

/** Waits until each of these companies has had a success that was asked for after a time, or for a minute. */
async function served({ operations, now }: Load, at: number, companyIds: (string | undefined)[]): Promise<void> {
  for (const id of companyIds)
    while (!hasSuccess(operations, at, id) && now() < at + RECOVERS_AT_ALL_WITHIN_MS) await pause(20)
}

function hasSuccess(operations: Operation[], at: number, companyId: string | undefined): boolean {
  return operations
    .filter((operation) => companyId === undefined || operation.companyId === companyId)
    .some(({ attempts }) =>
      attempts.some((attempt) => attempt.at >= at && attempt.status !== null && attempt.status < 300),
    )
}

async function enoughCalls(operations: Operation[], atLeast: number): Promise<void> {
  const deadline = performance.now() + ENOUGH_WITHIN_MS
  while (operations.length < atLeast && performance.now() < deadline) await pause(20)
}

/** Waits until the lag is over. Returns what is still behind if that takes too long. */
async function untilLagIsOver(stage: Stage, companyIds: string[]): Promise<Finding[]> {
  const deadline = performance.now() + CATCHES_UP_WITHIN_MS
  const lag = () => stage.withDatabase((db) => lagMs(db, companyIds, stage.projections)).catch(() => Infinity)
  while ((await lag()) >= LAG_MS) {
    if (performance.now() > deadline)
      return findings(
        'slow recovery',
        await stage.withDatabase((db) => lagging(db, companyIds)).catch((error: unknown) => [String(error)]),
      )
    await pause(LOOKS_EVERY_MS)
  }
  return []
}

function tally(
  operations: Operation[],
  untilMs: number,
): Pick<Outcome, 'calls' | 'acknowledged' | 'unknown' | 'unresolved' | 'outageMs' | 'slowestMs'> {
  const attempts = operations.flatMap((operation) => operation.attempts)
  const unknown = attempts.filter(
    ({ status, code }) => status === null || status >= 500 || code === 'idempotency_in_progress',
  )
  const successes = attempts
    .filter(({ status }) => status !== null && status < 300)
    .map(({ at, took }) => at + took)
    .toSorted((a, b) => a - b)
  const gaps = [0, ...successes.filter((at) => at <= untilMs), untilMs].map(
    (at, index, all) => at - (all[index - 1] ?? 0),
  )
  return {
    calls: operations.length,
    acknowledged: operations.filter(({ final }) => final !== null && final.status < 300).length,
    unknown: unknown.length,
    unresolved: operations.filter(({ final, isOfProvider }) => final === null && isOfProvider !== true).length,
    outageMs: Math.round(Math.max(...gaps)),
    slowestMs: Math.round(Math.max(0, ...attempts.map(({ took }) => took))),
  }
}
