import { ATTRIBUTE_NAMES, ATTRIBUTE_RULES, type AttributeName, type CustomValue } from '#domain/attributes'
import type { Employee } from '#domain/employees/employee'
import { jsonPointer, type Problem } from '#domain/errors'
import { isId } from '#domain/ids'
import { formatAttributeName } from '../parts/attribute-words.ts'
import { renderField, type FormFields, type FormProblem } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { trimBlanks } from '#text/normalize-text'

/* The form with the values of an employee: what it shows, and the record that it makes. */

/** What the page of an employee says after a form was accepted. */
export const EDITED = {
  saved: 'Changes saved.',
  unchanged: 'Nothing was changed.',
  deactivated: 'Employee deactivated.',
  reactivated: 'Employee reactivated.',
}

/** The attributes with a field of their own. The status has buttons. */
type FieldName = Exclude<AttributeName, 'status' | 'custom_attributes'>
export const FIELDS = ATTRIBUTE_NAMES.filter(
  (name): name is FieldName => name !== 'status' && name !== 'custom_attributes',
)
const CUSTOM = 'custom_'

/** The names of custom attributes in the form, in the order of their names. */
function listCustom({ custom_attributes: custom }: Employee): [field: string, name: string, value: CustomValue][] {
  return Object.entries(custom)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value], at) => [`${CUSTOM}${at}`, name, value])
}

/** The values of an employee as the texts of the form. */
export function formatEmployee(employee: Employee): FormFields {
  return Object.fromEntries([
    ...FIELDS.map((name) => [name, employee[name] ?? '']),
    ...listCustom(employee).map(([field, , value]) => [field, String(value)]),
  ])
}

/** Renders the fields. */
export function renderEmployeeFields(employee: Employee, values: FormFields, problem: FormProblem): Html {
  const field = (name: string, label: string, rest: object = {}) =>
    renderField({ name, label, value: values[name] ?? '', isRequired: false, autocomplete: 'off', ...rest }, problem)
  return html`${FIELDS.map((name) => field(name, formatAttributeName(name), describe(name)))}
  ${listCustom(employee).map(([name, label]) => field(name, label))}`
}

function describe(name: AttributeName): object {
  const rule = ATTRIBUTE_RULES[name]
  if (rule.kind === 'manager') return { hint: 'An ID, email, or external ID.' }
  if (rule.kind === 'date') return { type: 'date' }
  return 'max' in rule ? { maxLength: rule.max } : {}
}

/** The record that sets what somebody has changed in the form; empty if that is nothing. */
export function readEmployeeForm(employee: Employee, fields: FormFields): Record<string, unknown> {
  const shown = formatEmployee(employee)
  const isChanged = (name: string) => fields[name] !== undefined && fields[name] !== shown[name]
  const changes = FIELDS.filter(isChanged).map((name) => toMember(name, trimBlanks(fields[name]!)))
  const custom = listCustom(employee)
    .filter(([field]) => isChanged(field))
    .map(([field, name, value]) => [name, readCustom(trimBlanks(fields[field]!), value)])
  return {
    ...Object.fromEntries(changes),
    ...(custom.length === 0 ? {} : { custom_attributes: Object.fromEntries(custom) }),
  }
}

/** A member of a record. A manager may be named in several ways. */
function toMember(name: AttributeName, text: string): [string, string | null] {
  if (text === '') return [name, null]
  const hasId: boolean = name !== 'manager_id' || isId('emp', text)
  if (hasId) return [name, text]
  return [text.includes('@') ? 'manager_email' : 'manager_external_id', text]
}

/** Keeps numbers numbers, and booleans booleans, where the text is one. */
function readCustom(text: string, before: CustomValue): CustomValue | null {
  if (text === '') return null
  if (typeof before === 'number' && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return Number(text)
  if (typeof before === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Places the errors of the record at the fields of the form. */
export function placeErrors(employee: Employee, refusal: Problem): Problem {
  const fieldOf = new Map(
    listCustom(employee).map(([field, name]) => [jsonPointer('/custom_attributes', [name]), field]),
  )
  const errors = refusal.errors.map((error) => {
    const pointer = error.pointer.replace(/^\/0/, '')
    const field = fieldOf.get(pointer) ?? pointer.slice(1).replace(/^manager_(?:email|external_id)$/, 'manager_id')
    return { ...error, pointer: `/${field}` }
  })
  return { ...refusal, errors }
}
