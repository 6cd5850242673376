import { sql } from 'kysely'
import { doInTurns, filterInTurns, inTurns } from '#admission/turns'
import type { ClientBase, Pool } from 'pg'
import { fileNamesPerson, headerNamesPerson, mayNamePerson, mentionsPerson, type PersonNames } from '#domain/erasure'
import { fromUuid, toUuid } from '#domain/ids'
import { isObject } from '#domain/json'
import type { Pieces } from '#domain/pieces'
import { readCells } from '#spreadsheets/rows/read-records'
import { locateColumns, type ColumnMapping, type Mapping } from '#spreadsheets/mapping/mapping'
import type { StoredRow } from '#domain/uploads'
import { changeInPieces, deleteInPieces } from '#postgres/delete-in-pieces'
import { listLines, readStoredRow, writeContent } from './read-uploads.ts'
import type { Queryable } from '#postgres/pool'
import { trimBlanks } from '#text/normalize-text'
import type { LedgerTables } from '../tables.ts'
import { deletePieces } from './received-file.ts'
import { eraseMappings, listTexts } from './remember-mapping.ts'

/** The row of a stored file that mentions a person, or the file itself if its name or its first line does. */
interface FoundRow {
  upload_id: string
  file_name: string
  /** From 1; null for the file itself. */
  row: number | null
  /** What the row says; of the file itself, its first line, if that names the person. */
  content: unknown
}

/** Reads the rows of stored files that mention a person, page by page, and the files whose names or first lines do. */
export async function* readStoredRows(
  db: Queryable,
  companyId: string,
  names: PersonNames,
  signal?: AbortSignal,
): AsyncGenerator<Readonly<Record<keyof FoundRow, unknown>>[]> {
  yield (await findNamingFiles(db, companyId, names)).map(
    ({ upload_id: id, file_name: fileName, header, isHeader }) => ({
      upload_id: fromUuid('upl', id),
      file_name: fileName,
      row: null,
      content: isHeader ? header : null,
    }),
  )
  for (const ref of await listPartsWithRows(db, companyId)) {
    const { fileName, content, ...file } = await readPart(db, companyId, ref)
    const found = await filterInTurns(listLines(content), await mentionedBy(names, file), signal)
    yield found.map(readStoredRow).map(({ row, cells, record }) => ({
      upload_id: fromUuid('upl', ref.uploadId),
      file_name: fileName,
      row,
      content: cells ?? record,
    }))
  }
}

/**
 * Deletes the rows of stored files that mention a person, and the names and first lines of those files that do. Files as
 * they were sent are deleted, whoever they mention: some of them could not be read yet.
 */
export async function eraseStoredRows(client: ClientBase, companyId: string, names: PersonNames): Promise<void> {
  // First, as whoever changes or cancels an upload does. Nobody splits these rows into other parts meanwhile.
  await client.query('select from uploads where company_id = $1 order by upload_id for update', [toUuid(companyId)])
  const { rows: originals } = await client.query<{ id: string }>(
    'delete from upload_originals where company_id = $1 returning upload_id as id',
    [toUuid(companyId)],
  )
  await deletePieces(
    client,
    companyId,
    originals.map(({ id }) => id),
  )
  for (const ref of await listPartsWithRows(client, companyId)) {
    const { content, ...file } = await readPart(client, companyId, ref, 'for update of p')
    const isMentioned = await mentionedBy(names, file)
    const kept: string[] = []
    const erased: StoredRow[] = []
    for await (const line of inTurns(listLines(content)))
      if (await doInTurns(isMentioned(line))) erased.push(readStoredRow(line))
      else kept.push(line)
    if (erased.length === 0) continue
    await client.query(
      `update upload_parts set content = $4, erased = erased + $5 where company_id = $1 and upload_id = $2
        and part = $3`,
      [toUuid(companyId), ref.uploadId, ref.part, writeContent(kept), erased.length],
    )
    await eraseCountedWords(client, companyId, ref.uploadId, erased)
  }
  // The first line says what the rows mean, so it comes last.
  for (const { upload_id: id, isName, isHeader, mapping } of await findNamingFiles(client, companyId, names)) {
    await client.query(
      `update uploads set file_name = case when $3 then 'unnamed' else file_name end,
         header = case when $4 then '[]' else header end, mapping = $5
       where company_id = $1 and upload_id = $2`,
      [toUuid(companyId), id, isName, isHeader, mapping && JSON.stringify(mapping)],
    )
  }
  await eraseMappings(client, companyId, (texts) => doInTurns(headerNamesPerson(texts, names)))
}

/** Takes the words of erased rows out of those that a mapping counts: a name may look like a status. */
async function eraseCountedWords(client: ClientBase, companyId: string, uploadId: string, erased: StoredRow[]) {
  const place = [toUuid(companyId), uploadId]
  const { rows } = await client.query<Pick<LedgerTables['uploads'], 'mapping'>>(
    'select mapping from uploads where company_id = $1 and upload_id = $2',
    place,
  )
  const mapping = rows[0]?.mapping
  if (!mapping?.columns.some(({ seen }) => seen !== undefined)) return
  const texts = erased.flatMap<unknown>(({ cells, record }) => cells ?? (isObject(record) ? Object.values(record) : []))
  const words = new Set(texts.map((text) => (typeof text === 'string' ? trimBlanks(text) : text)))
  const columns = mapping.columns.map(({ seen, ...column }) => {
    if (seen === undefined) return column
    return { ...column, seen: Object.fromEntries(Object.entries(seen).filter(([word]) => !words.has(word))) }
  })
  await client.query('update uploads set mapping = $3 where company_id = $1 and upload_id = $2', [
    ...place,
    JSON.stringify({ ...mapping, columns }),
  ])
}

