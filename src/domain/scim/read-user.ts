import { noteOf, type CallNote } from '../call-sources.ts'
import {
  ATTRIBUTE_RULES,
  foldUserName,
  MAX_CUSTOM_ATTRIBUTES,
  readAttribute,
  type AttributeName,
  type AttributeRule,
} from '../attributes.ts'
import type { Locator, ReadRecord } from '../calls/call-records.ts'
import { locate, type EmployeeDirectory } from '../calls/call-decision.ts'
import type { FittedRecord } from '../calls/decide-fitted.ts'
import type { Employee } from '../employees/employee.ts'
import { isId } from '../ids.ts'
import { foldText, trimBlanks } from '#text/normalize-text'
import { readPhoneNumber } from '../phone-number.ts'
import { type Fault, RecordErrors } from '../record-faults.ts'
import { flattenUser, PATHS } from './flat-user.ts'
import { toUserValues } from './render-user.ts'
import { FIELD_NAMES } from './scim-protocol.ts'
import type { Scalar, ScimUser } from './user-values.ts'

type ScimName = keyof typeof PATHS

/** The attributes that paths stand for. */
const ATTRIBUTES: ReadonlyMap<string, ScimName> = new Map(
  Object.entries(PATHS).map(([name, path]) => [path, name as ScimName]),
)

/** What a manager may be named by, in this order. */
const MANAGER_NAMES = ['id', 'user_name', 'external_id', 'email'] as const

/** The state in which a user is read. */
interface ReadState {
  before: Employee | undefined
  directory: Pick<EmployeeDirectory, 'byId' | 'byEmail' | 'byExternalId' | 'byUserName'>
  country: string | null
}

