import { hash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { readName } from '../../spreadsheets/cells.ts'
import { locateColumns, type ColumnMapping, type Mapping } from '../../spreadsheets/mapping.ts'
import { toUuid } from '../../domain/ids.ts'
import type { Queryable } from '../../postgres/query-client.ts'
import type { LedgerTables } from '../tables.ts'

/*
 * What a company chose for a file is chosen for the next one with the same first line. A file may have no such line, so
 * that its first row is about a person: nothing of it is remembered. Of the other lines, only words for statuses are.
 */

/** The first lines that are remembered of a company, the last used ones. */
const MAX_REMEMBERED = 100

/** Finds the mapping that the company used last for a first line; null if there is none. */
export async function findMapping(
  db: Queryable,
  companyId: string,
  header: readonly string[],
): Promise<Mapping | null> {
  const { rows } = await db.query<Pick<LedgerTables['upload_mappings'], 'mapping'>>(
    'select mapping from upload_mappings where company_id = $1 and header_hash = $2',
    [toUuid(companyId), hashOf(header)],
  )
  const [remembered] = rows
  if (!remembered) return null
  const names = header.filter((cell) => cell !== '')
  const columns = remembered.mapping.columns.map((column, at) => ({ ...column, header: names[at]! }))
  return { ...remembered.mapping, columns }
}

/** Remembers a mapping, instead of the one that was not used for longest if there are many. */
export async function rememberMapping(
  db: Queryable,
  companyId: string,
  header: readonly string[],
  mapping: Mapping,
): Promise<void> {
  const company = toUuid(companyId)
  // In the order of the file: without their names, nothing else says which is which.
  const places = locateColumns(header, mapping.columns)
  const columns = mapping.columns
    .map((column, at) => ({ column: withoutHeader(column), place: places[at]! }))
    .toSorted((a, b) => a.place - b.place)
  const kept = { ...mapping, columns: columns.map(({ column }) => column) }
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
function withoutHeader({ header, name, words, ...column }: ColumnMapping): ColumnMapping {
  const known = Object.entries(words ?? {}).filter(([, status]) => status !== null)
  return {
    header: '',
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

/** The texts of a mapping that somebody chose: the names of custom attributes, and words for statuses. */
export function listTexts(mapping: Mapping | null): string[] {
  return mapping ? mapping.columns.flatMap(({ name = '', words = {} }) => [name, ...Object.keys(words)]) : []
}

function hashOf(header: readonly string[]): Buffer {
  return hash('sha256', JSON.stringify(header), 'buffer')
}
