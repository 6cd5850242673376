import { noteOf, type CallNote } from '../call-sources.ts'
import { foldUserName, MAX_CUSTOM_ATTRIBUTES, readAttribute, type AttributeName } from '../attributes.ts'
import { type EmployeeDirectory, locate } from '../calls/call-decision.ts'
import type { Locator, ReadRecord } from '../calls/call-records.ts'
import type { FittedRecord } from '../calls/decide-fitted.ts'
import type { Employee } from '../employees/employee.ts'
import { isId } from '../ids.ts'
import { foldText, trimBlanks } from '#text/normalize-text'
import { readPhoneNumber } from '../phone-number.ts'
import { RecordErrors } from '../record-faults.ts'
import { flattenUser, PATHS } from './flat-user.ts'
import { toUserValues } from './render-user.ts'
import { FIELD_NAMES } from './scim-protocol.ts'
import type { Scalar, ScimUser } from './user-values.ts'

/** The attributes that paths stand for, apart from those that are read in ways of their own. */
const ATTRIBUTES: ReadonlyMap<string, AttributeName> = new Map([
  [PATHS.userName, 'user_name'],
  [PATHS.externalId, 'directory_external_id'],
  [PATHS.givenName, 'first_name'],
  [PATHS.familyName, 'last_name'],
  [PATHS.title, 'job_title'],
  [PATHS.email, 'email'],
  [PATHS.employeeNumber, 'employee_number'],
  [PATHS.department, 'department'],
  [PATHS.division, 'division'],
  [PATHS.startDate, 'start_date'],
  [PATHS.terminationDate, 'termination_date'],
  [PATHS.location, 'location'],
  [PATHS.hrId, 'external_id'],
] as const)

const OWN_WAYS = new Set<string>([PATHS.active, PATHS.phone, PATHS.manager])

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
  const reading = new Reading(asIs)
  if (!before) chooseName(values)
  const changed = [...new Set([...values.keys(), ...current.keys()])].filter(
    (path) => values.get(path) !== current.get(path),
  )
  for (const path of changed) {
    const attribute = ATTRIBUTES.get(path)
    if (attribute) reading.set(attribute, values.get(path))
  }
  if (!before && !values.has(PATHS.userName)) reading.miss('user_name')
  if (before && current.has(PATHS.userName) && !values.has(PATHS.userName)) reading.miss('user_name')
  if (changed.includes(PATHS.active)) reading.setStatus(values.get(PATHS.active))
  if (changed.includes(PATHS.phone)) reading.setPhone(values.get(PATHS.phone), country)
  if (changed.includes(PATHS.manager)) reading.setManager(values.get(PATHS.manager), directory)
  const kept = changed.filter((path) => !ATTRIBUTES.has(path) && !OWN_WAYS.has(path))
  reading.keep(kept, values, before?.custom_attributes ?? {})
  for (const path of unkept) reading.refuseKind(path)
  for (const path of repeated) reading.noteUnkept(path)
  return reading.finish()
}

/** A new person without a name in two parts gets a name in one. */
function chooseName(values: Map<string, Scalar>): void {
  if (values.has(PATHS.givenName) || values.has(PATHS.familyName)) return
  const name = values.get(PATHS.formatted) ?? values.get(PATHS.displayName) ?? values.get(PATHS.userName)
  if (name === undefined) return
  values.set(PATHS.givenName, [...String(name)].slice(0, MAX_NAME).join(''))
}

const MAX_NAME = 80

class Reading {
  readonly #record: ReadRecord
  readonly #patch: Record<string, unknown> = {}
  readonly #custom: Record<string, Scalar | null> = {}
  readonly #errors = new RecordErrors()
  readonly #notes: CallNote[] = []
  #managers: ReadRecord['managers'] = []

  constructor(record: ReadRecord) {
    this.#record = record
  }

  set(name: AttributeName, value: Scalar | undefined): void {
    const sent = value === undefined ? null : String(value)
    const { value: read, errors } = readAttribute(name, sent, fieldOf(name))
    if (errors) for (const { fault } of errors) this.#errors.add([name], fault)
    else if (read === null && name === 'user_name') this.miss(name)
    else this.#patch[name] = read
  }

