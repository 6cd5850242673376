import { sql } from 'kysely'
import type { Pool } from 'pg'
import { fromUuid, toUuid } from '#domain/ids'
import { onClient } from '#postgres/kysely'
import type { Queryable } from '#postgres/pool'
import type { LedgerTables } from '../tables.ts'
import type { OriginalRow } from '../upload-rows.ts'
import { MAX_UPLOADED_BYTES, MAX_UPLOADS, STORED_FROM_NOW } from './store-upload.ts'

/** An uploaded file as it was sent, and how it was read. */
export interface Original extends Pick<OriginalRow, 'operation' | 'answers' | 'question' | 'notes' | 'bytes'> {
  companyId: string
  /** Of its upload. */
  id: string
  userId: string
  fileName: string
  /** The failed call that it is to correct; empty if none. */
  logId: string
  /** Whether its content is still stored. */
  hasContent: boolean
}

type OriginalRef = Pick<Original, 'companyId' | 'id'>

const idsOf = ({ companyId, id }: OriginalRef) => [toUuid(companyId), toUuid(id)]

/**
 * Stores how a file was read, and its content if it may be read again. Of the contents of a company, the newest ones stay,
 * as many as it may have uploads.
 */
export async function storeOriginal(
  db: Queryable,
  original: Omit<Original, 'hasContent'>,
  content: Buffer | null,
): Promise<void> {
  const { companyId, id, userId, fileName, operation, logId, answers, question, notes, bytes } = original
  await onClient<LedgerTables>(db)
    .insertInto('upload_originals')
    .values({
      company_id: toUuid(companyId),
      upload_id: toUuid(id),
      user_id: toUuid(userId),
      file_name: fileName,
      operation,
      log_id: logId,
      answers,
      question,
      notes,
      bytes,
      content,
      created_at: sql`statement_timestamp()`,
      expires_at: STORED_FROM_NOW,
    })
    .onConflict((known) => known.columns(['company_id', 'upload_id']).doUpdateSet({ answers, question }))
    .execute()
  if (!content) return
  await db.query(
    `update upload_originals o set content = null from (
       select upload_id, count(*) over newest as files, sum(bytes) over newest as bytes from upload_originals
       where company_id = $1 and content is not null window newest as (order by created_at desc, upload_id)
     ) as kept
     where o.company_id = $1 and o.upload_id = kept.upload_id and (kept.files > $2 or kept.bytes > $3)`,
    [toUuid(companyId), MAX_UPLOADS, MAX_UPLOADED_BYTES],
  )
}

/** Finds how a file was read; null if that is not stored. */
export async function findOriginal(db: Queryable, { companyId, id }: OriginalRef): Promise<Original | null> {
  const row = await onClient<LedgerTables>(db)
    .selectFrom('upload_originals')
    .select(['user_id as userId', 'file_name as fileName', 'operation', 'log_id as logId'])
    .select(['answers', 'question', 'notes', 'bytes', sql<boolean>`content is not null`.as('hasContent')])
    .where('company_id', '=', toUuid(companyId))
    .where('upload_id', '=', toUuid(id))
    .where('expires_at', '>', sql<string>`statement_timestamp()`)
    .executeTakeFirst()
  return row ? { ...row, companyId, id, userId: fromUuid('usr', row.userId) } : null
}

/** The bytes that one statement returns. */
const PIECE = 1_048_576

/** Reads the content of a file, piece by piece; nothing if it is not stored any more. */
export async function readOriginal(
  db: Queryable,
  { companyId, id, bytes }: Pick<Original, 'companyId' | 'id' | 'bytes'>,
): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes; at += PIECE) {
    const { rows } = await db.query<{ piece: Buffer | null }>(
      `select substring(content from $3 for ${PIECE}) as piece from upload_originals
       where company_id = $1 and upload_id = $2`,
      [...idsOf({ companyId, id }), at + 1],
    )
    const piece = rows[0]?.piece
    if (!piece) return []
    pieces.push(piece)
  }
  return pieces
}

/** Deletes the content of a file that is applied, or all that is stored about one that is read in another way. */
export async function forgetOriginal(pool: Pool, original: OriginalRef, what: 'content' | 'all'): Promise<void> {
  await pool.query(
    what === 'all'
      ? 'delete from upload_originals where company_id = $1 and upload_id = $2'
      : 'update upload_originals set content = null where company_id = $1 and upload_id = $2 and content is not null',
    idsOf(original),
  )
}
