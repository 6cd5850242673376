import { RecordErrors } from '../record-errors.ts'
import type { ReadRecord } from './call-records.ts'

/** A record without some of its fields, and without their errors. */
export function without(record: ReadRecord, names: ReadonlySet<string>): ReadRecord {
  const errors = new RecordErrors()
  for (const { path, fault, employeeId } of record.errors.kept)
    if (!names.has(path[0] ?? '')) errors.add(path, fault, employeeId)
  const patch = Object.fromEntries(Object.entries(record.patch).filter(([name]) => !names.has(name)))
  const isManaged = names.has('manager_id') || record.managers.some(({ field }) => names.has(field))
  return {
    ...record,
    patch,
    errors,
    managers: isManaged ? [] : record.managers,
    localPhones: record.localPhones.filter(({ name }) => !names.has(name)),
  }
}
