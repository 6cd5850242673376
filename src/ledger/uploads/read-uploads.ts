import { sql } from 'kysely'
import { eachInTurns } from '#admission/turns'
import { problem } from '#domain/errors'
import type { CallCounts } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { parseJson } from '#domain/json'
import type { Mapping } from '#spreadsheets/mapping/mapping'
import type { PartCounts, PartState, StoredRow, UploadOperation, UploadState } from '#domain/uploads'
import { onClient } from '#postgres/kysely'
import type { Queryable } from '#postgres/pool'
import type { LedgerTables } from '../tables.ts'

/** A stored file. Times are RFC 3339 UTC. */
export interface StoredUpload {
  companyId: string
  id: string
  /** Who uploaded the file, and makes its calls. */
  userId: string
  fileName: string
  operation: UploadOperation
  /** The line that names the columns; null for JSON. */
  header: string[] | null
  /** What its columns mean; null for JSON. */
  mapping: Mapping | null
  /** The ids of the failed calls whose records the file corrects. */
  corrects: string[]
  /** The number of rows, and of the parts into which they are split. */
  rows: number
  parts: number
  state: UploadState
  /** Whether a row that cannot be applied keeps its part from being applied, once the file is applied. */
  isAllOrNone: boolean
  /** The request that applies the file; null before. */
  requestId: string | null
  address: string | null
  userAgent: string | null
  createdAt: string
  expiresAt: string
  /** The upload that it takes back; null if it is a file. */
  undoes: string | null
}

/** A part of a stored file, without its rows. */
export interface StoredPart {
  /** From 1. */
  number: number
  /** The number of parts that have rows of the file. */
  of: number
  /** The id that its call has or will have. */
  callId: string
  firstRow: number
  rows: number
  /** How many of the rows were erased. */
  erased: number
  /** What a preview has counted; null before. */
  counts: PartCounts | null
  /**
   * If its rows are people who are not in the file, whom it deactivates, the number of people who were active when they
   * were listed; null if it has rows of the file.
   */
  missingOf: number | null
  /** The call that it takes back; null if it has rows. */
  undoes: string | null
  /** What the ledger says. */
  state: PartState
  /** What its call did; null if it was not made, or applied nothing. */
  outcome: CallCounts | null
  /** Whether its call was made, and has an entry. */
  isCalled: boolean
  /** Whether it is recorded that the call was made or is not to be made; a process may have died before that. */
  isSettled: boolean
}

/** Nobody can read more uploads than a company can have. */
const MAX_LISTED = 100

export const NO_SUCH_UPLOAD = problem('upload_not_found', 'No such upload exists. Uploads are deleted after a day')

/** Finds a stored file of a company; null if it does not exist, or its day is over. */
export async function findUpload(db: Queryable, companyId: string, uploadId: string): Promise<StoredUpload | null> {
  const row = await selectUploads(db, companyId).where('upload_id', '=', toUuid(uploadId)).executeTakeFirst()
  return row ? toUpload(row) : null
}

/** Lists the stored files of a company, newest first. */
export async function listUploads(db: Queryable, companyId: string): Promise<StoredUpload[]> {
  const newest = selectUploads(db, companyId).orderBy('created_at', 'desc').orderBy('upload_id').limit(MAX_LISTED)
  return (await newest.execute()).map(toUpload)
}

function selectUploads(db: Queryable, companyId: string) {
  return onClient<LedgerTables>(db)
    .selectFrom('uploads')
    .select(['company_id as companyId', 'upload_id as id', 'user_id as userId', 'file_name as fileName', 'operation'])
    .select(['header', 'mapping', 'corrects', 'rows', 'parts', 'state', 'all_or_none as isAllOrNone'])
    .select(['request_id as requestId', 'address', 'user_agent as userAgent', 'undoes'])
    .select(['created_at as createdAt', 'expires_at as expiresAt'])
    .where('company_id', '=', toUuid(companyId))
    .where('expires_at', '>', sql<string>`statement_timestamp()`)
}

function toUpload<Row extends Pick<StoredUpload, 'companyId' | 'id' | 'userId' | 'undoes'>>(row: Row): Row {
  const { companyId, id, userId, undoes } = row
  const ids = { companyId: fromUuid('com', companyId), id: fromUuid('upl', id), userId: fromUuid('usr', userId) }
  return { ...row, ...ids, undoes: undoes && fromUuid('upl', undoes) }
}

/** The parts that have rows of the file, rather than people who are not in it. */
export function partsOfFile(parts: readonly StoredPart[]): StoredPart[] {
  return parts.filter(({ missingOf }) => missingOf === null)
}

/**
 * Reads the parts of a stored file, in order, without their rows. Whether the call of a part was made is what the ledger
 * says.
 */
