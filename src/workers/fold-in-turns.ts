import type { Logger } from 'pino'
import type { Projection } from '#projections/projection'
import { divide } from '#domain/pieces'
import type { RecentEvents } from '#ledger/append/recent-events'
import type { LedgerDb } from '#ledger/tables'
import { inCompany } from '#postgres/company-scope'
import { recordFailure } from './checkpoints.ts'
import { foldTogether, largeCalls, SMALL_CALLS, type Share } from './fold-together.ts'
import { foldNext, UnfoldableError } from './project.ts'
import { deadLetterOf, queueOf, type PgBoss } from './queues.ts'

export interface TurnOptions {
  db: LedgerDb
  /** The connections that fold, whose statements look rows up by key. */
  foldingDb: LedgerDb
  /** How many companies may share a transaction. Default: any number. */
  companiesTogether?: number
  boss: PgBoss
  log: Logger
  /** The records that a call can have. */
  maxRecords: number
  /** Events that the API in this process has just committed; undefined if there is no API. */
  recent?: RecentEvents | undefined
  /** Called with the duration of each batch, in seconds. */
  onFolded?(projection: string, seconds: number): void
  /** Called for each batch that could not be folded. */
  onUnfoldable?(projection: string): void
  /** Called for each batch that was folded or could not be. Returns the ids of its trace for the log; never throws. */
  traceFold?: TraceFold | undefined
}

/** A batch of events that a projection has folded, or could not fold. */
export interface TracedFold {
  projection: string
  companyId: string
  /** The positions of the batch; `upTo` is null if it could not be folded. */
  after: number
  upTo: number | null
  /** `performance.now()` at the start and the end. */
  beganAt: number
  endedAt: number
  /** The error that stopped it, if any. */
  error: Error | null
}

export type TraceFold = (fold: TracedFold) => Promise<{ trace_id?: string; span_id?: string }>

/**
 * Folds new events of these companies, round by round, so that a small company does not wait for a large one: first
 * many companies together, then some with large calls, or one that has to be folded alone. Ends at about `endsAt`, a
 * `performance.now()`, but each company has had its small calls folded by then, and some had their large ones. Removes
 * companies that are done, or that failed, from the set; the others remain, in the order of their next turns. Rejects
 * at the end if there was a transient failure.
 */
export async function foldInTurns(
  options: TurnOptions,
  projection: Projection,
  companies: Set<string>,
  { signal, endsAt }: { signal: AbortSignal; endsAt: number },
) {
  const turns = new Turns(options, projection, companies)
  const largeShare = largeCalls(options.maxRecords)
  let until = endsAt
  const isOver = () => signal.aborted || performance.now() >= until
  do {
    const beganAt = performance.now()
    const large: string[] = []
    for (const group of groupCompanies(options, [...companies], SMALL_CALLS)) {
      if (signal.aborted) break
      for (const companyId of await turns.foldGroup(group, SMALL_CALLS)) large.push(companyId)
    }
    // Looking for the small calls of thousands of companies takes longer than a turn. The large ones get as long.
    until = Math.max(until, 2 * performance.now() - beganAt)
    for (const group of groupCompanies(options, large, largeShare)) {
      if (signal.aborted) break
      for (const companyId of await turns.foldGroup(group, largeShare)) {
        await turns.foldAlone(companyId)
        if (isOver()) break
      }
      if (isOver()) break
    }
  } while (companies.size > 0 && !isOver())
  turns.rejectIfFailed()
}

/** Folds groups of companies, and keeps in `companies` those that need another turn, in the order of their turns. */
class Turns {
  readonly #options: TurnOptions
  readonly #projection: Projection
  readonly #companies: Set<string>
  /** What stopped some companies for now. Their job is tried again as a whole. */
  readonly #failed = { companies: 0, lastError: undefined as unknown }

  constructor(options: TurnOptions, projection: Projection, companies: Set<string>) {
    this.#options = options
    this.#projection = projection
    this.#companies = companies
  }

