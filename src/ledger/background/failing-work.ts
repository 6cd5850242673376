import { sql, type RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import type { BackgroundWork } from '#domain/attention-kinds'
import { fromUuid, toUuid } from '#domain/ids'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import { isTransient } from '#postgres/database-errors'
import { errorReason } from '#postgres/startup-error'
import { openDatabase } from '#postgres/kysely'
import type { LedgerDb, Row } from '../tables.ts'

/*
 * Background work that fails, on record until it succeeds. Attention, `doctor`, and the metrics read it.
 */

/** Which work, and for which company. */
export interface WorkRef {
  /** Null if it is for all companies. */
  companyId: string | null
  work: BackgroundWork
  /** What it is about, if there can be several: the witness, the upload, the webhook, or the job. */
  subject?: string
}

/** Work that fails in a company. */
export type FailingWork = Row<'failing_work', 'work' | 'subject' | 'since' | 'error'>

/** Stands for all companies in the table. */
const NO_COMPANY = '00000000-0000-0000-0000-000000000000'
/** Characters of an error that are kept. */
const MAX_ERROR = 1_000
/** Failing work is tried again within an hour. A row that was not is about work that no longer exists. */
const HOURS_KEPT = 2

/**
 * Does background work, and keeps on record that it fails until it succeeds. Rethrows the error. Errors of the database
 * itself are not recorded: they concern all work alike.
 */
export async function trackWork<Result>(
  pool: Pool,
  ref: WorkRef,
  task: () => Promise<Result>,
  describe: (error: unknown) => string = errorReason,
): Promise<Result> {
  let result: Result
  try {
    result = await task()
  } catch (error) {
    // What went wrong first is more important than that it could not be recorded.
    if (!isTransient(error)) await recordFailingWork(pool, ref, describe(error)).catch(() => undefined)
    throw error
  }
  await clearFailingWork(pool, ref)
  return result
}

/** Records that work has failed. */
export async function recordFailingWork(
  pool: Pool,
  { companyId, work, subject = '' }: WorkRef,
  error: string,
): Promise<void> {
  await pool.query(
    `insert into failing_work (company_id, work, subject, since, seen_at, error)
     values ($1, $2, $3, statement_timestamp(), statement_timestamp(), $4)
     on conflict (company_id, work, subject) do update set seen_at = excluded.seen_at, error = excluded.error`,
    [uuidOf(companyId), work, subject, error.slice(0, MAX_ERROR)],
  )
}

/** Records that work has succeeded, or is no longer to be done. With an error: if that was the last one. */
export async function clearFailingWork(
  pool: Pool,
  { companyId, work, subject = '' }: WorkRef,
  error: string | null = null,
): Promise<void> {
  await pool.query(
    `delete from failing_work where company_id = $1 and work = $2 and subject = $3
     and ($4::text is null or error = $4)`,
    [uuidOf(companyId), work, subject, error],
  )
}

const uuidOf = (companyId: string | null) => (companyId === null ? NO_COMPANY : toUuid(companyId))

/** Deletes work that nobody has tried for hours. Returns how many rows. */
export function expireFailingWork(pool: Pool): Promise<number> {
  const isOld = sql`seen_at < statement_timestamp() - make_interval(hours => ${HOURS_KEPT})`
  return deleteInPieces(pool, 'failing_work', ['company_id', 'work', 'subject'], isOld)
}

/** Selects the work that fails in a company, that which began first before the rest. */
export function selectFailingWork(companyId: string): RawBuilder<FailingWork> {
  return sql`select work, subject, since, error from failing_work where company_id = ${toUuid(companyId)}
    order by since`
}

/** Reads the work that fails in a company, that which began first before the rest. */
export async function readFailingWork(db: LedgerDb, companyId: string): Promise<FailingWork[]> {
  return (await selectFailingWork(companyId).execute(db)).rows
}

/** Work that fails for some companies, or for all. */
export interface FailingWorkSummary {
  work: BackgroundWork
  companies: number
  /** Since when, RFC 3339 UTC. */
  since: string
  /** One of the companies, and what is wrong there. Null if the work is for all companies. */
  company_id: string | null
  error: string
}

/** Reads which work fails in all companies. */
export async function summarizeFailingWork(pool: Pool): Promise<FailingWorkSummary[]> {
  const { rows } = await sql<FailingWorkSummary & { company_id: string }>`
    select work, count(distinct company_id)::integer as companies, min(since) as since,
      (array_agg(company_id::text order by since))[1] as company_id,
      (array_agg(case when subject = '' then error else subject || ': ' || error end order by since))[1] as error
    from failing_work group by work`.execute(openDatabase(pool))
  return rows.map((row) => ({
    ...row,
    company_id: row.company_id === NO_COMPANY ? null : fromUuid('com', row.company_id),
  }))
}
