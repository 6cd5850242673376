import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import type { LedgerDb } from '../tables.ts'
import type { Verdict } from './verify-export.ts'

/** A run that was not seen for so long has died with its process. */
const DEAD_AFTER_MS = 30_000

/** How a run ended that has no verdict on the ledger. */
export type Ended = { verdict: 'canceled' | 'interrupted' | 'failed' }

/** The last verification of a company's ledger. */
export interface VerificationRun {
  startedBy: string
  /** RFC 3339 UTC. */
  startedAt: string
  /** The last verified position, and the number of events at the start. */
  position: number
  size: number
  /** Null while it runs. */
  verdict: Verdict | Ended | null
}

/** Registers the company's only run, at the database's time `now`. Returns false if another one is running. */
export async function claimRun(
  db: LedgerDb,
  companyId: string,
  { runId, actor, size, now }: { runId: string; actor: string; size: number; now: string },
): Promise<boolean> {
  const run = { run_id: runId, started_by: actor, started_at: now, seen_at: now, position: 0, size, verdict: null }
  const { numInsertedOrUpdatedRows: claimed } = await db
    .insertInto('ledger_verifications')
    .values({ company_id: toUuid(companyId), ...run })
    .onConflict((conflict) =>
      conflict
        .column('company_id')
        .doUpdateSet(run)
        .where((row) =>
          row.or([
            row('ledger_verifications.verdict', 'is not', null),
            row('ledger_verifications.seen_at', '<', isoBefore(now, DEAD_AFTER_MS)),
          ]),
        ),
    )
    .executeTakeFirst()
  return claimed === 1n
}

/** Stores how far a run is, or its end. Returns false if it has ended already. */
export async function storeRun(
  db: LedgerDb,
  companyId: string,
  runId: string,
  { position, verdict }: { position: number; verdict?: Verdict | Ended },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('ledger_verifications')
    .set({ position, seen_at: sql`statement_timestamp()`, ...(verdict ? { verdict: JSON.stringify(verdict) } : {}) })
    .where('company_id', '=', toUuid(companyId))
    .where('run_id', '=', runId)
    .where('verdict', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Cancels the run of a company, if one is running. */
export async function cancelRun(db: LedgerDb, companyId: string): Promise<void> {
  await db
    .updateTable('ledger_verifications')
    .set({ verdict: JSON.stringify({ verdict: 'canceled' } satisfies Ended) })
    .where('company_id', '=', toUuid(companyId))
    .where('verdict', 'is', null)
    .execute()
}

/** Reads the last run of a company; null if there was none. */
export async function readRun(db: LedgerDb, companyId: string): Promise<VerificationRun | null> {
  const row = await db
    .selectFrom('ledger_verifications')
    .select(['started_by as startedBy', 'started_at as startedAt', 'position', 'size', 'verdict'])
    .select(['seen_at as seenAt', sql<string>`clock_timestamp()`.as('now')])
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirst()
  if (!row) return null
  const { verdict, seenAt, now, ...run } = row
  const isDead = verdict === null && seenAt < isoBefore(now, DEAD_AFTER_MS)
  const ended = verdict === null ? null : (JSON.parse(verdict) as Verdict | Ended)
  return { ...run, verdict: isDead ? { verdict: 'interrupted' } : ended }
}

function isoBefore(instant: string, milliseconds: number): string {
  return new Date(Date.parse(instant) - milliseconds).toISOString()
}
