import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { clearFailingWork, recordFailingWork, type WorkRef } from '#ledger/background/failing-work'
import { startSweep } from './sweep.ts'
import { findUnguardedTables } from '#ledger/audit/unguarded-tables'
import type { LedgerDb } from '#ledger/tables'

const INTERVAL_MS = 60_000
/** Looks, one after the other, that find the same work untouched. */
const LOOKS = 5
const STANDS_STILL = 'it is due, and for five minutes no worker has tried it'

/** Work that could be done now. */
export interface DueWork extends WorkRef {
  subject: string
  /** Changes with every attempt. */
  trace: string
}

interface StandstillOptions {
  pool: Pool
  log: Logger
  /** Each lists the due work of one kind; a bounded number. */
  lists: readonly ((pool: Pool) => Promise<DueWork[]>)[]
  intervalMs?: number
}

/**
 * Looks once a minute for work that is due and that nobody tries, and keeps it on record as failing work, so that
 * attention, `doctor`, and the metrics tell it. A loop can stand still without an error: if it reads from a server that
 * has fallen behind, it finds nothing to do. Every worker looks, on other connections than those of the loops.
 */
export function watchStandstill({ pool, log, lists, intervalMs = INTERVAL_MS }: StandstillOptions): {
  stop(): Promise<void>
} {
  let known = new Map<string, { due: DueWork; looks: number }>()
  const recorded = new Map<string, DueWork>()
  let told = 0

  async function look() {
    const due = (await Promise.all(lists.map((list) => list(pool)))).flat()
    const before = known
    known = new Map(
      due.map((one) => {
        const earlier = before.get(keyOf(one))
        const looks = earlier?.due.trace === one.trace ? earlier.looks + 1 : 1
        return [keyOf(one), { due: one, looks }]
      }),
    )
    const still = [...known.values()].filter(({ looks }) => looks >= LOOKS)
    if (still.length !== told) {
      const works = [...new Set(still.map(({ due }) => due.work))]
      if (still.length > 0) log.warn({ count: still.length, works }, 'background work stands still')
      else log.warn('background work is done again')
    }
    told = still.length
    // A later look makes up for a statement that fails.
    for (const [key, one] of recorded) {
      if ((known.get(key)?.looks ?? 0) >= LOOKS) continue
      await clearFailingWork(pool, one, STANDS_STILL)
      recorded.delete(key)
    }
    for (const { due: one } of still) {
      recorded.set(keyOf(one), one)
      await recordFailingWork(pool, one, STANDS_STILL)
    }
  }

  return startSweep(look, intervalMs, log, 'could not check whether background work is done')
}

const keyOf = ({ work, companyId, subject }: DueWork) => JSON.stringify([work, companyId, subject])

const GUARD_INTERVAL_MS = 60_000
/** How many tables the log names. */
const NAMED_TABLES = 10

interface GuardOptions {
  db: LedgerDb
  log: Logger
  /** Called after each round with the number of tables that could be changed. */
  onRound(count: number): void
  intervalMs?: number
}

/**
 * Looks once a minute whether the triggers that refuse changes of events are there, and says in the log what changed.
 * Every worker does this, so it doesn't depend on one process.
 */
export function watchGuard({ db, log, onRound, intervalMs = GUARD_INTERVAL_MS }: GuardOptions): {
  stop(): Promise<void>
} {
  let before: string[] = []

  async function look() {
    const tables = await findUnguardedTables(db)
    if (String(before) !== String(tables)) {
      const facts = { count: tables.length, tables: tables.slice(0, NAMED_TABLES) }
      if (tables.length > 0) log.error(facts, 'events can be changed: a trigger that refuses it is missing or disabled')
      else log.warn(facts, 'the triggers that refuse changes of events are back')
    }
    before = tables
    onRound(tables.length)
  }

  return startSweep(look, intervalMs, log, 'could not check the triggers that protect events')
}
