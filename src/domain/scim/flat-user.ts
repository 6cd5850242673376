import { foldText, trimBlanks } from '#text/normalize-text'
import type { AttributeName } from '../attributes.ts'
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

/** The paths of attributes of employees, in the order in which users have them. */
export const PATHS = {
  directory_external_id: 'externalId',
  user_name: 'userName',
  first_name: 'name.givenName',
  last_name: 'name.familyName',
  status: 'active',
  job_title: 'title',
  email: 'emails.work.value',
  phone: 'phoneNumbers.work.value',
  employee_number: pathOf(ENTERPRISE, 'employeeNumber'),
  department: pathOf(ENTERPRISE, 'department'),
  division: pathOf(ENTERPRISE, 'division'),
  manager_id: pathOf(ENTERPRISE, 'manager.value'),
  start_date: pathOf(HR, 'startDate'),
  termination_date: pathOf(HR, 'terminationDate'),
  location: pathOf(HR, 'location'),
  external_id: pathOf(HR, 'hrId'),
} as const satisfies Record<Exclude<AttributeName, 'custom_attributes'>, string>

interface FlatUser {
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
const MANAGER = pathOf(ENTERPRISE, 'manager')

export function flattenUser(user: ScimUser): FlatUser {
  const flat: FlatUser = { values: new Map(), unkept: new Set(), repeated: new Set() }
  const { values, unkept, repeated } = flat

  function set(attribute: string, path: string, value: ScimValue) {
    if (isScalar(value) && !isSecretName(path.slice(path.search(/[^.:]*$/)))) values.set(path, value)
    else unkept.add(attribute)
  }

  function addParts(attribute: string, prefix: string, parts: ScimParts) {
    for (const name of Object.keys(parts))
      if (!DESCRIBED.has(name) && (attribute !== MANAGER || name === 'value'))
        set(attribute, `${prefix}.${name}`, parts[name]!)
  }

  function addList(path: string, entries: readonly ScimValue[]) {
    const work = WORK_LISTS.has(path) ? findWork(entries) : undefined
    const seen = new Set<string>()
    let untyped = 0
    for (const entry of entries) {
      if (!isParts(entry)) {
        unkept.add(path)
        continue
      }
      const isWork = entry === work
      const type = isWork ? 'work' : (typeOf(entry) ?? String((untyped += 1)))
      if (seen.has(foldText(type))) {
        repeated.add(path)
        continue
      }
      seen.add(foldText(type))
      const { primary, ...others } = entry
      addParts(path, `${path}.${type}`, others)
      const isUsual = isWork ? primary !== false || hasOtherPrimary(entries, entry) : primary !== true
      if (!isUsual) set(path, `${path}.${type}.primary`, primary!)
    }
  }

  function add(urn: string | null, name: string, value: ScimValue) {
    const path = pathOf(urn, name)
    const known = findAttribute(urn, name)?.attribute
    if (isList(value) || known?.isMany) addList(path, [value].flat())
    else if (known && isParts(value) !== (known.parts !== undefined)) unkept.add(path)
    else if (isParts(value)) addParts(path, path, value)
    else set(path, path, value)
  }

  for (const [name, value] of Object.entries(user)) {
    if (!/^urn:/i.test(name)) {
      if (!NOT_KEPT.has(name)) add(null, name, value)
    } else if (isParts(value)) for (const part of Object.keys(value)) add(spellUrn(name), part, value[part]!)
    else unkept.add(name)
  }
  return flat
}

function hasOtherPrimary(entries: readonly ScimValue[], entry: ScimValue) {
  return entries.some((one) => one !== entry && isParts(one) && one['primary'] === true)
}

function typeOf(entry: ScimParts) {
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
function pathOf(urn: string | null, name: string): string {
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
    const part = rest.pop()
    if (!NAME.test(name) || (part !== undefined && !NAME.test(part)) || isSecretName(part ?? name)) continue
    const urn = colon < 0 ? null : readUrn(path.slice(0, colon))
    if (urn === null ? NOT_KEPT.has(name) : !/^urn:/i.test(urn)) continue
    const known = findAttribute(urn, name)?.attribute
    const isEntry = rest.length > 0
    if (known && (isEntry !== (known.isMany === true) || (part !== undefined) !== (known.parts !== undefined))) continue
    const container = urn === null ? user : (user[urn] ??= newParts())
    if (!isParts(container)) continue
    if (part === undefined) container[name] ??= value
    else if (!isEntry) {
      const parts = (container[name] ??= newParts())
      if (isParts(parts)) parts[part] = value
    } else {
      const list = (container[name] ??= [])
      if (!isList(list)) continue
      const [type, key] = [rest.join('.'), path.slice(0, path.lastIndexOf('.'))]
      // The types of entries without one are their numbers.
      const entry = entries.get(key) ?? newParts(/^\d+$/.test(type) ? {} : { type })
      if (!entries.has(key)) list.push(entry)
      entries.set(key, entry)
      entry[part] = value
    }
  }
  return user
}

function readUrn(short: string) {
  return /^urn:/i.test(short) ? short : EXTENSION + short
}
