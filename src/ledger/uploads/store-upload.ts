import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Client } from '#domain/call-sources'
import { toUuid, fromUuid } from '#domain/ids'
import { onClient } from '#postgres/kysely'
import { inTransaction } from '#postgres/pipeline'
import type { LedgerTables } from '#ledger/tables'
import type { StoredUpload } from './read-uploads.ts'
import type { Queryable } from '#postgres/pool'
import type { OriginalRow } from '#ledger/upload-rows'
import { deletePieces, openDecipher, PIECE, type ReceivedFile, STORED_FOR } from './received-file.ts'

/** A part of a file to store. */
export interface FilledPart {
  /** From 1, in the order in which the rows are applied. */
  firstRow: number
  /** The number of its rows. */
  rows: number
  /** The rows as `writeContent` writes them, in UTF-8. */
  content: Buffer
}

/** A part of a file to store, and the id that its call will have. */
export type NewPart = FilledPart & { callId: string; undoes?: string }

/** A file to store. */
interface NewUpload extends Pick<StoredUpload, 'companyId' | 'id' | 'userId' | 'fileName' | 'operation' | 'mapping'> {
  /** The line that names the columns; null for JSON. */
  header: readonly string[] | null
  /** The ids of the failed calls whose records the file corrects. */
  corrects: readonly string[]
  /** Bytes of the file. */
  bytes: number
  /** The request that applies it once its preview is complete, if all of its rows can be read; null if somebody decides. */
  applying: { requestId: string; client: Client | null } | null
  /** Whether a row that cannot be applied keeps its part from being applied then. */
  isAllOrNone: boolean
  /** The upload that it takes back; absent if it is a file. Nobody previews it: it is applied at once. */
  undoes?: string
  /** In order. Each is taken once the one before is stored. */
  parts: AsyncIterable<NewPart> | Iterable<NewPart>
}

/** The uploads that a company may have stored at once, and the bytes of their files. */
export const MAX_UPLOADS = 20
export const MAX_UPLOADED_BYTES = 256 * 1024 * 1024
const STORED_FROM_NOW = sql<string>`statement_timestamp() + ${sql.raw(STORED_FOR)}`

/** The class of the advisory locks under which uploads of a company are counted. */
const COUNTING = 8_147_021

/** A file for which there must be room. */
interface CountedFile extends Pick<NewUpload, 'companyId' | 'bytes'> {
  /** The upload, or the question, that it replaces; null if it replaces none. */
  replaces: string | null
}

/**
 * Stores a file, and what `alongside` stores about it, all of it or nothing. Returns the number of its parts; null if the
 * company has as many files as it may have. Throws what making the parts throws.
 */
export async function storeUpload(
  pool: Pool,
  upload: NewUpload & CountedFile,
  alongside: (client: PoolClient) => Promise<void>,
): Promise<number | null> {
  return inTransaction(pool, async (client) => {
    if (!(await isRoomFor(client, upload))) return null
    const [company, id, user] = [toUuid(upload.companyId), toUuid(upload.id), toUuid(upload.userId)]
    const stored = await insertParts(client, [company, id, user], upload.parts)
    const isStored = await ifRoom(client, upload, async () => {
      await insertUpload(client, upload, stored)
      await alongside(client)
    })
    if (isStored) return stored.parts
    await client.query('delete from upload_parts where company_id = $1 and upload_id = $2', [company, id])
    return null
  })
}

/** Lets one transaction of a company at a time count its uploads. */
export async function lockCounting(client: PoolClient, companyId: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [COUNTING, toUuid(companyId)])
}

/**
 * Stores something about a file that counts as an upload. Returns false if the company has as many as it may have. Others
 * of the company wait until the transaction ends.
 */
export async function ifRoom(
  client: PoolClient,
  file: CountedFile,
  store: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  await lockCounting(client, file.companyId)
  if (!(await isRoomFor(client, file))) return false
  await store(client)
  return true
}

