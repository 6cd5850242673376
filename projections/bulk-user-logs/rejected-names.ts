import type { RawBuilder, Transaction } from 'kysely'
import { sql } from 'kysely'
import { normaliseEmail } from '../../src/domain/attributes.ts'
import type { EventData } from '../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import { bigints, byteas, integers, texts, unnestedRows, uuids } from '../unnested-rows.ts'

/*
 * A refused record names somebody who may not exist. The log does not copy people, so it keeps neither the record nor
 * its e-mail: only hashes of the id, e-mail and external id in it, by which somebody who knows one of them finds the
 * record. They are keyed with the company's secret: nothing can be guessed from the table without it, and hashes of two
 * companies cannot be compared. An erasure takes the rows away.
 */

type NameKind = 'id' | 'email' | 'external_id'

/** A name as it is hashed: its kind and itself, in the form in which it is compared. */
export type FoundBy = `${NameKind}:${string}`

/** A refused record, by what names it. */
export interface RejectedName {
  companyId: string
  entryPosition: number
  ordinal: number
  position: number
  foundBy: FoundBy
}

// Longer than any e-mail address, external id or id: nobody looks for such a text, so nothing is kept of it.
const MAX_CHARACTERS = 2_048

/** The names in a refused record: those of its locator and those that it would have set, also of a truncated one. */
export function namesIn(rejected: EventData['EmployeeRecordRejected']): FoundBy[] {
  const { locator, record, names = null } = rejected
  const sources = [locator, typeof record === 'object' && !Array.isArray(record) ? record : names]
  const found = new Set<FoundBy>()
  for (const source of sources as (Record<string, unknown> | null)[]) {
    for (const kind of ['id', 'email', 'external_id'] as const) {
      const value = source && Object.hasOwn(source, kind) ? source[kind] : null
      if (isNamed(value)) found.add(nameOf(kind, value))
    }
  }
  return [...found]
}

/** Whether a value, which may be anything that a client sent, is a text that somebody could look for. */
function isNamed(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_CHARACTERS) return false
  // No text of the database can hold these.
  return !value.includes('\0') && value.isWellFormed()
}

/** All that a text may name. */
export function namesOf(text: string): FoundBy[] {
  return [nameOf('id', text), nameOf('email', text), nameOf('external_id', text)]
}

function nameOf(kind: NameKind, value: string): FoundBy {
  return `${kind}:${kind === 'email' ? normaliseEmail(value) : value}`
}

/** The secret of a company, which is given by its UUID. The same for every copy of the table, so that a rebuild makes the same rows. */
export function hashKeyOf(company: string): RawBuilder<Buffer> {
  return sql<Buffer>`(select hash_key from companies where company_id = ${company})`
}

/**
 * The keyed hash of a name, made by the database from expressions that give the key and a `FoundBy`. Hashed twice under
 * the key, as in HMAC (RFC 2104): PostgreSQL has none of its own.
 */
export function nameHash(hashKey: RawBuilder<Buffer>, foundBy: RawBuilder<string>): RawBuilder<Buffer> {
  return sql<Buffer>`sha256(${hashKey} || sha256(${hashKey} || convert_to(${foundBy}, 'UTF8')))`
}

export async function insertRejectedNames(
  transaction: Transaction<unknown>,
  schema: string,
  names: RejectedName[],
): Promise<void> {
  if (names.length === 0) return
  const hashKeys = await readHashKeys(transaction, [...new Set(names.map(({ companyId }) => companyId))])
  await sql`insert into ${sql.id(schema, 'rejected_names')} (company_id, name_hash, entry_position, ordinal, position)
    select company_id, ${nameHash(sql`hash_key`, sql`found_by`)}, entry_position, ordinal, position
    from ${unnestedRows({
      company_id: uuids(names.map(({ companyId }) => companyId)),
      hash_key: byteas(names.map(({ companyId }) => hashKeys.get(companyId)!)),
      found_by: texts(names.map(({ foundBy }) => foundBy)),
      entry_position: bigints(names.map(({ entryPosition }) => entryPosition)),
      ordinal: integers(names.map(({ ordinal }) => ordinal)),
      position: bigints(names.map(({ position }) => position)),
    })}`.execute(transaction)
}

async function readHashKeys(transaction: Transaction<unknown>, companyIds: string[]): Promise<Map<string, Buffer>> {
  const { rows } = await sql<{ company_id: string; hash_key: Buffer }>`
    select company_id, hash_key from companies where company_id = any(${companyIds.map(toUuid)}::uuid[])`.execute(
    transaction,
  )
  return new Map(rows.map(({ company_id: company, hash_key: hashKey }) => [fromUuid('com', company), hashKey]))
}
