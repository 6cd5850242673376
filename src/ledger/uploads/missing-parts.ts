import type { Pool, PoolClient } from 'pg'
import { toUuid } from '#domain/ids'
import type { PartCounts } from '#domain/uploads'
import { inTransaction } from '#postgres/pipeline'
import { idsOf, lockPlan, type UploadRef } from './change-upload.ts'
import type { FilledPart } from './store-upload.ts'

/** A part whose rows are people who are not in the file. */
export type MissingPart = FilledPart & { callId: string; counts: PartCounts }

/**
 * Sets the last parts of a file, which deactivate the people who are not in it, before it is applied; none if there are
 * none. `active` is the number of active people. Returns false if the file, or what it would do, has changed since `state`
 * was read.
 */
export async function setMissingParts(
  pool: Pool,
  upload: UploadRef,
  { parts, active, state }: { parts: readonly MissingPart[]; active: number; state: string },
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    if (!(await removeParts(client, upload, state))) return false
    const ids = idsOf(upload)
    // One by one, because a part takes many bytes.
    for (const [at, part] of parts.entries())
      await client.query(
        `insert into upload_parts (company_id, upload_id, user_id, part, call_id, first_row, rows, content, counts,
           missing_of)
         select company_id, upload_id, user_id, parts + $3, $4, $5, $6, $7, $8, $9 from uploads
         where company_id = $1 and upload_id = $2`,
        [
          ...[...ids, at + 1, toUuid(part.callId), part.firstRow, part.rows, part.content],
          ...[JSON.stringify(part.counts), active],
        ],
      )
    // Nobody is deactivated without somebody's word, also if the file was to be applied without asking.
    await client.query(
      'update uploads set parts = parts + $3, request_id = null where company_id = $1 and upload_id = $2',
      [...ids, parts.length],
    )
    return true
  })
}

/** Keeps those active who are not in a file. Returns false if it is being applied already. */
export async function removeMissingParts(pool: Pool, upload: UploadRef): Promise<boolean> {
  return inTransaction(pool, (client) => removeParts(client, upload, null))
}

/** Returns whether the file is still to be applied, and in this state if one is given. */
async function removeParts(client: PoolClient, upload: UploadRef, state: string | null): Promise<boolean> {
  const ids = idsOf(upload)
  if (!(await lockPlan(client, ids, ['previewed'], state))) return false
  await client.query(
    `with gone as (delete from upload_parts where company_id = $1 and upload_id = $2 and missing_of is not null
       returning part)
     update uploads set parts = parts - (select count(*)::integer from gone)
     where company_id = $1 and upload_id = $2`,
    ids,
  )
  return true
}
