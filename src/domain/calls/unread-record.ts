import { MAX_CUSTOM_MEMBERS, tooManyCustom } from '../attributes.ts'
import type { EventData } from '../events.ts'
import type { FieldError } from '../record-faults.ts'

/** Maximum members of a record. One with more is refused without reading its members. */
export const MAX_MEMBERS = 128
/** Maximum values inside the members of a record: those of its custom attributes. */
export const MAX_NESTED = MAX_CUSTOM_MEMBERS
/** Maximum bytes of a record: more than a valid one can have, unless it is padded with white space. */
export const MAX_SENT_BYTES = 1_048_576

/** A record that is so large that it is not parsed. It is refused whole, with one error. */
export class UnreadRecord {
  /** The beginning of its JSON text. */
  readonly text: string
  /** The names in it that can find a person. */
  readonly names: NonNullable<EventData['EmployeeRecordRejected']['names']>
  readonly error: FieldError

  constructor(text: string, names: UnreadRecord['names'], error: FieldError) {
    this.text = text
    this.names = names
    this.error = error
  }
}

/** The error of a record with too many members. */
export const TOO_MANY_MEMBERS: FieldError = {
  path: [],
  fault: { kind: 'too_many_members', limit: MAX_MEMBERS },
}

/** The error of a record whose members hold too many values, in the member of this name. */
export function tooManyValues(name: string): FieldError {
  const fault =
    name === 'custom_attributes' ? tooManyCustom(name) : ({ kind: 'too_many_values', limit: MAX_NESTED } as const)
  return { path: [name], fault }
}

/** The error of a record with too many bytes. */
export const TOO_MANY_BYTES: FieldError = {
  path: [],
  fault: { kind: 'too_many_bytes', limit: MAX_SENT_BYTES },
}
