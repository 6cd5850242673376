import { randomUUID } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import type { Client } from '#domain/call-sources'
import { fromUuid, toUuid } from '#domain/ids'
import type { Mapping } from '#spreadsheets/mapping/mapping'
import type { PartCounts, StoredRow, UploadState } from '#domain/uploads'
import { inTransaction } from '#postgres/pipeline'
import { clearFailingWork } from '../background/failing-work.ts'
import { findUpload, readRows, writeContent, writeStoredRow, type StoredUpload } from './read-uploads.ts'
import { STORED_FOR } from './received-file.ts'
import { forgetOriginal, insertParts, lockCounting, type NewPart } from './store-upload.ts'

export type UploadRef = Pick<StoredUpload, 'companyId' | 'id'>

export const idsOf = ({ companyId, id }: UploadRef) => [toUuid(companyId), toUuid(id)]

/** What changes when rows are erased, or split into other parts, which have other calls. */
const SELECT_STATE = `(select string_agg(p.call_id || ' ' || p.erased, ',' order by p.part) from upload_parts p
  where p.company_id = $1 and p.upload_id = $2)`

/**
 * How many people the company's other files of the last day deactivate, or did, because they are not in them, and how many
 * its keys deactivated today (UTC), for whatever reason.
 */
const COUNT_BESIDE = `((select coalesce(sum(p.rows - p.erased), 0) from uploads o join upload_parts p
    on p.company_id = o.company_id and p.upload_id = o.upload_id
  where o.company_id = $1 and o.upload_id <> $2 and o.state in ('applying', 'stopped', 'ended')
    and o.expires_at > statement_timestamp() and p.missing_of is not null and p.state in ('waiting', 'applied'))
  + (select coalesce(sum((people_use #>> '{done,max_deactivations}')::integer), 0) from api_key_usage
  where company_id = $1 and people_use ->> 'day' = (statement_timestamp() at time zone 'UTC')::date::text))::integer`

/** Counts the people whom the company's other files of the last day deactivate, or did, and whom its keys did today. */
export async function countBeside(pool: Pool, upload: UploadRef): Promise<number> {
  const { rows } = await pool.query<{ beside: number }>(`select ${COUNT_BESIDE} as beside`, idsOf(upload))
  return rows[0]!.beside
}

/**
 * Begins to apply a file whose preview is complete, or resumes one that has stopped, as it was begun: `isAllOrNone` stays
 * what it was. Only the user who uploaded it can. Returns false if there was nothing to do, so that of two clicks only one
 * starts it, or if the file before it was applied has changed since `plan` was read, or other files and keys deactivate
 * more than `beside` people, unless that is null: of two files at once, the second knows of the first.
 */
export async function beginApplying(
  pool: Pool,
  upload: UploadRef,
  {
    userId,
    requestId,
    client,
    isAllOrNone,
    plan,
    beside,
  }: {
    userId: string
    requestId: string
    client: Client | null
    isAllOrNone: boolean
    plan: string | null
    beside: number | null
  },
): Promise<boolean> {
  const { rowCount } = await inTransaction(pool, async (connection) => {
    await lockCounting(connection, upload.companyId)
    return connection.query(
      `update uploads set state = 'applying', request_id = $4, address = $5, user_agent = $6,
       all_or_none = case when state = 'previewed' then $7 else all_or_none end,
       expires_at = statement_timestamp() + ${STORED_FOR}, lease_id = null, leased_until = null
     where company_id = $1 and upload_id = $2 and user_id = $3
       and (state = 'stopped' or state = 'previewed' and ${SELECT_STATE} is not distinct from $8
         and ($9::integer is null or ${COUNT_BESIDE} <= $9))
       and expires_at > statement_timestamp()`,
      [
        ...idsOf(upload),
        toUuid(userId),
        requestId,
        client?.address ?? '',
        client?.userAgent ?? null,
        isAllOrNone,
        plan,
        beside,
      ],
    )
  })
  return rowCount === 1
}

/** Reads what changes when rows are erased, split into other parts, or followed by people who are not in the file. */
export async function readPlanState(pool: Pool, upload: UploadRef): Promise<string | null> {
  const { rows } = await pool.query<{ state: string | null }>(`select ${SELECT_STATE} as state`, idsOf(upload))
  return rows[0]!.state
}

/** The rows of a file that is not applied yet, to split them into parts again. */
interface RowsToPlan {
  /** The contents of its parts, in order. */
  contents: AsyncIterable<string>
  /** Changes with the rows. */
  state: string
}

/** Reads the rows of a file that is not applied yet, part by part; null if it is. */
export async function readRowsToPlan(pool: Pool, upload: UploadRef): Promise<RowsToPlan | null> {
  const { rows: found } = await pool.query<{ state: string; parts: number }>(
    `select ${SELECT_STATE} as state, parts from uploads
     where company_id = $1 and upload_id = $2 and state in ('previewing', 'previewed')`,
    idsOf(upload),
  )
  if (!found[0]) return null
  const { state, parts } = found[0]
  return { contents: readContents(pool, upload, parts), state }
}

