import { sql, type Transaction } from 'kysely'
import type { EventData } from '../../src/domain/events.ts'
import { normalizeText } from '../../src/domain/normalize-text.ts'
import { normalizeSearchText } from '../employees/fold.ts'
import type { CompanyEvents } from '../projection.ts'
import { insertNames } from './rejected-names.ts'

/*
 * People are also found by what they were called before. The log stores only hashes of whole values, keyed like those of
 * refused records. An erasure deletes those of the employee.
 */

/** What a former value was. */
export type FormerKind = 'name' | 'email' | 'external_id' | 'employee_number' | 'user_name'

const KINDS = {
  first_name: 'name',
  last_name: 'name',
  email: 'email',
  external_id: 'external_id',
  employee_number: 'employee_number',
  user_name: 'user_name',
  directory_external_id: 'external_id',
} as const satisfies Record<string, FormerKind>
export const FORMER_KINDS: readonly FormerKind[] = [...new Set(Object.values(KINDS))]

/** Inserts what these events changed names and ids from. */
export async function insertFormerNames(
  transaction: Transaction<unknown>,
  schema: string,
  batches: readonly CompanyEvents[],
): Promise<void> {
  const names = batches.flatMap(({ companyId, events }) =>
    // The type comes first: remembered events decode their data when it is looked at.
    events.flatMap((event) =>
      event.type === 'EmployeeUpdated' && event.data
        ? listFormer(event.data).map((name) => ({ company_id: companyId, employee_id: event.stream, found_by: name }))
        : [],
    ),
  )
  // Somebody may have had the same value twice.
  await insertNames(transaction, schema, 'former_names', names, sql`on conflict do nothing`)
}

function listFormer({ changes }: EventData['EmployeeUpdated']): string[] {
  return Object.entries(KINDS).flatMap(([name, kind]) => {
    const from = changes[name]?.from
    return typeof from === 'string' && from !== '' ? [formatFormer(kind, from)] : []
  })
}

/** A value as it is hashed: case doesn't matter, as in other searches for people. */
export function formatFormer(kind: FormerKind, value: string): string {
  return `${kind}:${normalizeSearchText(normalizeText(value))}`
}