  /** Folds companies in one transaction. Returns those that it leaves out. */
  async foldGroup(group: string[], share: Share): Promise<string[]> {
    if (group.length === 1) return group
    try {
      const ends = await foldSome(this.#options, this.#projection, group, share)
      for (const [companyId, isDone] of ends) this.#endTurn(companyId, isDone)
      return group.filter((companyId) => !ends.has(companyId))
    } catch (error) {
      this.#fail(error, group)
      return []
    }
  }

  async foldAlone(companyId: string): Promise<void> {
    try {
      const isDone = await inCompany(companyId, () => foldOne(this.#options, this.#projection, companyId))
      this.#endTurn(companyId, isDone)
    } catch (error) {
      this.#fail(error, [companyId])
    }
  }

  /** Throws the last transient failure, if there was any. */
  rejectIfFailed(): void {
    const { companies, lastError } = this.#failed
    if (companies === 0) return
    const facts = { projection: this.#projection.name, companies, err: lastError }
    this.#options.log.warn(facts, 'could not fold; retrying')
    throw lastError
  }

  #endTurn(companyId: string, isDone: boolean) {
    this.#companies.delete(companyId)
    if (!isDone) this.#companies.add(companyId)
  }

  #fail(error: unknown, companyIds: string[]) {
    this.#failed.companies += companyIds.length
    this.#failed.lastError = error
    for (const companyId of companyIds) this.#companies.delete(companyId)
  }
}

/** The companies that share a transaction. */
function groupCompanies({ companiesTogether = Infinity }: TurnOptions, companies: string[], share: Share) {
  return divide(companies, Math.min(companiesTogether, share.companies))
}

/** Folds several companies at once. Returns, for those that were folded, whether they are done. */
async function foldSome(options: TurnOptions, projection: Projection, companyIds: string[], share: Share) {
  const beganAt = performance.now()
  const folded = await foldTogether(options.foldingDb, projection, companyIds, { share, recent: options.recent })
  const endedAt = performance.now()
  options.onFolded?.(projection.name, (endedAt - beganAt) / 1_000)
  for (const { companyId, after, upTo } of folded) {
    if (upTo > after)
      await options.traceFold?.({ projection: projection.name, companyId, after, upTo, beganAt, endedAt, error: null })
  }
  return new Map(folded.map(({ companyId, isEnd }) => [companyId, isEnd]))
}

/**
 * Folds a batch of one company. Returns whether the company is done. One that cannot be folded is retried later, alone,
 * or parked.
 */
async function foldOne(options: TurnOptions, projection: Projection, companyId: string) {
  const { db, foldingDb, boss, log } = options
  const beganAt = performance.now()
  const batch = { projection: projection.name, companyId, beganAt }
  try {
    const { after, position, isDone } = await foldNext(foldingDb, projection, companyId, {
      recent: options.recent,
    })
    const endedAt = performance.now()
    options.onFolded?.(projection.name, (endedAt - beganAt) / 1_000)
    if (position > after) await options.traceFold?.({ ...batch, after, upTo: position, endedAt, error: null })
    return isDone
  } catch (error) {
    if (!(error instanceof UnfoldableError) || !error.checkpoint) throw error
    options.onUnfoldable?.(projection.name)
    const standing = await recordFailure(db, projection, companyId, error.checkpoint, error.message)
    // Another worker has counted this failure or has moved on.
    if (!standing) return true
    const failed = { ...batch, after: error.checkpoint.position, upTo: null, endedAt: performance.now(), error }
    const traceIds = await options.traceFold?.(failed)
    const facts = { projection: projection.name, companyId, attempts: standing.attempts, err: error, ...traceIds }
    const job = { companies: [companyId] }
    if (standing.isParked) {
      log.error(facts, 'parked a company for a projection: its events cannot be folded')
      await boss.send(deadLetterOf(projection), job)
    } else {
      log.warn(facts, 'could not fold events; retrying')
      await boss.send(queueOf(projection), job, { startAfter: standing.retryInSeconds })
    }
    return true
  }
}
