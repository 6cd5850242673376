import type { Employee } from '../employees/employee.ts'
import { entityTag } from '../employees/entity-tag.ts'
import { foldText, trimBlanks } from '#text/normalize-text'
import { PATHS, unflattenUser } from './flat-user.ts'
import { CORE, isSameName } from './schemas.ts'
import { findName, isList, isParts, newParts, type Scalar, type ScimParts, type ScimUser } from './user-values.ts'

/** The values of an employee by their paths, in the order in which a user has them. */
export function valuesOf(employee: Employee): Map<string, Scalar> {
  const own: [path: string, value: Scalar | null][] = [
    [PATHS.externalId, employee.directory_external_id],
    [PATHS.userName, employee.user_name ?? employee.email ?? employee.external_id ?? employee.id],
    [PATHS.givenName, employee.first_name],
    [PATHS.familyName, employee.last_name],
    [PATHS.active, employee.status === 'active'],
    [PATHS.title, employee.job_title],
    [PATHS.email, employee.email],
    [PATHS.phone, spellPhone(employee)],
    [PATHS.employeeNumber, employee.employee_number],
    [PATHS.department, employee.department],
    [PATHS.division, employee.division],
    [PATHS.manager, employee.manager_id],
    [PATHS.startDate, employee.start_date],
    [PATHS.terminationDate, employee.termination_date],
    [PATHS.location, employee.location],
    [PATHS.hrId, employee.external_id],
  ]
  const values = new Map<string, Scalar>()
  for (const [path, value] of own) if (value !== null) values.set(path, value)
  const custom = employee.custom_attributes
  for (const path of Object.keys(custom).toSorted(comparePaths)) if (!OWN.has(path)) values.set(path, custom[path]!)
  return values
}

/** An order that doesn't depend on how the attributes are stored, and in which 10 is behind 9. */
function comparePaths(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1)
}

const OWN = new Set<string>(
  Object.values(PATHS).filter((path) => path !== PATHS.formatted && path !== PATHS.displayName),
)

/** The phone number as it was sent, as long as that means the number: its digits end with these. */
function spellPhone({ phone, custom_attributes: custom }: Employee): string | null {
  const spelled = Object.hasOwn(custom, PATHS.phone) ? String(custom[PATHS.phone]) : null
  if (spelled === null || phone === null) return phone ?? spelled
  const digits = foldText(spelled).replaceAll(/\D/g, '').replace(/^0+/, '')
  return digits !== '' && phone.endsWith(digits) ? spelled : phone
}

/** An employee as a user, without what the service adds. */
export function toUserValues(employee: Employee): ScimUser {
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

/** What of a user a client wants (RFC 7644 section 3.9): only these attributes, or all but these. */
export interface Projection {
  attributes: readonly string[]
  excluded: readonly string[]
}

/** What is always returned. */
const ALWAYS = new Set(['id', 'schemas'])

export function projectUser(user: ScimUser, { attributes, excluded }: Projection): ScimUser {
  if (attributes.length > 0) {
    const wanted = newParts()
    for (const name of Object.keys(user)) if (ALWAYS.has(name)) wanted[name] = user[name]!
    for (const path of attributes) copyPath(user, wanted, splitPath(user, path))
    return wanted
  }
  const shown = copyParts(user)
  for (const path of excluded) {
    const names = splitPath(user, path)
    if (names.length > 0 && !ALWAYS.has(names[0]!)) deletePath(shown, names)
  }
  return shown
}

/** The names that a path leads along: of an extension, of an attribute, of a part. */
function splitPath(user: ScimUser, sent: string): string[] {
  const path = trimBlanks(sent)
  const urn = [CORE, ...Object.keys(user)].find(
    (name) => /^urn:/i.test(name) && isSameName(path.slice(0, name.length), name),
  )
  if (urn === undefined) return path.split('.')
  const rest = path.slice(urn.length + 1)
  if (urn === CORE) return rest.split('.')
  return rest === '' ? [urn] : [urn, ...rest.split('.')]
}

function copyPath(from: ScimParts, to: ScimParts, [sent = '', ...rest]: string[]): void {
  const name = findName(from, sent)
  if (name === undefined) return
  const value = from[name]!
  if (rest.length === 0) to[name] = value
  else if (isParts(value)) {
    const inner = isParts(to[name]) ? to[name] : newParts()
    copyPath(value, inner, rest)
    to[name] = inner
  } else if (isList(value)) {
    const entries = value.filter(isParts)
    const known = to[name]
    const copies = isList(known) ? known : entries.map(() => newParts())
    for (const [at, entry] of entries.entries()) copyPath(entry, copies[at] as ScimParts, rest)
    to[name] = copies
  }
}

function copyParts(parts: ScimParts): ScimParts {
  const copy = newParts()
  for (const name of Object.keys(parts)) {
    const value = parts[name]!
    if (isParts(value)) copy[name] = copyParts(value)
    else copy[name] = isList(value) ? value.map((entry) => (isParts(entry) ? copyParts(entry) : entry)) : value
  }
  return copy
}

function deletePath(parts: ScimParts, [sent = '', ...rest]: string[]): void {
  const name = findName(parts, sent)
  if (name === undefined) return
  const value = parts[name]!
  if (rest.length === 0) delete parts[name]
  else for (const entry of [value].flat()) if (isParts(entry)) deletePath(entry, rest)
}