interface PartRef {
  /** A UUID. */
  uploadId: string
  part: number
}

/** Parts are read one by one, because the rows of one take megabytes. */
async function listPartsWithRows(db: Queryable, companyId: string): Promise<PartRef[]> {
  const { rows } = await db.query<{ upload_id: string; part: number }>(
    `select upload_id, part from upload_parts where company_id = $1 and content is not null order by upload_id, part`,
    [toUuid(companyId)],
  )
  return rows.map(({ upload_id: uploadId, part }) => ({ uploadId, part }))
}

/** Reads a part and what its file tells about it. */
async function readPart(
  db: Queryable,
  companyId: string,
  { uploadId, part }: PartRef,
  locking = '',
): Promise<FileMeaning & { fileName: string; content: string }> {
  type Row = Pick<LedgerTables['uploads'], 'header' | 'mapping' | 'file_name'> & { content: string | null }
  const { rows } = await db.query<Row>(
    `select p.content, u.header, u.mapping, u.file_name from upload_parts p
     join uploads u on u.company_id = p.company_id and u.upload_id = p.upload_id
     where p.company_id = $1 and p.upload_id = $2 and p.part = $3 ${locking}`,
    [toUuid(companyId), uploadId, part],
  )
  const [row] = rows
  const { file_name: fileName = '', mapping = null } = row ?? {}
  return { fileName, content: row?.content ?? '', header: row?.header ?? [], mapping }
}

/** What the columns of a file are called, and mean. */
interface FileMeaning {
  header: readonly string[]
  mapping: Mapping | null
}

interface NamingFile extends Pick<LedgerTables['uploads'], 'upload_id' | 'file_name' | 'header' | 'mapping'> {
  /** Whether the name, and the first line, name the person. The mapping is what stays of it. */
  isName: boolean
  isHeader: boolean
}

/** Finds the stored files whose names or first lines name a person. A company has a limited number of files. */
async function findNamingFiles(db: Queryable, companyId: string, names: PersonNames): Promise<NamingFile[]> {
  const { rows } = await db.query<Pick<LedgerTables['uploads'], 'upload_id' | 'file_name' | 'header' | 'mapping'>>(
    'select upload_id, file_name, header, mapping from uploads where company_id = $1 order by upload_id',
    [toUuid(companyId)],
  )
  const naming: NamingFile[] = []
  for await (const file of inTurns(rows)) {
    const isName = await doInTurns(fileNamesPerson(file.file_name, names))
    const isHeader = await doInTurns(headerNamesPerson(file.header ?? [], names))
    const isMapping = await doInTurns(headerNamesPerson(listTexts(file.mapping), names))
    const mapping = isHeader ? null : isMapping ? withoutTexts(file.mapping!) : file.mapping
    if (isName || isHeader || isMapping) naming.push({ ...file, isName, isHeader, mapping })
  }
  return naming
}

/** Leaves the columns of a mapping that have a text of their own unused, so that the other ones are still read. */
function withoutTexts(mapping: Mapping): Mapping {
  const columns = mapping.columns.map(({ header, name, words, ...column }): ColumnMapping =>
    name === undefined && words === undefined ? { header, ...column } : { header, to: 'nothing' },
  )
  return { ...mapping, columns }
}

/**
 * Tells which rows of a part, each as its line, mention a person. All do if the first line does, which may be no header
 * but another row.
 */
async function mentionedBy(names: PersonNames, { header, mapping }: FileMeaning) {
  const areAll = await doInTurns(headerNamesPerson(header, names))
  const fields = nameColumns(header, mapping)
  return function* (line: string): Pieces<boolean> {
    if (areAll) return true
    if (!(yield* mayNamePerson(line, names))) return false
    const { cells, record, plan } = readStoredRow(line)
    const sent = cells ? [...readCells(fields, cells), plan?.manager] : record
    return yield* mentionsPerson({ locator: null, employee_id: null, record: sent, errors: [] }, names)
  }
}

/** Names each column as its mapping does. One whose meaning is not known yet may have ids. */
function nameColumns(header: readonly string[], mapping: Mapping | null): readonly string[] {
  const fields = [...header]
  if (mapping === null) return fields
  for (const [index, at] of locateColumns(header, mapping.columns).entries()) {
    const { to } = mapping.columns[index]!
    if (at !== -1 && (to === null || to === 'external_id' || to === 'manager')) fields[at] = to ?? 'external_id'
  }
  return fields
}

/** Deletes the stored files whose day is over, by the database's clock. Returns how many rows of tables. */
export async function expireUploads(pool: Pool): Promise<number> {
  const parts = await changeInPieces(
    pool,
    (limit) => sql`delete from upload_parts p using (
        select q.company_id, q.upload_id, q.part from uploads u
        join upload_parts q on q.company_id = u.company_id and q.upload_id = u.upload_id
        where u.expires_at <= statement_timestamp() ${limit}
      ) as old
      where p.company_id = old.company_id and p.upload_id = old.upload_id and p.part = old.part`,
  )
  const key = ['company_id', 'upload_id']
  const isOver = sql`expires_at <= statement_timestamp()`
  const uploads = await deleteInPieces(pool, 'uploads', key, isOver)
  const originals = await deleteInPieces(pool, 'upload_originals', key, isOver)
  const pieces = await deleteInPieces(pool, 'upload_pieces', [...key, 'piece'], isOver)
  return parts + uploads + originals + pieces
}
