import type { Pool } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { OriginalRow } from '../upload-rows.ts'
import { MAX_UPLOADED_BYTES, MAX_UPLOADS, STORED_FOR } from './store-upload.ts'

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
  db: Pick<Pool, 'query'>,
  original: Omit<Original, 'hasContent'>,
  content: Buffer | null,
): Promise<void> {
  const { userId, fileName, operation, logId, answers, question, notes, bytes } = original
  await db.query(
    `insert into upload_originals (company_id, upload_id, user_id, file_name, operation, log_id, answers, question, notes,
       bytes, content, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, statement_timestamp(),
       statement_timestamp() + ${STORED_FOR})
     on conflict (company_id, upload_id) do update set answers = excluded.answers, question = excluded.question`,
    [
      ...idsOf(original),
      toUuid(userId),
      fileName,
      operation,
      logId,
      JSON.stringify(answers),
      question && JSON.stringify(question),
      notes && JSON.stringify(notes),
      bytes,
      content,
    ],
  )
  if (!content) return
  await db.query(
    `update upload_originals o set content = null from (
       select upload_id, count(*) over newest as files, sum(bytes) over newest as bytes from upload_originals
       where company_id = $1 and content is not null window newest as (order by created_at desc, upload_id)
     ) as kept
     where o.company_id = $1 and o.upload_id = kept.upload_id and (kept.files > $2 or kept.bytes > $3)`,
    [toUuid(original.companyId), MAX_UPLOADS, MAX_UPLOADED_BYTES],
  )
}

type FoundOriginal = Omit<OriginalRow, 'company_id' | 'upload_id' | 'content' | 'created_at' | 'expires_at'> & {
  has_content: boolean
}

/** Finds how a file was read; null if that is not stored. */
export async function findOriginal(db: Pick<Pool, 'query'>, { companyId, id }: OriginalRef): Promise<Original | null> {
  const { rows } = await db.query<FoundOriginal>(
    `select user_id, file_name, operation, log_id, answers, question, notes, bytes, content is not null as has_content
     from upload_originals where company_id = $1 and upload_id = $2 and expires_at > statement_timestamp()`,
    idsOf({ companyId, id }),
  )
  const [row] = rows
  if (!row) return null
  const { user_id: user, file_name: fileName, log_id: logId, has_content: hasContent, ...same } = row
  return { ...same, companyId, id, userId: fromUuid('usr', user), fileName, logId, hasContent }
}

/** The bytes that one statement returns. */
const PIECE = 1_048_576

/** Reads the content of a file, piece by piece; nothing if it is not stored any more. */
export async function readOriginal(
  db: Pick<Pool, 'query'>,
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
