import { MAX_CUSTOM_ATTRIBUTES, MAX_CUSTOM_MEMBERS } from '../attributes.ts'
import type { FieldError } from '../errors.ts'
import type { EventData } from '../events.ts'

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
  code: 'too_long',
  message: `A record must have at most ${MAX_MEMBERS} members`,
}

/** The error of a record whose members hold too many values, in the member of this name. */
export function tooManyValues(name: string): FieldError {
  const message =
    name === 'custom_attributes'
      ? `An employee can have at most ${MAX_CUSTOM_ATTRIBUTES} custom attributes`
      : `The members of a record must have at most ${MAX_NESTED} values`
  return { path: [name], code: 'too_long', message }
}

/** The error of a record with too many bytes. */
export const TOO_MANY_BYTES: FieldError = {
  path: [],
  code: 'too_long',
  message: `A record must have at most ${MAX_SENT_BYTES} bytes`,
}
