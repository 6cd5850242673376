import type { Logger } from 'pino'
import { findUnguardedTables } from '#ledger/audit/unguarded-tables'
import type { LedgerDb } from '#ledger/tables'
import { startSweep } from './sweep.ts'

const INTERVAL_MS = 60_000
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
export function watchGuard({ db, log, onRound, intervalMs = INTERVAL_MS }: GuardOptions): { stop(): Promise<void> } {
  let before: string[] = []

  async function look(): Promise<void> {
    const tables = await findUnguardedTables(db)
    if (String(before) !== String(tables)) {
      const facts = { count: tables.length, tables: tables.slice(0, NAMED_TABLES) }
      if (tables.length > 0) log.error(facts, 'events can be changed: a trigger that refuses it is missing or disabled')
      else log.warn(facts, 'the triggers that refuse changes of events are back')
    }
    before = tables
    onRound(tables.length)
  }

  return startSweep(look, intervalMs, (error) =>
    log.warn({ err: error }, 'could not check the triggers that protect events'),
  )
}