export async function readParts(
  db: Queryable,
  { companyId, id }: Pick<StoredUpload, 'companyId' | 'id'>,
): Promise<StoredPart[]> {
  const { rows } = await db.query<StoredPart>(
    `select p.part as number, p.call_id as "callId", p.state <> 'waiting' as "isSettled", p.first_row as "firstRow",
       p.rows, p.erased, p.undoes, p.counts, p.missing_of as "missingOf",
       coalesce(p.outcome, case e.type when 'ApiCallCompleted' then e.data::json -> 'counts' end) as outcome,
       e.type is not null as "isCalled", (count(*) filter (where p.missing_of is null) over ())::integer as of,
       case e.type when 'ApiCallCompleted' then 'applied' when 'ApiCallFailed' then 'refused' else p.state end as state
     from upload_parts p left join events e on e.company_id = p.company_id and e.stream_id = p.call_id
       and e.type in ('ApiCallCompleted', 'ApiCallFailed')
     where p.company_id = $1 and p.upload_id = $2 order by p.part`,
    [toUuid(companyId), toUuid(id)],
  )
  return rows.map((part) => ({
    ...part,
    callId: fromUuid('log', part.callId),
    undoes: part.undoes && fromUuid('log', part.undoes),
  }))
}

/** Finds the stored file whose part a call is, and whether the rows of the part are still stored; null if it is gone. */
export async function findUploadOfCall(
  db: Queryable,
  companyId: string,
  callId: string,
): Promise<{ id: string; hasRows: boolean } | null> {
  const { rows } = await db.query<{ id: string; hasRows: boolean }>(
    `select u.upload_id as id, p.content is not null as "hasRows" from uploads u join upload_parts p on p.company_id = u.company_id and p.upload_id = u.upload_id
     where u.company_id = $1 and p.call_id = $2 and u.expires_at > statement_timestamp()`,
    [toUuid(companyId), toUuid(callId)],
  )
  return rows[0] ? { ...rows[0], id: fromUuid('upl', rows[0].id) } : null
}

/** Reads which rows of earlier parts would not be applied, as their previews say, by their numbers. */
export async function readLeftOut(
  db: Queryable,
  { companyId, id }: Pick<StoredUpload, 'companyId' | 'id'>,
  part: number,
): Promise<Set<number>> {
  const { rows } = await db.query<Pick<LedgerTables['upload_parts'], 'left_out'>>(
    'select left_out from upload_parts where company_id = $1 and upload_id = $2 and part < $3',
    [toUuid(companyId), toUuid(id), part],
  )
  return new Set(rows.flatMap(({ left_out: numbers }) => numbers ?? []))
}

/** Reads the rows of a part, in pieces. Of a part that was applied, those are left that its call did not apply. */
export async function readRows(
  db: Queryable,
  { companyId, id }: Pick<StoredUpload, 'companyId' | 'id'>,
  part: number,
): Promise<StoredRow[]> {
  const { rows } = await db.query<{ content: string | null }>(
    'select content from upload_parts where company_id = $1 and upload_id = $2 and part = $3',
    [toUuid(companyId), toUuid(id), part],
  )
  const read: StoredRow[] = []
  await eachInTurns(readContent(rows[0]?.content ?? ''), (row) => read.push(row))
  return read
}

/** What the content of a part has around and between its rows: it is a JSON array with a row on each line. */
export const CONTENT = { start: '[', between: ',\n', end: ']' } as const

/** Writes rows, each as JSON, as the content of a part. */
export function writeContent(rows: readonly string[]): string {
  return `${CONTENT.start}${rows.join(CONTENT.between)}${CONTENT.end}`
}

/** Writes a row of a part as JSON. */
export function writeStoredRow(row: StoredRow): string {
  return JSON.stringify(row)
}

/** Reads the rows in the content of a part, one by one. */
export function* readContent(content: string): Generator<StoredRow, void> {
  for (const line of listLines(content)) yield readStoredRow(line)
}

/** Lists the lines in the content of a part, each of which is a row. */
export function* listLines(content: string): Generator<string, void> {
  for (let at = 0, end = 0; at < content.length; at = end + 1) {
    end = content.indexOf('\n', at)
    if (end === -1) end = content.length
    // Without the bracket or comma at the end of the line.
    const line = content.slice(at === 0 ? 1 : at, end - 1)
    if (line !== '') yield line
  }
}

/** Reads a row of a part, as `writeStoredRow` writes it. */
export function readStoredRow(line: string): StoredRow {
  return parseJson(line) as StoredRow
}

/** The date on which a file was uploaded, as YYYY-MM-DD. */
export function dateOf({ createdAt }: Pick<StoredUpload, 'createdAt'>): string {
  return createdAt.slice(0, 'YYYY-MM-DD'.length)
}
