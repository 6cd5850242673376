import type { Pool } from 'pg'
import type { Client } from '../../domain/client.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { ColumnUse } from '../../../clients/typescript/spreadsheets/read-records.ts'
import type { PartCounts } from '../../domain/uploads.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { clearFailingWork } from '../background/failing-work.ts'
import type { LedgerTables } from '../tables.ts'
import { toUpload, type StoredUpload } from './read-uploads.ts'
import { STORED_FOR } from './store-upload.ts'

type UploadRef = Pick<StoredUpload, 'companyId' | 'id'>

const idsOf = ({ companyId, id }: UploadRef) => [toUuid(companyId), toUuid(id)]

/**
 * Begins to apply a file whose preview is complete, or resumes one that has stopped. Only the user who uploaded it can.
 * Returns false if there was nothing to do, so that of two clicks only one starts it.
 */
export async function beginApplying(
  pool: Pool,
  upload: UploadRef,
  { userId, requestId, client }: { userId: string; requestId: string; client: Client | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update uploads set state = 'applying', request_id = $4, address = $5, user_agent = $6,
       expires_at = statement_timestamp() + ${STORED_FOR}, lease_id = null, leased_until = null
     where company_id = $1 and upload_id = $2 and user_id = $3 and state in ('previewed', 'stopped')
       and expires_at > statement_timestamp()`,
    [...idsOf(upload), toUuid(userId), requestId, client?.address ?? '', client?.userAgent ?? null],
  )
  return rowCount === 1
}

/**
 * Sets what to do with columns that are not attributes, before the file is applied. Discards the counts of the preview.
 */
export async function changeUses(pool: Pool, upload: UploadRef, uses: ReadonlyMap<string, ColumnUse>): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `update uploads set uses = $3, state = case when parts = 1 then 'previewed' else 'previewing' end, lease_id = null,
         leased_until = null
       where company_id = $1 and upload_id = $2 and state in ('previewing', 'previewed')`,
      [...idsOf(upload), JSON.stringify([...uses])],
    )
    if (rowCount === 1)
      await client.query(
        'update upload_parts set counts = null where company_id = $1 and upload_id = $2 and counts is not null',
        idsOf(upload),
      )
  })
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
      await client.query('delete from upload_parts where company_id = $1 and upload_id = $2', ids)
      await client.query('delete from upload_originals where company_id = $1 and upload_id = $2', ids)
      return true
    }
    await client.query(
      `update uploads set state = 'ended', lease_id = null, leased_until = null where company_id = $1 and upload_id = $2`,
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
  const { rows } = await pool.query<LedgerTables['uploads']>(
    `update uploads u set lease_id = $2, leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'
     where u.company_id = $1 and ${IS_DUE} and u.upload_id = (
       select d.upload_id from uploads d where d.company_id = $1 and ${IS_DUE.replaceAll('u.', 'd.')}
       order by d.created_at, d.upload_id limit 1)
     returning u.*`,
    [toUuid(companyId), leaseId],
  )
  return rows[0] ? toUpload(rows[0]) : null
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

/** Records what a preview has counted for a part, and whether all parts have been counted. */
export async function recordCounts(
  pool: Pool,
  upload: Pick<StoredUpload, 'companyId' | 'id' | 'uses'>,
  part: number,
  counts: PartCounts,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Under the lock of the upload, so that counts that were made with other columns are not kept.
    const { rowCount } = await client.query(
      `select from uploads where company_id = $1 and upload_id = $2 and uses::text = $3
         and state in ('previewing', 'previewed') for update`,
      [...idsOf(upload), JSON.stringify([...upload.uses])],
    )
    if (rowCount !== 1) return
    await client.query('update upload_parts set counts = $4 where company_id = $1 and upload_id = $2 and part = $3', [
      ...idsOf(upload),
      part,
      JSON.stringify(counts),
    ])
    await client.query(
      `update uploads set state = 'previewed' where company_id = $1 and upload_id = $2 and not exists (
         select from upload_parts p where p.company_id = $1 and p.upload_id = $2 and p.counts is null)`,
      idsOf(upload),
    )
  })
}

/** Records that the call of a part was made. The rows of an applied part are deleted. */
export async function recordCall(
  pool: Pool,
  upload: UploadRef,
  part: number,
  state: 'applied' | 'refused' | 'canceled',
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(
      `update upload_parts set state = $4, content = case when $4 = 'refused' then content end
       where company_id = $1 and upload_id = $2 and part = $3`,
      [...idsOf(upload), part, state],
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
