import type { RawBuilder, Transaction } from 'kysely'
import { sql } from 'kysely'
import { normaliseEmail } from '../src/domain/attributes.ts'
import type { EventData } from '../src/domain/events.ts'
import { bigints, integers, texts, unnestedRows, uuids } from './unnested-rows.ts'

/*
 * A refused record names somebody who may not exist. The log does not copy people, so it keeps neither the record nor
 * its e-mail: only hashes of the id, e-mail and external id in it, by which somebody who knows one of them finds the
 * record. The company and the kind of name are hashed along, so that hashes of two companies cannot be compared.
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

/** The hash of a name of a company, made by the database from expressions that give the company's UUID and a `FoundBy`. */
export function nameHash(company: RawBuilder<string>, foundBy: RawBuilder<string>): RawBuilder<Buffer> {
  return sql<Buffer>`sha256(convert_to(${company}::text || ' ' || ${foundBy}, 'UTF8'))`
}

export async function insertRejectedNames(transaction: Transaction<unknown>, schema: string, names: RejectedName[]): Promise<void> {
  if (names.length === 0) return
  await sql`insert into ${sql.id(schema, 'rejected_names')} (company_id, name_hash, entry_position, ordinal, position)
    select company_id, ${nameHash(sql`company_id`, sql`found_by`)}, entry_position, ordinal, position
    from ${unnestedRows({
      company_id: uuids(names.map(({ companyId }) => companyId)),
      found_by: texts(names.map(({ foundBy }) => foundBy)),
      entry_position: bigints(names.map(({ entryPosition }) => entryPosition)),
      ordinal: integers(names.map(({ ordinal }) => ordinal)),
      position: bigints(names.map(({ position }) => position)),
    })}`.execute(transaction)
}