async function* readContents(pool: Pool, upload: UploadRef, parts: number): AsyncGenerator<string, void> {
  for (let part = 1; part <= parts; part += 1) {
    const { rows } = await pool.query<{ content: string }>(
      `select content from upload_parts where company_id = $1 and upload_id = $2 and part = $3 and missing_of is null`,
      [...idsOf(upload), part],
    )
    yield rows[0]?.content ?? '[]'
  }
}

/**
 * Sets what the columns of a file mean, and its parts, before it is applied. Discards the counts of the preview. Returns
 * the number of parts; null if they have changed since they were read, or it is being applied. Throws what making them
 * throws.
 */
export async function changeMapping(
  pool: Pool,
  upload: UploadRef & Pick<StoredUpload, 'userId'>,
  { mapping, parts, state }: { mapping: Mapping; parts: AsyncIterable<NewPart>; state: string },
): Promise<number | null> {
  return inTransaction(pool, async (client) => {
    const ids = idsOf(upload)
    // Building the parts may take longer than others wait for the lock of the upload, so they have another id before.
    const newParts = [ids[0]!, randomUUID()] as const
    const stored = await insertParts(client, [...newParts, toUuid(upload.userId)], parts)
    const isSame = await lockPlan(client, ids, ['previewing', 'previewed'], state)
    await deleteParts(client, isSame ? ids : newParts)
    if (!isSame) return null
    await client.query('update upload_parts set upload_id = $3 where company_id = $1 and upload_id = $2', [
      ...newParts,
      ids[1]!,
    ])
    await client.query(
      `update uploads set mapping = $3, parts = $4, rows = $5, state = $6, request_id = null, lease_id = null,
         leased_until = null
       where company_id = $1 and upload_id = $2`,
      [...ids, JSON.stringify(mapping), stored.parts, stored.rows, stored.parts === 1 ? 'previewed' : 'previewing'],
    )
    return stored.parts
  })
}

async function deleteParts(client: PoolClient, ids: readonly string[]): Promise<void> {
  await client.query('delete from upload_parts where company_id = $1 and upload_id = $2', [...ids])
}

/**
 * Locks a file. Returns false if it is in none of these states, or if its rows or parts have changed since `plan` was
 * read, unless that is null.
 */
export async function lockPlan(
  client: PoolClient,
  ids: readonly string[],
  states: readonly UploadState[],
  plan: string | null,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from uploads where company_id = $1 and upload_id = $2 and state = any($3) for update',
    [...ids, states],
  )
  // The statement that waited for the lock would not see what has changed meanwhile.
  const { rows } = await client.query<{ state: string | null }>(`select ${SELECT_STATE} as state`, ids as string[])
  return rowCount === 1 && (plan === null || rows[0]!.state === plan)
}

/** Deletes a file that is not applied yet, or cancels what is still to come of another. Returns whether it was deleted. */
export async function cancelUpload(pool: Pool, upload: UploadRef): Promise<boolean> {
  const isDeleted = await inTransaction(pool, async (client) => {
    const ids = idsOf(upload)
    const { rowCount } = await client.query(
      `delete from uploads where company_id = $1 and upload_id = $2 and state in ('previewing', 'previewed')`,
      ids,
    )
    if (rowCount === 1) {
      await deleteParts(client, ids)
      await forgetOriginal(client, upload, 'all')
      return true
    }
    await client.query(
      `update uploads set state = 'ended', lease_id = null, leased_until = null where company_id = $1
        and upload_id = $2`,
      ids,
    )
    await client.query(
      `update upload_parts set state = 'canceled' where company_id = $1 and upload_id = $2 and state = 'waiting'`,
      ids,
    )
    return false
  })
  await clearFailingWork(pool, { companyId: upload.companyId, work: 'uploads', subject: upload.id })
  return isDeleted
}

/** Seconds for which a process has an upload to itself, longer than a call waits for its turn. */
const LEASE_SECONDS = 15
const COMPANIES_LISTED = 1_000

const IS_DUE = `u.state in ('previewing', 'applying') and u.expires_at > statement_timestamp()
  and (u.leased_until is null or u.leased_until <= statement_timestamp())`

/** Lists companies with uploads that go on now, those that have waited longest first. */
export async function listCompaniesWithUploads(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ company_id: string }>(
    `select u.company_id from uploads u where ${IS_DUE} group by u.company_id order by min(u.created_at)
     limit ${COMPANIES_LISTED}`,
  )
  return rows.map((row) => fromUuid('com', row.company_id))
}

