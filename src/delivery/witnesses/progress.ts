import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { WitnessFault } from '#domain/attention'
import { fromUuid, toUuid } from '#domain/ids'
import type { VerifierKey } from '#ledger/audit/signed-note'
import type { LedgerTables } from '#ledger/tables'
import { openDatabase } from '#postgres/kysely'
import type { DueWork } from '#workers/watch-standstill'

/*
 * How far each witness has cosigned each ledger. The rows only save work: a witness says itself what it has cosigned.
 */

/** Companies of a witness in one round; further ones follow in the next. */
const MAX_COMPANIES = 2_000
const FIRST_RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 3_600
/** Submissions in a row without an outcome that are a failure. */
const MAX_UNDECIDED = 3

/** The name under which a witness is stored and shown: the name and the id of its key. */
export function nameOfWitness({ name, id }: VerifierKey) {
  return `${name}+${id.toString('hex')}`
}

/** A ledger with events that a witness has not cosigned. */
export interface DueLedger {
  companyId: string
  /** The name of the witness. */
  witness: string
  /** The size that the witness has cosigned last, as far as is known. */
  size: number
  /** Submissions in a row that did not succeed. */
  attempts: number
  /** Changes with every submission. */
  trace: string
}

/** Lists the ledgers that are due at a witness, those that waited longest first. */
export async function listDue(pool: Pool, witness: string, limit = MAX_COMPANIES): Promise<DueLedger[]> {
  const { rows } = await sql<{ company_id: string; size: number; attempts: number; trace: string }>`
    select h.company_id, coalesce(p.size, 0) as size, coalesce(p.attempts, 0) as attempts,
      concat_ws(' ', p.size, p.due_at) as trace
    from heads h left join witness_progress p on p.company_id = h.company_id and p.witness = ${witness}
    where h.position > coalesce(p.size, 0) and coalesce(p.due_at, '-infinity') <= statement_timestamp()
    order by p.due_at nulls first, h.company_id limit ${limit}`.execute(openDatabase<LedgerTables>(pool))
  return rows.map(({ company_id: company, ...row }) => ({ companyId: fromUuid('com', company), witness, ...row }))
}

/** Lists what each witness is to get next. While a witness is down, few others are tried. */
export async function listWaitingSubmissions(pool: Pool): Promise<DueWork[]> {
  const { rows } = await pool.query<{ witness: string }>('select distinct witness from witness_progress')
  const due = await Promise.all(rows.map(({ witness }) => listDue(pool, witness, 1)))
  return due.flat().map(({ companyId, witness, trace }) => ({ companyId, work: 'witnesses', subject: witness, trace }))
}

/** Records that a witness has cosigned a size, in the transaction that stores the cosignature. */
export async function recordSuccess(client: PoolClient, { companyId, witness }: DueLedger, size: number) {
  await client.query(
    `insert into witness_progress as p (company_id, witness, size, due_at) values ($1, $2, $3, statement_timestamp())
     on conflict (company_id, witness) do update set size = greatest(p.size, excluded.size), attempts = 0,
       failing_since = null, fault = null, error = null, due_at = excluded.due_at`,
    [toUuid(companyId), witness, size],
  )
}

/**
 * Records that a submission neither succeeded nor failed. It is tried again in the next round. The third time in a row
 * is a failure, unless the error is null: the witness has nothing to do with it.
 */
export async function recordUndecided(client: PoolClient, due: DueLedger, error: string | null) {
  if (error !== null && due.attempts + 1 >= MAX_UNDECIDED)
    return recordFailure(client, due, { fault: 'unavailable', error })
  await client.query(
    `insert into witness_progress as p (company_id, witness, attempts, due_at)
     values ($1, $2, $3, statement_timestamp())
     on conflict (company_id, witness) do update set attempts = p.attempts + excluded.attempts, due_at = excluded.due_at
     where p.size = $4`,
    [toUuid(due.companyId), due.witness, error === null ? 0 : 1, due.size],
  )
}

/**
 * Records that a submission failed, and when it is tried again: after a minute, and then twice as long each time, up to
 * an hour; unless another process has succeeded meanwhile. A conflict or a forged cosignature stays on record until the
 * witness cosigns again: being unavailable doesn't make it good.
 */
export async function recordFailure(
  client: PoolClient,
  { companyId, witness, size, attempts }: DueLedger,
  { fault, error }: { fault: WitnessFault; error: string },
) {
  const counts = fault === 'unavailable' ? "(p.fault is null or p.fault = 'unavailable')" : 'true'
  const retryInSeconds = Math.min(FIRST_RETRY_SECONDS * 2 ** attempts, MAX_RETRY_SECONDS)
  await client.query(
    `insert into witness_progress as p (company_id, witness, attempts, failing_since, fault, error, due_at)
     values ($1, $2, 1, statement_timestamp(), $3, $4, statement_timestamp() + make_interval(secs => $5))
     on conflict (company_id, witness) do update set attempts = p.attempts + 1,
       failing_since = coalesce(p.failing_since, excluded.failing_since), due_at = excluded.due_at,
       error = case when ${counts} then excluded.error else p.error end,
       fault = case when ${counts} then excluded.fault else p.fault end
     where p.size = $6`,
    [toUuid(companyId), witness, fault, error, retryInSeconds, size],
  )
}

/** Forgets witnesses that are not configured any more. */
export async function forgetOthers(pool: Pool, witnesses: readonly string[]) {
  const db = openDatabase<LedgerTables>(pool)
  const others = sql`from witness_progress where witness <> all (${[...witnesses]}::text[])`
  const { rows } = await sql`select 1 ${others} limit 1`.execute(db)
  if (rows.length > 0) await sql`delete ${others}`.execute(db)
}
