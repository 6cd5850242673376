import { trimBlanks } from '#text/normalize-text'
import { isSameName } from './schemas.ts'

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

/** Finds the name of a member, in any case. */
export function findName(parts: Readonly<Record<string, unknown>>, name: string) {
  if (Object.hasOwn(parts, name)) return name
  return Object.keys(parts).find((one) => isSameName(one, name))
}

/** The parts at a name in any case, which are made if there are none. */
export function partsAt(container: ScimParts, name: string) {
  const at = findName(container, name) ?? name
  const known = container[at]
  return isParts(known) ? known : (container[at] = newParts())
}

/** Finds a member by its name, in any case. */
export function findMember<Value>(parts: Readonly<Record<string, Value>>, name: string): Value | undefined {
  const found = findName(parts, name)
  return found === undefined ? undefined : parts[found]
}
