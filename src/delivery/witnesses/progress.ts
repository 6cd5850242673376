import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { WitnessFault } from '../../domain/attention.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { VerifierKey } from '../../ledger/audit/signed-note.ts'
import type { LedgerDb, LedgerTables } from '../../ledger/tables.ts'
import { openDatabase } from '../../postgres/kysely.ts'
import type { DueWork } from '../../workers/watch-standstill.ts'

/*
 * How far each witness has cosigned each ledger. The rows only save work: a witness says itself what it has cosigned.
 */

/** Companies of a witness in one round; further ones follow in the next. */
const MAX_COMPANIES = 2_000
/** Longer than a checkpoint takes to be submitted. Another process may try again then. */
const LEASE_SECONDS = 120
const FIRST_RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 3_600
/** Submissions in a row without an outcome that are a failure. */
const MAX_UNDECIDED = 3

/** The name under which a witness is stored and shown: the name and the id of its key. */
export function nameOfWitness({ name, id }: VerifierKey): string {
  return `${name}+${id.toString('hex')}`
}

/** Lists the companies with events that a witness has not cosigned, those that waited longest first. */
export async function listDue(pool: Pool, witness: string): Promise<string[]> {
  const { rows } = await sql<{ company_id: string }>`
    select h.company_id from heads h
    left join witness_progress p on p.company_id = h.company_id and p.witness = ${witness}
    where h.position > coalesce(p.size, 0) and coalesce(p.due_at, '-infinity') <= statement_timestamp()
    order by p.due_at nulls first, h.company_id limit ${MAX_COMPANIES}`.execute(openDatabase<LedgerTables>(pool))
  return rows.map((row) => fromUuid('com', row.company_id))
}

/**
 * Lists what each witness is to get next: the first that `listDue` lists, with which every round begins. While a
 * witness is down, few others are tried. The trace changes with every submission.
 */
export async function listWaitingSubmissions(pool: Pool): Promise<DueWork[]> {
  const { rows } = await sql<{ company_id: string; witness: string; trace: string }>`
    select distinct on (w.witness) h.company_id, w.witness, concat_ws(' ', p.size, p.due_at) as trace
    from (select distinct witness from witness_progress) w cross join heads h
    left join witness_progress p on p.company_id = h.company_id and p.witness = w.witness
    where h.position > coalesce(p.size, 0) and coalesce(p.due_at, '-infinity') <= statement_timestamp()
    order by w.witness, p.due_at nulls first, h.company_id`.execute(openDatabase<LedgerTables>(pool))
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    work: 'witnesses',
    subject: row.witness,
    trace: row.trace,
  }))
}

/**
 * Takes on the submission to a witness for a while. Returns the size that the witness has cosigned last, as far as is
 * known, or null if another process has taken it on.
 */
export async function claim(client: PoolClient, companyId: string, witness: string): Promise<number | null> {
  const ids = [toUuid(companyId), witness]
  // Two statements: on a cluster, an insert cannot compare times.
  await client.query(
    `insert into witness_progress (company_id, witness, due_at) values ($1, $2, '-infinity') on conflict do nothing`,
    ids,
  )
  const { rows } = await client.query<{ size: number }>(
    `update witness_progress set due_at = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where company_id = $1 and witness = $2 and due_at <= statement_timestamp() returning size`,
    ids,
  )
  return rows[0]?.size ?? null
}

/** Records that a witness has cosigned a size, in the transaction that stores the cosignature. */
export async function recordSuccess(
  client: PoolClient,
  companyId: string,
  witness: string,
  size: number,
): Promise<void> {
  await client.query(
    `update witness_progress set size = greatest(size, $3), attempts = 0, failing_since = null, fault = null, error = null,
       due_at = statement_timestamp()
     where company_id = $1 and witness = $2`,
    [toUuid(companyId), witness, size],
  )
}

/** Reads how far a witness has got, and keeps others from changing it until the transaction ends. */
async function lock(client: PoolClient, ids: string[]): Promise<{ size: number; attempts: number } | undefined> {
  const { rows } = await client.query<{ size: number; attempts: number }>(
    'select size, attempts from witness_progress where company_id = $1 and witness = $2 for update',
    ids,
  )
  return rows[0]
}

/**
 * Records that a submission neither succeeded nor failed, and was made when the witness had cosigned `oldSize`. It is
 * tried again in the next round. The third time in a row is a failure, unless another process has succeeded meanwhile.
 */
export async function recordUndecided(
  client: PoolClient,
  companyId: string,
  witness: string,
  { oldSize, error }: { oldSize: number; error: string },
): Promise<void> {
  const progress = await lock(client, [toUuid(companyId), witness])
  const isFaster = progress?.size !== oldSize
  const attempts = (progress?.attempts ?? 0) + (isFaster ? 0 : 1)
  if (!isFaster && attempts >= MAX_UNDECIDED)
    return recordFailure(client, companyId, witness, { fault: 'unavailable', error })
  await client.query(
    `update witness_progress set attempts = $3, due_at = statement_timestamp()
     where company_id = $1 and witness = $2`,
    [toUuid(companyId), witness, attempts],
  )
}

/**
 * Records that a submission failed, and when it is tried again: after a minute, and then twice as long each time, up to
 * an hour. A conflict or a forged cosignature stays on record until the witness cosigns again: being unavailable doesn't
 * make it good.
 */
export async function recordFailure(
  client: PoolClient,
  companyId: string,
  witness: string,
  { fault, error }: { fault: WitnessFault; error: string },
): Promise<void> {
  const counts = fault === 'unavailable' ? "(fault is null or fault = 'unavailable')" : 'true'
  const progress = await lock(client, [toUuid(companyId), witness])
  const retryInSeconds = Math.min(FIRST_RETRY_SECONDS * 2 ** (progress?.attempts ?? 0), MAX_RETRY_SECONDS)
  await client.query(
    `update witness_progress set attempts = attempts + 1, failing_since = least(failing_since, statement_timestamp()),
       error = case when ${counts} then $4 else error end, fault = case when ${counts} then $3 else fault end,
       due_at = statement_timestamp() + make_interval(secs => $5)
     where company_id = $1 and witness = $2`,
    [toUuid(companyId), witness, fault, error, retryInSeconds],
  )
}

/** Gives a claim back, so that the next round tries again. */
export async function release(db: LedgerDb, companyId: string, witness: string): Promise<void> {
  await sql`update witness_progress set due_at = statement_timestamp()
    where company_id = ${toUuid(companyId)} and witness = ${witness}`.execute(db)
}

/** Forgets witnesses that are not configured any more. */
export async function forgetOthers(pool: Pool, witnesses: readonly string[]): Promise<void> {
  const db = openDatabase<LedgerTables>(pool)
  const others = sql`from witness_progress where witness <> all (${[...witnesses]}::text[])`
  const { rows } = await sql`select 1 ${others} limit 1`.execute(db)
  if (rows.length > 0) await sql`delete ${others}`.execute(db)
}
