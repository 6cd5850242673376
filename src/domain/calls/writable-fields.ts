import { noteOf, type CallNote } from '#domain/call-sources'
import { ATTRIBUTE_NAMES, type AttributeName } from '#domain/attributes'
import { nameField, RecordErrors } from '#domain/record-faults'
import { MANAGER_FIELDS, type ReadRecord } from './call-records.ts'
import { hideSecrets } from '#domain/secret-members'
import { mapInPieces, type Pieces } from '#domain/pieces'

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
    return {
      record: without(record, ignored),
      notes: [...ignored].map((name) => noteOf(nameField(name, fieldNames), 'not_writable')),
    }
  }
}

/** A record without some of its fields, and without their errors. */
function without(record: ReadRecord, names: ReadonlySet<string>): ReadRecord {
  const errors = new RecordErrors()
  for (const { path, fault, employeeId } of record.errors.kept)
    if (!names.has(path[0] ?? '')) errors.add(path, fault, employeeId)
  const patch = Object.fromEntries(Object.entries(record.patch).filter(([name]) => !names.has(name)))
  // A deletion deactivates.
  if (names.has('status') && patch['deprovisioned_at'] !== null) delete patch['deprovisioned_at']
  const isManaged = names.has('manager_id') || record.managers.some(({ field }) => names.has(field))
  return {
    ...record,
    patch,
    errors,
    managers: isManaged ? [] : record.managers,
    localPhones: record.localPhones.filter(({ name }) => !names.has(name)),
  }
}

/** About the characters of a part: searching it for a person takes no longer than reading a small body. */
const PART_CHARACTERS = 65_536

/**
 * Writes the valid records of a failed call in parts, each an object in JSON with the records as sent by their indexes.
 * Writes none if a record has a secret, which may not be kept, and without which it would be another record.
 */
export function* writeValid(records: readonly ReadRecord[]): Pieces<string[]> {
  const members = yield* mapInPieces(
    records,
    ({ index, sent }) => (hideSecrets(sent) === sent ? `"${index}":${JSON.stringify(sent)}` : null),
    1,
  )
  const parts: string[] = []
  let part: string[] = []
  let characters = 0
  for (const member of members) {
    if (member === null) return []
    part.push(member)
    characters += member.length
    if (characters < PART_CHARACTERS) continue
    parts.push(`{${part.join(',')}}`)
    part = []
    characters = 0
  }
  return part.length === 0 ? parts : [...parts, `{${part.join(',')}}`]
}