/** Claims the oldest upload of a company that is to go on; null if none is left to this process. */
export async function claimUpload(pool: Pool, companyId: string, leaseId: string): Promise<StoredUpload | null> {
  const { rows } = await pool.query<{ upload_id: string }>(
    `update uploads u set lease_id = $2, leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'
     where u.company_id = $1 and ${IS_DUE} and u.upload_id = (
       select d.upload_id from uploads d where d.company_id = $1 and ${IS_DUE.replaceAll('u.', 'd.')}
       order by d.created_at, d.upload_id limit 1)
     returning u.upload_id`,
    [toUuid(companyId), leaseId],
  )
  return rows[0] ? findUpload(pool, companyId, fromUuid('upl', rows[0].upload_id)) : null
}

/** Lets an upload go: at once if `afterMs` is null, or later, so that others come first. */
export async function releaseUpload(
  pool: Pool,
  upload: UploadRef,
  leaseId: string,
  { afterMs }: { afterMs: number | null },
): Promise<void> {
  await pool.query(
    `update uploads set lease_id = case when $4::integer is not null then lease_id end,
       leased_until = statement_timestamp() + $4::integer * interval '1 millisecond'
     where company_id = $1 and upload_id = $2 and lease_id = $3`,
    [...idsOf(upload), leaseId, afterMs],
  )
}

/** The upload, if all of its parts have been counted. */
const ALL_COUNTED = `company_id = $1 and upload_id = $2 and not exists (
  select from upload_parts p where p.company_id = $1 and p.upload_id = $2 and p.counts is null)`

/**
 * Records what a preview has counted for a part and which rows it would leave out, and whether all parts have been
 * counted. Those before it must have been: their rows may be its managers.
 */
export async function recordCounts(
  pool: Pool,
  upload: Pick<StoredUpload, 'companyId' | 'id' | 'mapping'>,
  part: number,
  { counts, leftOut }: { counts: PartCounts; leftOut: readonly number[] },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Under the lock of the upload, so that counts that were made with another mapping are not kept.
    const { rowCount } = await client.query(
      `select from uploads where company_id = $1 and upload_id = $2 and (mapping is null or mapping::text = $3)
         and state in ('previewing', 'previewed') for update`,
      [...idsOf(upload), JSON.stringify(upload.mapping)],
    )
    if (rowCount !== 1) return
    await client.query(
      `update upload_parts set counts = $4, left_out = $5 where company_id = $1 and upload_id = $2 and part = $3
         and not exists (select from upload_parts p where p.company_id = $1 and p.upload_id = $2 and p.part < $3
           and p.counts is null)`,
      [...idsOf(upload), part, JSON.stringify(counts), JSON.stringify(leftOut)],
    )
    // If its request asked for it, and nothing keeps it back. The request itself applies an upload that has one part.
    await client.query(
      `update uploads set state = 'applying', expires_at = statement_timestamp() + ${STORED_FOR}
       where ${ALL_COUNTED} and parts > 1 and request_id is not null and (
         select sum((p.counts ->> 'unreadable')::integer) < case when all_or_none then 1 else sum(p.rows - p.erased) end
         from upload_parts p where p.company_id = $1 and p.upload_id = $2)`,
      idsOf(upload),
    )
    await client.query(
      `update uploads set state = 'previewed', request_id = null where ${ALL_COUNTED} and state <> 'applying'`,
      idsOf(upload),
    )
  })
}

/** Records that the call of a part was made. The rows of an applied part are deleted, apart from those that are left. */
export async function recordCall(
  pool: Pool,
  upload: UploadRef,
  part: number,
  state: 'applied' | 'refused' | 'canceled',
  chooseLeft: (rows: StoredRow[]) => Promise<StoredRow[]> = async () => [],
): Promise<void> {
  await inTransaction(pool, async (client) => {
    // As an erasure does: first the upload, and then its parts.
    await client.query('select from uploads where company_id = $1 and upload_id = $2 for update', idsOf(upload))
    const left = state === 'applied' ? await chooseLeft(await readRows(client, upload, part)) : []
    await client.query(
      `update upload_parts set state = $4, content = case when $4 = 'refused' then content else $5 end,
         outcome = (select e.data::json -> 'counts' from events e where e.company_id = $1
           and e.stream_id = upload_parts.call_id and e.type = 'ApiCallCompleted')
       where company_id = $1 and upload_id = $2 and part = $3`,
      [...idsOf(upload), part, state, left.length === 0 ? null : writeContent(left.map(writeStoredRow))],
    )
    await client.query(
      `update uploads set state = 'ended' where company_id = $1 and upload_id = $2 and not exists (
         select from upload_parts p where p.company_id = $1 and p.upload_id = $2 and p.state = 'waiting')`,
      idsOf(upload),
    )
  })
}

/** Records that the user may not make the calls that are still to come. */
export async function stopUpload(pool: Pool, upload: UploadRef): Promise<void> {
  await pool.query(
    `update uploads set state = 'stopped', lease_id = null, leased_until = null
     where company_id = $1 and upload_id = $2 and state = 'applying'`,
    idsOf(upload),
  )
}
