import { MAX_NAME_UNITS } from '#domain/calls/refused-record'
import { foldText, normalizeText } from '#text/normalize-text'
import { eachInPieces, type Pieces } from '#domain/pieces'
import type { CompanyEvents } from '../projection.ts'
import type { NamedRow } from './rejected-names.ts'

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

const KINDS_BY_NAME = Object.entries(KINDS)

/** Lists what these events changed names and ids from. */
export function* listFormerNames(batches: readonly CompanyEvents[]): Pieces<NamedRow<'former_names'>[]> {
  const names: NamedRow<'former_names'>[] = []
  for (const { companyId, events } of batches)
    yield* eachInPieces(events, (event) => {
      // The type comes first: what is stored of an event is parsed when its data is looked at.
      if (event.type !== 'EmployeeUpdated' || !event.data) return
      const { changes } = event.data
      for (const [name, kind] of KINDS_BY_NAME) {
        const from = changes[name]?.from
        const former = typeof from === 'string' && from !== '' ? formatFormer(kind, from) : ''
        // Nobody searches for a longer one.
        if (former !== '' && former.length <= MAX_NAME_UNITS)
          names.push({ company_id: companyId, employee_id: event.stream, found_by: former })
      }
    })
  return names
}

/** A value as it is hashed: case doesn't matter, as in other searches for people. */
export function formatFormer(kind: FormerKind, value: string) {
  return `${kind}:${foldText(normalizeText(value))}`
}
