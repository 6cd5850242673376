import { trimBlanks } from '#text/normalize-text'
import { foldUserName } from '../attributes.ts'
import { MAX_MEMBERS } from '../calls/call-records.ts'
import { isSameName } from './schemas.ts'
import { ScimFault } from './scim-fault.ts'

/*
 * A user as SCIM has it: attributes by name, and extensions by their URNs. Clients choose names, so these objects have no
 * prototype.
 */

export type Scalar = string | number | boolean
export type ScimValue = Scalar | ScimParts | ScimValue[]
export interface ScimParts {
  [name: string]: ScimValue
}
export type ScimUser = ScimParts

export function newParts(members: Readonly<Record<string, ScimValue>> = {}) {
  return Object.assign(Object.create(null), members) as ScimParts
}

export function isList(value: unknown): value is ScimValue[] {
  return Array.isArray(value)
}

export function isParts(value: unknown): value is ScimParts {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** Whether a value that was sent clears what there is. */
export function isNothing(value: unknown): value is null | undefined | '' {
  if (value === null || value === undefined) return true
  return (typeof value === 'string' && trimBlanks(value) === '') || (Array.isArray(value) && value.length === 0)
}

/** More UTF-16 units than any value that is kept has. */
const MAX_COMPARED = 2_000

/** The form in which values are compared where case doesn't matter. */
export function foldValue(value: unknown): string {
  return foldUserName(String(value).slice(0, MAX_COMPARED))
}

/** Finds the name of a member, in any case. */
export function findName(parts: Readonly<Record<string, unknown>>, name: string) {
  if (Object.hasOwn(parts, name)) return name
  return Object.keys(parts).find((one) => isSameName(one, name))
}

/** Where a member of this name, in any case, is set. */
export function nameToSet(parts: ScimParts, name: string) {
  const found = findName(parts, name)
  if (found === undefined) assertMembers(Object.keys(parts).length + 1)
  return found ?? name
}

/** Refuses an object with so many members, unless they are few: an employee keeps fewer values. */
export function assertMembers(count: number) {
  if (count <= MAX_MEMBERS) return
  throw new ScimFault('invalidValue', `An object must have at most ${MAX_MEMBERS} members`)
}

/** The parts at a name in any case, which are made if there are none. */
export function partsAt(container: ScimParts, name: string) {
  const at = nameToSet(container, name)
  const known = container[at]
  return isParts(known) ? known : (container[at] = newParts())
}

/** Finds a member by its name, in any case. */
export function findMember<Value>(parts: Readonly<Record<string, Value>>, name: string): Value | undefined {
  const found = findName(parts, name)
  return found === undefined ? undefined : parts[found]
}
