import { createHmac } from 'node:crypto'

/** The bytes of a digest: enough to tell the people of a company apart. */
const BYTES = 8

/** A digest of a name or id of a person, keyed so that nobody can find the person by guessing. */
export function digestPerson(key: Buffer, name: string): Buffer {
  return createHmac('sha256', key).update(name).digest().subarray(0, BYTES)
}