/** What differs between a user and an employee, as a record. `asIs` is what the record keeps of the request. */
export function readUser(user: ScimUser, { before, directory, country }: ReadState, asIs: ReadRecord): FittedRecord {
  const { values, unkept, repeated } = flattenUser(user)
  const current = before ? flattenUser(toUserValues(before)).values : new Map<string, Scalar>()
  const patch: Record<string, unknown> = {}
  const custom: Record<string, Scalar | null> = {}
  const errors = new RecordErrors()
  const notes: CallNote[] = []
  let managers: ReadRecord['managers'] = []

  const refuse = (name: AttributeName, fault: Fault) => {
    if (!errors.kept.some(({ path }) => path[0] === name)) errors.add([name], fault)
  }
  const noteUnkept = (path: string) => notes.push(noteOf(nameWithoutType(path), 'not_kept'))

  function set(name: ScimName, value: Scalar | undefined) {
    const { value: read, errors: found } = readAttribute(
      name,
      value === undefined ? null : String(value),
      fieldOf(name),
    )
    for (const { fault } of found ?? []) errors.add([name], fault)
    if (read === null && name === 'user_name') refuse(name, { kind: 'required', field: fieldOf(name) })
    else if (!found) patch[name] = read
    if (Object.hasOwn(before?.custom_attributes ?? {}, PATHS[name])) custom[PATHS[name]] = null
  }

  function setStatus(_name: ScimName, value: Scalar | undefined) {
    const text = foldText(trimBlanks(String(value)))
    if (text === 'true' || text === 'false') patch['status'] = text === 'true' ? 'active' : 'inactive'
    else refuse('status', { kind: 'not_boolean', field: fieldOf('status') })
  }

  /** A text that is no number is kept beside the number, and so is the spelling of one. */
  function setPhone(name: ScimName, value: Scalar | undefined) {
    const text = trimBlanks(String(value ?? ''))
    const { value: number } = text === '' ? { value: null } : readPhoneNumber(text, country)
    patch[name] = number ?? null
    custom[PATHS[name]] = text === '' || number === text ? null : text
    if (number === undefined) notes.push(noteOf(fieldOf(name), 'kept_as_text'))
  }

  function setManager(_name: ScimName, value: Scalar | undefined) {
    const found = listManagerNames(String(value ?? '')).flatMap((name) => locate(name, directory) ?? [])[0]
    const locator = found ? ({ field: 'id', value: found.id } as const) : null
    if (found || value === undefined) managers = [{ field: 'manager_id', locator }]
    else notes.push(noteOf(fieldOf('manager_id'), 'manager_not_found'))
  }

  /** Keeps what employees have no attributes for, while there is room. */
  function keep(paths: readonly string[]) {
    for (const path of paths) if (!values.has(path)) custom[path] = null
    const names = new Set(Object.keys(before?.custom_attributes ?? {}))
    const hasRoom = (path: string) => names.has(path) || names.size < MAX_CUSTOM_ATTRIBUTES
    for (const [path, value] of Object.entries(custom)) {
      if (value === null) names.delete(path)
      else if (hasRoom(path)) names.add(path)
      else {
        delete custom[path]
        noteUnkept(path)
      }
    }
    for (const path of paths) {
      const value = values.get(path)
      if (value === undefined) continue
      const { value: read, errors: found } = readAttribute('custom_attributes', { [path]: value })
      if (found || !hasRoom(path)) noteUnkept(path)
      else {
        Object.assign(custom, read)
        names.add(path)
      }
    }
  }

  /** Values of the wrong kind are refused where an attribute is meant, and otherwise not kept. */
  function refuseKind(path: string) {
    const name = path === 'emails' ? 'email' : ATTRIBUTES.get(path)
    if (path === PATHS.status) refuse('status', { kind: 'not_boolean', field: fieldOf('status') })
    else if (path === 'name') errors.add(['first_name'], { kind: 'not_object', field: 'name' })
    else if (name !== undefined) errors.add([name], { kind: 'not_string', field: fieldOf(name) })
    else noteUnkept(path)
  }

  const ways: Partial<Record<AttributeRule['kind'], typeof set>> = {
    status: setStatus,
    phone: setPhone,
    manager: setManager,
  }
  if (!before) chooseName(values)
  const changed = [...new Set([...values.keys(), ...current.keys()])].filter(
    (path) => values.get(path) !== current.get(path),
  )
  if (!values.has(PATHS.user_name)) set('user_name', undefined)
  for (const path of changed) {
    const name = ATTRIBUTES.get(path)
    if (name) (ways[ATTRIBUTE_RULES[name].kind] ?? set)(name, values.get(path))
  }
  keep(changed.filter((path) => !ATTRIBUTES.has(path)))
  for (const path of unkept) refuseKind(path)
  for (const path of repeated) noteUnkept(path)
  const own = Object.keys(custom).length === 0 ? patch : { ...patch, custom_attributes: custom }
  return { record: { ...asIs, patch: own, errors, managers, localPhones: [] }, notes }
}

/** A new person without a name in two parts gets a name in one. */
function chooseName(values: Map<string, Scalar>) {
  if (values.has(PATHS.first_name) || values.has(PATHS.last_name)) return
  const name = values.get('name.formatted') ?? values.get('displayName') ?? values.get(PATHS.user_name)
  if (name !== undefined) values.set(PATHS.first_name, [...String(name)].slice(0, MAX_NAME).join(''))
}

const MAX_NAME = 80

function fieldOf(name: AttributeName) {
  return FIELD_NAMES[name] ?? name
}

/** The path of a value without the type of its entry, which may be anything. */
function nameWithoutType(path: string) {
  const colon = path.lastIndexOf(':')
  const [name = '', ...rest] = path.slice(colon + 1).split('.')
  const part = rest.at(-1)
  const shown = path.slice(0, colon + 1) + (part === undefined ? name : `${name}.${part}`)
  return SHOWN.test(shown) ? shown : 'an attribute'
}

/** A name of an attribute, with its schema: nothing that could be somebody's address. */
const SHOWN = /^[a-z0-9:._$-]{1,160}$/i

/** What the name of a manager may mean. */
export function listManagerNames(sent: string): Locator[] {
  const text = trimBlanks(sent)
  if (text === '') return []
  return MANAGER_NAMES.flatMap((field): Locator[] => {
    if (field === 'id') return isId('emp', text) ? [{ field, value: text }] : []
    const { value, errors } = readAttribute(field, text)
    if (errors || typeof value !== 'string') return []
    return [field === 'user_name' ? { field, value: foldUserName(value) } : { field, value }]
  })
}
