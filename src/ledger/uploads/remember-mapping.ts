import { hash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { readName } from '#spreadsheets/cells'
import type { FileAnswers } from '#spreadsheets/file-question'
import { type ColumnMapping, listUnclear, locateColumns, type Mapping, USUAL_CHOICES } from '#spreadsheets/mapping'
import { hasOwnColumns, identifyColumn, isKnownToApi } from '#spreadsheets/record-columns'
import { toUuid } from '#domain/ids'
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
  /** How many of its columns that are used the file doesn't have. */
  gone: number
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
     order by is_same desc, used_at desc limit ${MAX_REMEMBERED}`,
    [toUuid(companyId), hashOf(header)],
  )
  const [first] = rows
  if (!first) return null
  const names = header.filter((cell) => cell !== '')
  if (first.is_same) {
    const columns = first.mapping.columns.map((column, at) => ({ ...column, header: names[at]! }))
    return { mapping: { ...USUAL_CHOICES, ...first.mapping, columns }, gone: 0, added: [] }
  }
  const hashes = new Set(names.map(hashName))
  const shares = rows.map(({ mapping }) => {
    const same = mapping.columns.filter((column) => hashes.has(column.header)).length
    return { mapping, share: same / Math.max(mapping.columns.length, 1) }
  })
  const best = shares.reduce((one, other) => (other.share > one.share ? other : one))
  const isPlain = hasOwnColumns(header) && names.every((name) => isKnownToApi(name) || !isIn(best.mapping, name))
  return best.share < SAME_KIND || isPlain ? null : matchByName(best.mapping, names)
}

function isIn({ columns }: Mapping, name: string): boolean {
  const hashed = hashName(name)
  return columns.some(({ header }) => header === hashed)
}

/** Of several columns with one name, each is matched in its order. */
function matchByName(remembered: RememberedMapping, names: readonly string[]): FoundMapping {
  const hashes = names.map(hashName)
  const unclear = listUnclear(remembered.columns, hashes)
  const left = [...remembered.columns]
  const matched = names.map((header, place) => {
    const hashed = hashes[place]!
    const at = unclear.has(hashed) ? -1 : left.findIndex((column) => column.header === hashed)
    return { header, column: at === -1 ? null : left.splice(at, 1)[0]! }
  })
  const gone = left.filter(({ to }) => to !== 'nothing').length
  const used = new Set(remembered.columns.map(({ to }) => to))
  const isOwn = hasOwnColumns(names)
  const columns = matched.map(({ header, column }): ColumnMapping => {
    if (column) return { ...column, header }
    const { kind, name } = identifyColumn(header)
    if (kind === 'custom') return { header, to: 'custom', name }
    // What the log has written is read as it is.
    if (isOwn && (kind === 'field' || kind === 'unknown')) return { header, to: 'as_named' }
    return { header, to: kind === 'field' && !used.has(name) ? name : gone > 0 ? null : 'nothing' }
  })
  const isAdded = ({ header, column }: (typeof matched)[number], at: number) =>
    !column && columns[at]!.to === 'nothing' && identifyColumn(header).kind === 'unknown'
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

/**
 * Remembers a mapping, and how its file was to be read, instead of the one that was not used for longest if there are
 * many.
 */
export async function rememberMapping(
  db: Queryable,
  companyId: string,
  header: readonly string[],
  mapping: Mapping,
  answers: FileAnswers | null,
): Promise<void> {
  const company = toUuid(companyId)
  // In the order of the file, as the mappings of earlier versions are, which have no names.
  const places = locateColumns(header, mapping.columns)
  const columns = mapping.columns
    .map((column, at) => ({ column: withoutHeader(column), place: places[at]! }))
    .toSorted((a, b) => a.place - b.place)
  const { counts: _counts, needs_review: _review, ...choices } = mapping
  const isAnswered = answers !== null && Object.values(answers).some((answer) => answer !== null)
  const kept = { ...choices, columns: columns.map(({ column }) => column), ...(isAnswered ? { answers } : {}) }
  await db.query(
    `insert into upload_mappings (company_id, header_hash, mapping, used_at)
     values ($1, $2, $3, statement_timestamp())
     on conflict (company_id, header_hash) do update set mapping = excluded.mapping, used_at = excluded.used_at`,
    [company, hashOf(header), JSON.stringify(kept)],
  )
  await db.query(
    `delete from upload_mappings where company_id = $1 and header_hash in (
       select header_hash from upload_mappings where company_id = $1 order by used_at desc, header_hash
       offset ${MAX_REMEMBERED})`,
    [company],
  )
}

/** A custom attribute without a name is called as its column. A word without a meaning is asked for again. */
function withoutHeader({ header, name, words, seen: _seen, likely: _likely, ...column }: ColumnMapping): ColumnMapping {
  const known = Object.entries(words ?? {}).filter(([, status]) => status !== null)
  return {
    header: hashName(header),
    ...column,
    ...(name === undefined || name === readName(header) ? {} : { name }),
    ...(words === undefined ? {} : { words: Object.fromEntries(known) }),
  }
}

/** Forgets the mappings whose texts name a person. */
export async function eraseMappings(
  client: ClientBase,
  companyId: string,
  isNamed: (texts: readonly string[]) => boolean,
): Promise<void> {
  const company = toUuid(companyId)
  const { rows } = await client.query<Pick<LedgerTables['upload_mappings'], 'header_hash' | 'mapping'>>(
    'select header_hash, mapping from upload_mappings where company_id = $1',
    [company],
  )
  for (const { header_hash: hashOfHeader, mapping } of rows)
    if (isNamed(listTexts(mapping)))
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
function hashName(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, HASH_LENGTH)
}

const HASH_LENGTH = 22

function hashOf(header: readonly string[]): Buffer {
  return hash('sha256', JSON.stringify(header), 'buffer')
}