/** Inserts the parts of a file, one by one: a part takes megabytes. Returns how many, and how many rows they have. */
export async function insertParts(
  client: PoolClient,
  [company, id, user]: readonly [company: string, id: string, user: string],
  parts: NewUpload['parts'],
): Promise<{ parts: number; rows: number }> {
  const stored = { parts: 0, rows: 0 }
  for await (const { callId, firstRow, rows, content, undoes } of parts) {
    stored.parts += 1
    stored.rows += rows
    await client.query(
      `insert into upload_parts (company_id, upload_id, user_id, part, call_id, first_row, rows, content, undoes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [company, id, user, stored.parts, toUuid(callId), firstRow, rows, content, undoes ? toUuid(undoes) : null],
    )
  }
  return stored
}

/**
 * Whether the company may store another file. An upload that has ended does not count any more, and a question about how to
 * read a file counts as an upload.
 */
async function isRoomFor(client: PoolClient, { companyId, bytes, replaces }: CountedFile): Promise<boolean> {
  const { rows } = await client.query<{ files: number; bytes: number }>(
    `select count(*)::integer as files, coalesce(sum(bytes), 0)::bigint as bytes from (
       select upload_id, bytes from uploads
         where company_id = $1 and state <> 'ended' and expires_at > statement_timestamp()
       union all
       select upload_id, bytes from upload_originals
         where company_id = $1 and question is not null and expires_at > statement_timestamp()
     ) as stored where upload_id is distinct from $2::uuid`,
    [toUuid(companyId), replaces && toUuid(replaces)],
  )
  const stored = rows[0]!
  return stored.files < MAX_UPLOADS && stored.bytes + bytes <= MAX_UPLOADED_BYTES
}

/** The preview of a single part is made when its page is opened. */
async function insertUpload(
  client: PoolClient,
  upload: NewUpload,
  { parts, rows }: { parts: number; rows: number },
): Promise<void> {
  const { header, mapping, corrects, applying } = upload
  await onClient<LedgerTables>(client)
    .insertInto('uploads')
    .values({
      company_id: toUuid(upload.companyId),
      upload_id: toUuid(upload.id),
      user_id: toUuid(upload.userId),
      file_name: upload.fileName,
      operation: upload.operation,
      header: header && writeJson(header),
      mapping,
      corrects: writeJson(corrects),
      rows,
      parts,
      bytes: upload.bytes,
      state: upload.undoes ? 'applying' : parts === 1 ? 'previewed' : 'previewing',
      undoes: upload.undoes ? toUuid(upload.undoes) : null,
      request_id: applying?.requestId ?? null,
      address: applying?.client?.address ?? null,
      user_agent: applying?.client?.userAgent ?? null,
      all_or_none: upload.isAllOrNone,
      created_at: sql`statement_timestamp()`,
      expires_at: STORED_FROM_NOW,
      lease_id: null,
      leased_until: null,
    })
    .execute()
}

/** A list as JSON: node-postgres would send it as an array. */
const writeJson = (list: readonly string[]) => sql<string[]>`${JSON.stringify(list)}`

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
 * Stores how a file was read, and the file itself if it may be read again. Of the files of a company, the newest ones
 * stay, as many as it may have uploads.
 */
export async function storeOriginal(
  db: Queryable,
  original: Omit<Original, 'hasContent'>,
  file: ReceivedFile | null,
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
      content: null,
      key: file && (await file.keep(db)),
      created_at: sql`statement_timestamp()`,
      expires_at: STORED_FROM_NOW,
    })
    .execute()
  if (!file) return
  const { rows } = await db.query<{ id: string }>(
    `select upload_id as id from (
       select upload_id, count(*) over newest as files, sum(bytes) over newest as bytes from upload_originals
       where company_id = $1 and ${HAS_CONTENT} window newest as (order by created_at desc, upload_id)
     ) as kept where files > $2 or bytes > $3`,
    [toUuid(companyId), MAX_UPLOADS, MAX_UPLOADED_BYTES],
  )
  if (rows.length > 0)
    await forgetContents(
      db,
      companyId,
      rows.map((row) => row.id),
    )
}

const HAS_CONTENT = '(content is not null or key is not null)'

/** Finds how a file was read; null if that is not stored. */
export async function findOriginal(db: Queryable, { companyId, id }: OriginalRef): Promise<Original | null> {
  const row = await onClient<LedgerTables>(db)
    .selectFrom('upload_originals')
    .select(['user_id as userId', 'file_name as fileName', 'operation', 'log_id as logId'])
    .select(['answers', 'question', 'notes', 'bytes', sql<boolean>`${sql.raw(HAS_CONTENT)}`.as('hasContent')])
    .where('company_id', '=', toUuid(companyId))
    .where('upload_id', '=', toUuid(id))
    .where('expires_at', '>', sql<string>`statement_timestamp()`)
    .executeTakeFirst()
  return row ? { ...row, companyId, id, userId: fromUuid('usr', row.userId) } : null
}

/** Reads the content of a file, piece by piece; less of it if it is not stored any more. */
export async function* readOriginal(
  db: Queryable,
  { companyId, id, bytes }: Pick<Original, 'companyId' | 'id' | 'bytes'>,
): AsyncGenerator<Buffer, void> {
  let decipher: ReturnType<typeof openDecipher> | null = null
  for (let piece = 0; piece * PIECE < bytes; piece += 1) {
    const { rows } = await db.query<{ key: Buffer | null; content: Buffer | null }>(
      `select o.key, coalesce(p.content, substring(o.content from $4 for ${PIECE})) as content from upload_originals o
       left join upload_pieces p on p.company_id = o.company_id and p.upload_id = o.upload_id and p.piece = $3
       where o.company_id = $1 and o.upload_id = $2`,
      [...idsOf({ companyId, id }), piece, piece * PIECE + 1],
    )
    const { key = null, content = null } = rows[0] ?? {}
    if (content === null) return
    decipher ??= key && openDecipher(key)
    yield decipher ? decipher.update(content) : content
  }
}

/** Deletes the content of a file that is applied, or all that is stored about one that is read in another way. */
export async function forgetOriginal(db: Queryable, original: OriginalRef, what: 'content' | 'all'): Promise<void> {
  const ids = idsOf(original)
  if (what === 'all') await db.query('delete from upload_originals where company_id = $1 and upload_id = $2', ids)
  await forgetContents(db, original.companyId, [ids[1]!])
}

/** `uploadIds` are UUIDs. */
async function forgetContents(db: Queryable, companyId: string, uploadIds: readonly string[]): Promise<void> {
  await db.query(
    `update upload_originals set content = null, key = null
     where company_id = $1 and upload_id = any($2) and ${HAS_CONTENT}`,
    [toUuid(companyId), uploadIds],
  )
  await deletePieces(db, companyId, uploadIds)
}
