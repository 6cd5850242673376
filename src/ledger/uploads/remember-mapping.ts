import { hash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { inTurns } from '#admission/turns'
import { readName } from '#spreadsheets/cells'
import { type FileAnswers, UNANSWERED } from '#spreadsheets/formats/file-question'
import {
  type ColumnMapping,
  exactKey,
  keysOf,
  locateColumns,
  matchEarlier,
  USUAL_CHOICES,
} from '#spreadsheets/mapping/mapping'
import { hasOwnColumns, identifyColumn, isKnownToApi } from '#spreadsheets/mapping/record-columns'
import { toUuid } from '#domain/ids'
import { findOriginal } from './store-upload.ts'
import type { StoredUpload } from './read-uploads.ts'
import type { Queryable } from '#postgres/pool'
import type { LedgerTables } from '../tables.ts'
import type { RememberedMapping } from '../upload-rows.ts'

/*
 * What a company chose for a file is chosen for the next one with the same columns, by their names. A file may have no
 * such line, so that its first row is about a person: nothing of it is remembered. Of the other lines, only words for
 * statuses are; and how the file was to be read.
 */

/** The first lines that are remembered of a company, the last used ones. */
const MAX_REMEMBERED = 100

/** A mapping that a company used before. */
export interface FoundMapping {
  mapping: RememberedMapping
  /** What its columns became that are used, and that the file doesn't have. */
  gone: string[]
  /** The names of the columns that it doesn't have. */
  added: string[]
}

/** The share of the columns of a mapping that a file has, if it is another file of the same kind. */
const SAME_KIND = 0.5

/**
 * Finds the mapping that the company used last for a first line, or for one with most of its columns, by their names.
 * A column that it doesn't have is not used, unless the API names it so; if another one is gone, it is open. Null if
 * there is none, or if a file of the log has only columns that speak for themselves.
 */
export async function findMapping(
  db: Queryable,
  companyId: string,
  header: readonly string[],
): Promise<FoundMapping | null> {
  const { rows } = await db.query<Pick<LedgerTables['upload_mappings'], 'mapping'> & { is_same: boolean }>(
    `select mapping, header_hash = $2 as is_same from upload_mappings where company_id = $1
       and (header_hash = $2 or mapping->>'needs_review' is null)
     order by is_same desc, used_at desc limit ${MAX_REMEMBERED}`,
    [toUuid(companyId), hashOf(header)],
  )
  const [first] = rows
  if (!first) return null
  const names = header.filter((cell) => cell !== '')
  if (first.is_same) {
    const columns = first.mapping.columns.map((column, at) => ({ ...column, header: names[at]! }))
    return { mapping: { ...USUAL_CHOICES, ...first.mapping, columns }, gone: [], added: [] }
  }
  const exact = names.map((name) => hashKey(exactKey(name)))
  const usual = keysOf(names).map(hashKey)
  const shares = rows.map(({ mapping }) => {
    const known = new Set(mapping.columns.map((column) => column.header))
    const keys = exact.map((key, at) => (known.has(key) ? key : usual[at]!))
    const same = mapping.columns.filter((column) => keys.includes(column.header)).length
    return { mapping, known, keys, share: same / Math.max(mapping.columns.length, 1) }
  })
  const best = shares.reduce((one, other) => (other.share > one.share ? other : one))
  const isPlain =
    hasOwnColumns(header) && names.every((name, at) => isKnownToApi(name) || !best.known.has(best.keys[at]!))
  return best.share < SAME_KIND || isPlain ? null : matchByName(best.mapping, names, best.keys)
}

function matchByName(remembered: RememberedMapping, names: readonly string[], keys: readonly string[]): FoundMapping {
  const before = remembered.columns.map(({ header }) => header)
  const places = matchEarlier(remembered.columns, before, keys)
  const matched = names.map((header, at) => ({ header, column: remembered.columns[places[at]!] }))
  const left = remembered.columns.filter(({ to }, at) => to !== 'nothing' && !places.includes(at))
  const gone = left.map(({ to, name }) => (to === 'custom' ? (name ?? 'a custom attribute') : String(to)))
  const used = new Set(remembered.columns.map(({ to }) => to))
  const isOwn = hasOwnColumns(names)
  const columns = matched.map(({ header, column }): ColumnMapping => {
    if (column) return { ...column, header }
    const { kind, name } = identifyColumn(header)
    if (kind === 'custom') return { header, to: 'custom', name }
    // What the log has written is read as it is.
    if (isOwn && (kind === 'field' || kind === 'unknown')) return { header, to: 'as_named' }
    return { header, to: kind === 'field' && !used.has(name) ? name : gone.length > 0 ? null : 'nothing' }
  })
  const isAdded = ({ header, column }: (typeof matched)[number]) => !column && identifyColumn(header).kind === 'unknown'
  const added = matched.filter(isAdded).map(({ header }) => readName(header))
  return { mapping: { ...USUAL_CHOICES, ...remembered, columns }, gone, added }
}

/** The ways to read a file that are tried. */
const MAX_TRIED = 3

/** Lists how the files of a company were read where somebody had to say it, the last used ways first. */
export async function listAnswers(db: Queryable, companyId: string): Promise<FileAnswers[]> {
  const { rows } = await db.query<{ answers: FileAnswers }>(
    `select (mapping->>'answers')::json as answers from upload_mappings
     where company_id = $1 and mapping->'answers' is not null
     group by mapping->>'answers' order by max(used_at) desc limit ${MAX_TRIED}`,
    [toUuid(companyId)],
  )
  return rows.map(({ answers }) => answers)
}

/** Reads how files with a first line were to be read. One that leaves nothing open, as in UTF-8, changes nothing of it. */
async function readAnswers(db: Queryable, companyId: string, header: readonly string[]): Promise<FileAnswers | null> {
  const { rows } = await db.query<{ answers: FileAnswers | null }>(
    `select mapping->'answers' as answers from upload_mappings where company_id = $1 and header_hash = $2`,
    [toUuid(companyId), hashOf(header)],
  )
  return rows[0]?.answers ?? null
}

/**
 * Remembers the mapping of a file that somebody applies, and how the file was to be read, instead of the one that was not
 * used for longest if there are many. Without columns, there is nothing to remember. What somebody has chosen and not
 * applied is remembered only for the same first line, if nothing else is, and has to be looked at.
 */
export async function rememberMapping(db: Queryable, upload: StoredUpload, isApplied = true): Promise<void> {
  const { companyId, header, mapping } = upload
  if (!header || !mapping) return
  const company = toUuid(companyId)
  const { answers: given = null, notes } = (await findOriginal(db, upload)) ?? {}
  const isAnswered = given !== null && Object.values(given).some((answer) => answer !== null)
  // The letters of a later file may leave open what those of this one have shown.
  const shown = notes?.encoding ? { ...UNANSWERED, encoding: notes.encoding } : null
  const answers = isAnswered ? given : ((await readAnswers(db, companyId, header)) ?? shown)
  // In the order of the file, as the mappings of earlier versions are, which have no names.
  const places = locateColumns(header, mapping.columns)
  const keys = keysOf(mapping.columns.map(({ header: name }) => name))
  const columns = mapping.columns
    .map((column, at) => ({ column: withoutHeader(column, keys[at]!), place: places[at]! }))
    .toSorted((a, b) => a.place - b.place)
  const { counts: _counts, needs_review: _review, ...choices } = mapping
  const kept = {
    ...choices,
    columns: columns.map(({ column }) => column),
    ...(answers ? { answers } : {}),
    ...(isApplied ? {} : { needs_review: true }),
  }
  await db.query(
    `insert into upload_mappings (company_id, header_hash, mapping, used_at)
     values ($1, $2, $3, statement_timestamp())
     on conflict (company_id, header_hash) do update set mapping = excluded.mapping, used_at = excluded.used_at
     where $4 or upload_mappings.mapping->>'needs_review' is not null`,
    [company, hashOf(header), JSON.stringify(kept), isApplied],
  )
  await db.query(
    `delete from upload_mappings where company_id = $1 and header_hash in (
       select header_hash from upload_mappings where company_id = $1 order by used_at desc, header_hash
       offset ${MAX_REMEMBERED})`,
    [company],
  )
}

/**
 * A custom attribute without a name is called as its column, which is found only if it is written alike. A word without a
 * meaning is asked for again.
 */
function withoutHeader(
  { header, name, words, seen: _seen, likely: _likely, ...column }: ColumnMapping,
  key: string,
): ColumnMapping {
  const known = Object.entries(words ?? {}).filter(([, status]) => status !== null)
  const isNamedSo = name === undefined || name === readName(header)
  return {
    header: hashKey(isNamedSo && column.to === 'custom' ? exactKey(header) : key),
    ...column,
    ...(isNamedSo ? {} : { name }),
    ...(words === undefined ? {} : { words: Object.fromEntries(known) }),
  }
}

/** Forgets the mappings whose texts name a person. */
export async function eraseMappings(
  client: ClientBase,
  companyId: string,
  isNamed: (texts: readonly string[]) => Promise<boolean>,
): Promise<void> {
  const company = toUuid(companyId)
  const { rows } = await client.query<Pick<LedgerTables['upload_mappings'], 'header_hash' | 'mapping'>>(
    'select header_hash, mapping from upload_mappings where company_id = $1',
    [company],
  )
  for await (const { header_hash: hashOfHeader, mapping } of inTurns(rows))
    if (await isNamed(listTexts(mapping)))
      await client.query('delete from upload_mappings where company_id = $1 and header_hash = $2', [
        company,
        hashOfHeader,
      ])
}

/** The texts of a mapping that somebody chose: the names of custom attributes, words for statuses, and a sheet. */
export function listTexts(mapping: RememberedMapping | null): string[] {
  if (!mapping) return []
  const ofColumns = mapping.columns.flatMap(({ name = '', words = {} }) => [name, ...Object.keys(words)])
  return [...ofColumns, mapping.answers?.sheet ?? '']
}

/** The name of a column may be that of a person, so only its hash is kept. */
function hashKey(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, HASH_LENGTH)
}

const HASH_LENGTH = 22

function hashOf(header: readonly string[]): Buffer {
  return hash('sha256', JSON.stringify(header), 'buffer')
}
