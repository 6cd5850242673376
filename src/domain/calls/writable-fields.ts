import { noteOf, type CallNote } from '../call-notes.ts'
import { ATTRIBUTE_NAMES, type AttributeName } from '../attributes.ts'
import { nameField } from '../record-faults.ts'
import { MANAGER_FIELDS, type ReadRecord } from './call-records.ts'
import { without } from './without-fields.ts'

/** Takes from a record what its key may not write. Records with nothing of that stay as they are. */
export type WithWritable = (record: ReadRecord) => { record: ReadRecord; notes: CallNote[] }

/** Makes it for a key that may write some fields; null if it may write all. */
export function keepWritable(
  fields: readonly AttributeName[] | null,
  fieldNames: Readonly<Record<string, string>> = {},
): WithWritable | null {
  if (fields === null) return null
  const isIgnored = new Set<string>(ATTRIBUTE_NAMES.filter((name) => !fields.includes(name)))
  if (isIgnored.has('manager_id')) for (const name of Object.keys(MANAGER_FIELDS)) isIgnored.add(name)
  return (record) => {
    const { patch, managers, localPhones, errors } = record
    const named = [
      ...Object.keys(patch),
      ...managers.map(({ field }) => field),
      ...localPhones.map(({ name }) => name),
      ...errors.kept.map(({ path: [name = ''] }) => name),
    ]
    const ignored = new Set(named.filter((name) => isIgnored.has(name)))
    if (ignored.size === 0) return { record, notes: [] }
    const { deprovisions, ...kept } = without(record, ignored)
    const isHidden = deprovisions && !ignored.has('status')
    return {
      record: isHidden ? { ...kept, deprovisions } : kept,
      notes: [...ignored].map((name) => noteOf(nameField(name, fieldNames), 'not_writable')),
    }
  }
}
