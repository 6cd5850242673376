import { foldText, trimBlanks } from '#text/normalize-text'
import { isSecretName } from '../secret-members.ts'
import { ENTERPRISE, EXTENSION, findAttribute, HR, isSameName, spellUrn } from './schemas.ts'
import {
  isList,
  isParts,
  isScalar,
  newParts,
  type Scalar,
  type ScimParts,
  type ScimUser,
  type ScimValue,
} from './user-values.ts'

/*
 * A user as single values by their paths, as employees have them: `title`, `emails.work.value`, `addresses.home.country`,
 * `enterprise:2.0:User:costCenter`. The entry of work, or the one that counts as it, stands for an employee's own email
 * address and phone number.
 */

export const PATHS = {
  userName: 'userName',
  externalId: 'externalId',
  givenName: 'name.givenName',
  familyName: 'name.familyName',
  formatted: 'name.formatted',
  displayName: 'displayName',
  active: 'active',
  title: 'title',
  email: 'emails.work.value',
  phone: 'phoneNumbers.work.value',
  employeeNumber: pathOf(ENTERPRISE, 'employeeNumber'),
  department: pathOf(ENTERPRISE, 'department'),
  division: pathOf(ENTERPRISE, 'division'),
  manager: pathOf(ENTERPRISE, 'manager.value'),
  startDate: pathOf(HR, 'startDate'),
  terminationDate: pathOf(HR, 'terminationDate'),
  location: pathOf(HR, 'location'),
  hrId: pathOf(HR, 'hrId'),
} as const

export interface FlatUser {
  values: Map<string, Scalar>
  /** The attributes that have values which can't be kept, because no path reaches them. */
  unkept: Set<string>
  /** The lists with several entries of one type, of which the first is kept. */
  repeated: Set<string>
}

/** The lists whose entry of work is an attribute of employees. */
const WORK_LISTS = new Set(['emails', 'phoneNumbers'])
/** No part of what is kept, but told by the path, or by others. */
const DESCRIBED = new Set(['type', '$ref'])
const NOT_KEPT = new Set(['id', 'meta', 'schemas', 'groups', 'password'])

export function flattenUser(user: ScimUser): FlatUser {
  const flat: FlatUser = { values: new Map(), unkept: new Set(), repeated: new Set() }
  for (const name of Object.keys(user)) {
    const value = user[name]!
    if (/^urn:/i.test(name)) flattenExtension(flat, name, value)
    else if (!NOT_KEPT.has(name)) flattenAttribute(flat, null, name, value)
  }
  return flat
}

function flattenExtension(flat: FlatUser, name: string, value: ScimValue): void {
  if (!isParts(value)) return void flat.unkept.add(name)
  const urn = spellUrn(name)
  for (const attribute of Object.keys(value)) flattenAttribute(flat, urn, attribute, value[attribute]!)
}

function flattenAttribute(flat: FlatUser, urn: string | null, name: string, value: ScimValue): void {
  const path = pathOf(urn, name)
  const known = findAttribute(urn, name)?.attribute
  const isMany = known?.isMany === true
  if (isList(value)) flattenList(flat, path, value, urn === null && WORK_LISTS.has(name))
  else if (isMany) flattenList(flat, path, [value], urn === null && WORK_LISTS.has(name))
  else if (known && isParts(value) !== (known.parts !== undefined)) flat.unkept.add(path)
  else if (isParts(value)) flattenParts(flat, path, path, value)
  else set(flat, path, path, value)
}

function flattenParts(flat: FlatUser, path: string, prefix: string, parts: ScimParts): void {
  const ignores = path === PATHS.manager.replace('.value', '') ? (name: string) => name !== 'value' : () => false
  for (const name of Object.keys(parts))
    if (!DESCRIBED.has(name) && !ignores(name)) set(flat, path, `${prefix}.${name}`, parts[name]!)
}

function set(flat: FlatUser, attribute: string, path: string, value: ScimValue): void {
  const last = path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf(':')) + 1)
  if (isScalar(value) && !isSecretName(last)) flat.values.set(path, value)
  else flat.unkept.add(attribute)
}

