import { sql, type RawBuilder, type Transaction } from 'kysely'
import { MAX_EMAIL_CHARACTERS } from '#domain/attributes'
import { MAX_NAME_UNITS } from '#domain/calls/refused-record'
import { divide } from '#domain/pieces'
import type { EventData } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { hasManyMarks, mayFit, normalizeEmail, normalizeText, trimBlanks } from '#text/normalize-text'
import { bytea, text, unnestedRows, type Columns } from '../projection.ts'
import { BULK_USER_LOG_TABLES, type BulkUserLogTables } from './tables.ts'

/*
 * Refused records must be searchable by the person that they name, but the log does not copy personal data. It stores
 * only hashes of the id, email and external id of each refused record, and of the codes of its errors. They are keyed
 * with the company's secret, so that nobody can find out the names by guessing, or compare those of two companies. An
 * erasure deletes the rows.
 */

const KINDS = ['id', 'email', 'external_id', 'user_name', 'directory_external_id'] as const
type NameKind = (typeof KINDS)[number]

/** A name or code as it is hashed: its kind and its normalized value. */
export type FoundBy = `${NameKind | 'code'}:${string}`

/** A row with the hash of a name, before the name is hashed. */
export type NamedRow<Table extends NameTable> = Omit<BulkUserLogTables[Table], 'company_id' | 'name_hash'> & {
  company_id: string
  found_by: string
}

type NameTable = 'rejected_names' | 'former_names'

/**
 * Finds the names of a refused record: in its locator, in the record itself or what is kept of a truncated one, and the
 * id of its employee, who may have been located by another name. Then the codes of its errors.
 */
export function findNames(rejected: EventData['EmployeeRecordRejected']): FoundBy[] {
  const { locator, record, names = null, employee_id: id } = rejected
  const sources = [{ id }, locator, typeof record === 'object' && !Array.isArray(record) ? record : null, names]
  const found = new Set<FoundBy>()
  for (const source of sources as (Record<string, unknown> | null)[]) {
    for (const kind of KINDS) {
      const sent = source && Object.hasOwn(source, kind) ? source[kind] : null
      // A number spells an external id.
      const name = readName(kind, typeof sent === 'number' ? String(sent) : sent)
      if (name !== null) found.add(name)
    }
  }
  for (const { code } of rejected.errors) found.add(formatCode(code))
  return [...found]
}

/**
 * The name that a client sent, if it is a text for which somebody may search: nobody searches for a longer one, or for one
 * that normalizing makes longer or takes long to normalize.
 */
function readName(kind: NameKind, sent: unknown): FoundBy | null {
  if (typeof sent !== 'string' || !mayFit(sent, MAX_EMAIL_CHARACTERS) || trimBlanks(sent) === '') return null
  // PostgreSQL can store neither of these.
  if (sent.includes('\0') || !sent.isWellFormed() || hasManyMarks(sent)) return null
  const name = formatName(kind, sent)
  return name.length > `${kind}:`.length + MAX_NAME_UNITS ? null : name
}

/** The names that a searched text may be. */
export function listPossibleNames(text: string): FoundBy[] {
  return KINDS.map((kind) => formatName(kind, text))
}

/** The id of an employee, as a name. */
export function formatId(employeeId: string): FoundBy {
  return formatName('id', employeeId)
}

/** A refused record is found by the code of an error too. */
export function formatCode(code: string): FoundBy {
  return `code:${code}`
}

/** Both what was sent and what is searched for may have blanks at its ends, or be in another form of the same text. */
function formatName(kind: NameKind, value: string): FoundBy {
  const text = normalizeText(value)
  return `${kind}:${kind === 'email' || kind === 'user_name' ? normalizeEmail(text) : text}`
}

/** A query for the hashes of names. The company's secret never changes, so a rebuild makes the same rows. */
export function selectHashes(companyId: string, names: readonly FoundBy[]) {
  return sql`select ${hashName(sql`c.hash_key`, sql`found_by`)} as name_hash
    from companies c cross join unnest(${[...names]}::text[]) as found_by where c.company_id = ${toUuid(companyId)}`
}

/** SQL for the keyed hash of a `FoundBy`. PostgreSQL has no HMAC, so it hashes twice with the key, like RFC 2104. */
export function hashName(hashKey: RawBuilder<Buffer>, foundBy: RawBuilder<string>) {
  return sql<Buffer>`sha256(${hashKey} || sha256(${hashKey} || convert_to(${foundBy}, 'UTF8')))`
}

/** The names of one statement. Those of a usual call are fewer. */
const NAMES_AT_ONCE = 10_000

/** Inserts the hashes of names, with the other columns of their table. */
export async function insertNames<Table extends NameTable>(
  transaction: Transaction<unknown>,
  schema: string,
  table: Table,
  names: readonly NamedRow<Table>[],
  onConflict = sql``,
) {
  if (names.length === 0) return
  const hashKeys = await readHashKeys(transaction, [...new Set(names.map((name) => name.company_id))])
  const { name_hash: _, ...columns }: Columns = BULK_USER_LOG_TABLES[table].columns
  const stored = sql.join(Object.keys(columns).map((name) => sql.id(name)))
  for (const some of divide(names, NAMES_AT_ONCE)) {
    const rows = some.map((name) => ({ ...name, hash_key: hashKeys.get(name.company_id)! }))
    await sql`insert into ${sql.id(schema, table)} (name_hash, ${stored})
      select ${hashName(sql`hash_key`, sql`found_by`)}, ${stored}
      from ${unnestedRows({ ...columns, hash_key: bytea, found_by: text }, rows)} ${onConflict}`.execute(transaction)
  }
}

/** Reads the secrets of companies that digests of names are keyed with. */
export async function readHashKeys(transaction: Transaction<unknown>, companyIds: string[]) {
  const { rows } = await sql<{ company_id: string; hash_key: Buffer }>`
    select company_id, hash_key from companies where company_id = any(${companyIds.map(toUuid)}::uuid[])`.execute(
    transaction,
  )
  return new Map(rows.map(({ company_id: company, hash_key: hashKey }) => [fromUuid('com', company), hashKey]))
}
