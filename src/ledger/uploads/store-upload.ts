import type { Pool, PoolClient } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import type { StoredRow, UploadOperation } from '../../domain/uploads.ts'
import { inTransactionOf } from '../../postgres/cluster/company-transaction.ts'
import { writeContent } from './read-uploads.ts'

/** A file to store. */
interface NewUpload {
  companyId: string
  id: string
  userId: string
  fileName: string
  operation: UploadOperation
  /** The line that names the columns; null for JSON. */
  header: readonly string[] | null
  /** The ids of the failed calls whose records the file corrects. */
  corrects: readonly string[]
  /** Bytes of the file. */
  bytes: number
  /** The parts in order, and the id that the call of each will have. */
  parts: { callId: string; rows: StoredRow[] }[]
}

/** How many of a user's newest previews are kept when the user uploads another file. */
const KEPT_PREVIEWS = 4
/** The uploads that a company may have stored at once, and the bytes of their files. */
export const MAX_UPLOADS = 20
export const MAX_UPLOADED_BYTES = 256 * 1024 * 1024
/** How long a file is stored after it was uploaded, and again after it begins to be applied. */
export const STORED_FOR = "interval '1 day'"

/** Stores a file, all of it or nothing. Returns false if the company has as many as it may have. */
export async function storeUpload(pool: Pool, upload: NewUpload): Promise<boolean> {
  return inTransactionOf(pool, upload.companyId, async (client) => {
    await deleteOldPreviews(client, upload)
    if (!(await insertUpload(client, upload))) return false
    for (const [at, { callId, rows }] of upload.parts.entries()) {
      await client.query(
        `insert into upload_parts (company_id, upload_id, user_id, part, call_id, first_row, rows, content)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          toUuid(upload.companyId),
          toUuid(upload.id),
          toUuid(upload.userId),
          at + 1,
          toUuid(callId),
          rows[0]!.row,
          rows.length,
          writeContent(rows),
        ],
      )
    }
    return true
  })
}

/** Whoever corrects a file uploads it again and again. */
async function deleteOldPreviews(client: PoolClient, { companyId, userId }: NewUpload): Promise<void> {
  const { rows } = await client.query<{ upload_id: string }>(
    `delete from uploads u where u.company_id = $1 and u.upload_id in (
       select o.upload_id from uploads o
       where o.company_id = $1 and o.user_id = $2 and o.state in ('previewing', 'previewed')
       order by o.created_at desc, o.upload_id desc offset ${KEPT_PREVIEWS})
     returning u.upload_id`,
    [toUuid(companyId), toUuid(userId)],
  )
  await client.query('delete from upload_parts where company_id = $1 and upload_id = any($2::uuid[])', [
    toUuid(companyId),
    rows.map(({ upload_id: id }) => id),
  ])
}

/** The preview of a single part is made when its page is opened. */
async function insertUpload(client: PoolClient, upload: NewUpload): Promise<boolean> {
  const { header, corrects, bytes, parts } = upload
  const { rowCount } = await client.query(
    `insert into uploads (company_id, upload_id, user_id, file_name, operation, header, uses, corrects, rows, parts, bytes,
       state, created_at, expires_at)
     select $1::uuid, $2::uuid, $3::uuid, $4, $5, $6::json, '[]', $7::json, $8::integer, $9::integer, $10::bigint, $11,
       statement_timestamp(), statement_timestamp() + ${STORED_FOR}
     from (select count(*) as uploads, coalesce(sum(u.bytes), 0) as bytes from uploads u
       where u.company_id = $1 and u.state <> 'ended' and u.expires_at > statement_timestamp()) as stored
     where stored.uploads < ${MAX_UPLOADS} and stored.bytes + $10::bigint <= ${MAX_UPLOADED_BYTES}`,
    [
      toUuid(upload.companyId),
      toUuid(upload.id),
      toUuid(upload.userId),
      upload.fileName,
      upload.operation,
      header === null ? null : JSON.stringify(header),
      JSON.stringify(corrects),
      parts.reduce((sum, { rows }) => sum + rows.length, 0),
      parts.length,
      bytes,
      parts.length === 1 ? 'previewed' : 'previewing',
    ],
  )
  return rowCount === 1
}
