import { ATTRIBUTE_RULES, type AttributeRule } from '../attributes.ts'
import type { Employee } from '../employees/employee.ts'
import { entityTag } from '../employees/entity-tag.ts'
import { foldText } from '#text/normalize-text'
import { PATHS, unflattenUser } from './flat-user.ts'
import { parsePath, PathError } from './parse-path.ts'
import { CORE, isSameName } from './schemas.ts'
import { isList, isParts, newParts, type Scalar, type ScimParts, type ScimUser } from './user-values.ts'

/** The values of an employee by their paths, in the order in which a user has them. */
function valuesOf(employee: Employee) {
  const { custom_attributes: custom, id, email, external_id: externalId, status } = employee
  const own = {
    ...employee,
    user_name: employee.user_name ?? email ?? externalId ?? id,
    status: status === 'active',
  }
  const values = new Map<string, Scalar>()
  for (const [name, path] of ATTRIBUTE_PATHS) {
    const value = spell(own[name], Object.hasOwn(custom, path) ? custom[path]! : null, ATTRIBUTE_RULES[name])
    if (value !== null) values.set(path, value)
  }
  for (const path of Object.keys(custom).toSorted(comparePaths)) if (!OWN.has(path)) values.set(path, custom[path]!)
  return values
}

const ATTRIBUTE_PATHS = Object.entries(PATHS) as [keyof typeof PATHS, string][]
const OWN: ReadonlySet<string> = new Set(Object.values(PATHS))

/** An order that doesn't depend on how the attributes are stored, and in which 10 is behind 9. */
function comparePaths(one: string, other: string) {
  return one.length - other.length || (one < other ? -1 : 1)
}

/**
 * Chooses between the value of an attribute and what was sent for it. A phone number is shown as it was sent if it ends
 * with the same digits. For other attributes, what was sent is shown only if there is no value, because an earlier
 * version did not know the attribute.
 */
function spell(value: Scalar | null, sent: Scalar | null, { kind }: AttributeRule) {
  if (value === null || sent === null || kind !== 'phone') return value ?? sent
  const digits = foldText(String(sent)).replaceAll(/\D/g, '').replace(/^0+/, '')
  return digits !== '' && String(value).endsWith(digits) ? String(sent) : value
}

/** An employee as a user, without what the service adds. */
export function toUserValues(employee: Employee) {
  const user = unflattenUser(valuesOf(employee))
  for (const name of ['emails', 'phoneNumbers']) {
    const list = user[name]
    if (!isList(list)) continue
    const entries = list.filter(isParts)
    const work = entries.find(({ type }) => type === 'work')
    if (work) work['primary'] ??= !entries.some((entry) => entry !== work && entry['primary'] === true)
  }
  return user
}

/** An employee as a user (RFC 7643 section 4.1). `base` is the address of the service's SCIM endpoint. */
export function renderUser(employee: Employee, base: string): ScimUser {
  const user = toUserValues(employee)
  const { id, created_at: created, updated_at: lastModified, version } = employee
  const schemas = [CORE, ...Object.keys(user).filter((name) => /^urn:/i.test(name))]
  const location = `${base}/Users/${id}`
  const meta = newParts({ resourceType: 'User', created, lastModified, location, version: entityTag(version) })
  return newParts({ schemas, id, ...user, meta })
}

/**
 * What of a user a client wants (RFC 7644 section 3.9): only these attributes, or all but these. A path is the names along
 * which it leads: of an extension, of an attribute, of a part.
 */
export interface Projection {
  attributes: readonly string[][]
  excluded: readonly string[][]
}

/** What is always returned. */
const ALWAYS = [['id'], ['schemas']]

/** Reads the path of an attribute that a client wants, or doesn't. What can't be read names nothing. */
export function readWanted(text: string): string[] {
  try {
    const { urn, name, part } = parsePath(text)
    return [urn, name, part].filter((one) => one !== null)
  } catch (error) {
    if (error instanceof PathError) return [text]
    throw error
  }
}

/** Takes from a user what is not wanted. */
export function projectUser(user: ScimUser, { attributes, excluded }: Projection): ScimUser {
  if (attributes.length > 0) prune(user, [...ALWAYS, ...attributes], true)
  else
    prune(
      user,
      excluded.filter(([name, ...rest]) => rest.length > 0 || !ALWAYS.flat().includes(name!)),
      false,
    )
  return user
}

/** Keeps only what these paths name, or all but that. */
function prune(parts: ScimParts, paths: readonly string[][], keeps: boolean) {
  // The path of the core schema has no names.
  if (keeps && paths.some(({ length }) => length === 0)) return
  for (const name of Object.keys(parts)) {
    const named = paths.filter(([first]) => first !== undefined && isSameName(first, name)).map(([, ...rest]) => rest)
    const isWhole = named.some(({ length }) => length === 0)
    if (isWhole ? !keeps : keeps && named.length === 0) delete parts[name]
    else if (!isWhole && named.length > 0)
      for (const entry of [parts[name]!].flat()) if (isParts(entry)) prune(entry, named, keeps)
  }
}