  miss(name: AttributeName): void {
    if (!this.#errors.kept.some(({ path }) => path[0] === name))
      this.#errors.add([name], { kind: 'required', field: fieldOf(name) })
  }

  setStatus(value: Scalar | undefined): void {
    const text = foldText(trimBlanks(String(value)))
    if (text === 'true' || text === 'false') this.#patch['status'] = text === 'true' ? 'active' : 'inactive'
    else this.#errors.add(['status'], { kind: 'not_boolean', field: fieldOf('status') })
  }

  /** A text that is no number is kept beside the number, and so is the spelling of one. */
  setPhone(value: Scalar | undefined, country: string | null): void {
    const text = value === undefined ? '' : trimBlanks(String(value))
    if (text === '') {
      this.#patch['phone'] = null
      this.#custom[PATHS.phone] = null
      return
    }
    const { value: number } = readPhoneNumber(text, country)
    this.#patch['phone'] = number ?? null
    this.#custom[PATHS.phone] = number === text ? null : text
    if (number === undefined) this.#notes.push(noteOf(fieldOf('phone'), 'kept_as_text'))
  }

  setManager(value: Scalar | undefined, directory: ReadState['directory']): void {
    if (value === undefined) {
      this.#managers = [{ field: 'manager_id', locator: null }]
      return
    }
    const found = listManagerNames(String(value)).find((name) => locate(name, directory))
    const manager = found && locate(found, directory)
    if (manager) this.#managers = [{ field: 'manager_id', locator: { field: 'id', value: manager.id } }]
    else this.#notes.push(noteOf(fieldOf('manager_id'), 'manager_not_found'))
  }

  /** Keeps what employees have no attributes for, while there is room. */
  keep(paths: readonly string[], values: ReadonlyMap<string, Scalar>, custom: Employee['custom_attributes']): void {
    for (const path of paths) if (!values.has(path)) this.#custom[path] = null
    const names = new Set(Object.keys(custom))
    for (const [path, value] of Object.entries(this.#custom)) {
      if (value === null) names.delete(path)
      else if (names.has(path) || names.size < MAX_CUSTOM_ATTRIBUTES) names.add(path)
      else {
        delete this.#custom[path]
        this.noteUnkept(path)
      }
    }
    for (const path of paths) {
      const value = values.get(path)
      if (value === undefined) continue
      const { value: read, errors } = readAttribute('custom_attributes', { [path]: value })
      const hasRoom = names.has(path) || names.size < MAX_CUSTOM_ATTRIBUTES
      if (errors || !hasRoom) {
        this.noteUnkept(path)
        continue
      }
      Object.assign(this.#custom, read)
      names.add(path)
    }
  }

  /** Values of the wrong kind are refused where an attribute is meant, and otherwise not kept. */
  refuseKind(path: string): void {
    const name = path === 'name' ? 'first_name' : ATTRIBUTES.get(path)
    if (path === PATHS.active) this.#errors.add(['status'], { kind: 'not_boolean', field: fieldOf('status') })
    else if (path === 'name') this.#errors.add(['first_name'], { kind: 'not_object', field: 'name' })
    else if (name !== undefined) this.#errors.add([name], { kind: 'not_string', field: fieldOf(name) })
    else if (path === 'emails') this.#errors.add(['email'], { kind: 'not_string', field: fieldOf('email') })
    else this.noteUnkept(path)
  }

  noteUnkept(path: string): void {
    this.#notes.push(noteOf(nameWithoutType(path), 'not_kept'))
  }

  finish(): FittedRecord {
    const custom = Object.keys(this.#custom).length === 0 ? {} : { custom_attributes: this.#custom }
    const patch = { ...this.#patch, ...custom } as ReadRecord['patch']
    const record = { ...this.#record, patch, errors: this.#errors, managers: this.#managers, localPhones: [] }
    return { record, notes: this.#notes }
  }
}

function fieldOf(name: AttributeName): string {
  return (FIELD_NAMES as Partial<Record<AttributeName, string>>)[name] ?? name
}

/** The path of a value without the type of its entry, which may be anything. */
function nameWithoutType(path: string): string {
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
