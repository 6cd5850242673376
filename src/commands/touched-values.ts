import type { Locator, ReadRecord } from '../domain/call-records.ts'
import { isId } from '../domain/ids.ts'
import type { Touches } from '../ledger/company-state.ts'

/** All that deciding these records may ask the company about: those they name, and who holds the values they take on. */
export function touchedValues(records: ReadRecord[]): Touches {
  const located = (field: Locator['field']) =>
    records.flatMap(({ locator }) => (locator?.field === field ? [locator.value] : []))
  const taken = (name: 'email' | 'external_id') =>
    records.flatMap(({ patch }) => (typeof patch[name] === 'string' ? [patch[name]] : []))
  return {
    // What is no employee's id names nobody, and the database would refuse it.
    employeeIds: distinct(located('id').filter((id) => isId('emp', id))),
    emails: distinct([...located('email'), ...taken('email')]),
    externalIds: distinct([...located('external_id'), ...taken('external_id')]),
  }
}

function distinct(values: string[]): string[] {
  return [...new Set(values)]
}