function flattenList(flat: FlatUser, path: string, entries: readonly ScimValue[], hasWork: boolean): void {
  const work = hasWork ? findWork(entries) : undefined
  const seen = new Set<string>()
  let untyped = 0
  for (const entry of entries) {
    if (!isParts(entry)) {
      flat.unkept.add(path)
      continue
    }
    const isWork = entry === work
    const type = isWork ? 'work' : (typeOf(entry) ?? String((untyped += 1)))
    if (seen.has(foldText(type))) flat.repeated.add(path)
    else {
      seen.add(foldText(type))
      const { primary, ...others } = entry
      flattenParts(flat, path, `${path}.${type}`, others)
      const isUsual = hasWork && isWork ? primary !== false || hasOtherPrimary(entries, entry) : primary !== true
      if (!isUsual) set(flat, path, `${path}.${type}.primary`, primary!)
    }
  }
}

function hasOtherPrimary(entries: readonly ScimValue[], entry: ScimValue): boolean {
  return entries.some((one) => one !== entry && isParts(one) && one['primary'] === true)
}

function typeOf(entry: ScimParts): string | undefined {
  const type = entry['type']
  return isScalar(type) && trimBlanks(String(type)) !== '' ? trimBlanks(String(type)) : undefined
}

/** The entry of work; if none is, the primary one without a type, or else the first without one. */
function findWork(entries: readonly ScimValue[]): ScimValue | undefined {
  const withParts = entries.filter(isParts)
  const untyped = withParts.filter((entry) => typeOf(entry) === undefined)
  return (
    withParts.find((entry) => isSameName(typeOf(entry) ?? '', 'work')) ??
    untyped.find(({ primary }) => primary === true) ??
    untyped[0]
  )
}

/** The path of an attribute. Of an extension, it begins with what differs from other extensions. */
export function pathOf(urn: string | null, name: string): string {
  if (urn === null) return name
  const short = isSameName(urn.slice(0, EXTENSION.length), EXTENSION) ? urn.slice(EXTENSION.length) : urn
  return `${short}:${name}`
}

const NAME = /^(?:[a-z][a-z0-9_-]*|\$ref)$/i

/** Builds a user of single values. Leaves out what is no path: custom attributes of other clients have any names. */
export function unflattenUser(values: ReadonlyMap<string, Scalar>): ScimUser {
  const user = newParts()
  const entries = new Map<string, ScimParts>()
  for (const [path, value] of values) {
    const colon = path.lastIndexOf(':')
    const [name = '', ...rest] = path.slice(colon + 1).split('.')
    if (!NAME.test(name) || isSecretName(rest.at(-1) ?? name)) continue
    const urn = colon < 0 ? null : readUrn(path.slice(0, colon))
    if (urn === null ? NOT_KEPT.has(name) : !/^urn:/i.test(urn)) continue
    const part = rest.at(-1)
    if (part !== undefined && !NAME.test(part)) continue
    const known = findAttribute(urn, name)?.attribute
    const depth = Math.min(2, rest.length)
    if (known && depth !== (known.isMany ? 2 : Number(known.parts !== undefined))) continue
    const container = urn === null ? user : partsIn(user, urn)
    if (part === undefined) container[name] ??= value
    else if (rest.length === 1) setPart(container, name, part, value)
    else setEntry(container, name, `${pathOf(urn, name)}.${rest.slice(0, -1).join('.')}`, [part, value], entries)
  }
  return user
}

function readUrn(short: string): string {
  return /^urn:/i.test(short) ? short : EXTENSION + short
}

function partsIn(user: ScimUser, urn: string): ScimParts {
  const known = user[urn]
  if (isParts(known)) return known
  const made = newParts()
  user[urn] = made
  return made
}

function setPart(container: ScimParts, name: string, part: string, value: Scalar): void {
  const current = (container[name] ??= newParts())
  if (isParts(current)) current[part] = value
}

/** The types of entries without one are their numbers. */
const NUMBER = /^\d+$/

function setEntry(
  container: ScimParts,
  name: string,
  key: string,
  [part, value]: [string, Scalar],
  entries: Map<string, ScimParts>,
): void {
  const list = (container[name] ??= [])
  if (!isList(list)) return
  let entry = entries.get(key)
  if (!entry) {
    const type = key.slice(key.indexOf(`${name}.`) + name.length + 1)
    entry = newParts(NUMBER.test(type) ? {} : { type })
    entries.set(key, entry)
    list.push(entry)
  }
  entry[part] = value
}
