import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { readName } from '../../../clients/typescript/spreadsheets/cells.ts'
import type { ColumnMapping, Mapping } from '../../../clients/typescript/spreadsheets/mapping.ts'
import { toUuid } from '../../domain/ids.ts'
import type { LedgerTables } from '../tables.ts'

/*
 * What a company chose for a file is chosen for the next one with the same first line. A file may have no such line, so
 * that its first row is about a person: no text of it is remembered.
 */

/** The first lines that are remembered of a company, the last used ones. */
const MAX_REMEMBERED = 100

/** Finds the mapping that the company used last for a first line; null if there is none. */
export async function findMapping(
  db: Pick<Pool, 'query'>,
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
  db: Pick<Pool, 'query'>,
  companyId: string,
  header: readonly string[],
  mapping: Mapping,
): Promise<void> {
  const company = toUuid(companyId)
  const kept = { ...mapping, columns: mapping.columns.map(withoutHeader) }
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

/** A custom attribute without a name is called as its column. */
function withoutHeader({ header, name, ...column }: ColumnMapping): ColumnMapping {
  return { header: '', ...column, ...(name === undefined || name === readName(header) ? {} : { name }) }
}

function hashOf(header: readonly string[]): Buffer {
  return hash('sha256', JSON.stringify(header), 'buffer')
}
