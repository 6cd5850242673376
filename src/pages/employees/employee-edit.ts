import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ATTRIBUTE_NAMES, ATTRIBUTE_RULES, type AttributeName, type CustomValue } from '#domain/attributes'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { jsonPointer, type Problem, problem } from '#domain/errors'
import { isId } from '#domain/ids'
import { trimBlanks } from '#text/normalize-text'
import { makeUnknownEmployeeError, readEmployeeId } from '#api/audit/employee-history'
import { ProblemError } from '#http/server/problem'
import { callByHand } from '#ledger/calls/run-api-call'
import { readEmployeeAt } from '#ledger/read/read-employee-history'
import { readHead } from '#ledger/read/read-head'
import { buildEmployeeUrl, NAVIGATION } from '#wording/navigation'
import { formatAttributeName } from '#pages/parts/attribute-values'
import { renderField, type FormFields, type FormProblem, readSeenVersion, renderButtons } from '#pages/parts/form'
import { html, isolate, renderHint, renderActions } from '#pages/parts/elements'
import { addFormPage, renderForm, type PageRequest } from '#pages/parts/form-page'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'

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
const FIELDS = ATTRIBUTE_NAMES.filter((name): name is FieldName => name !== 'status' && name !== 'custom_attributes')
const CUSTOM = 'custom_'

/** The names of custom attributes in the form, in the order of their names. */
function listCustom({ custom_attributes: custom }: Employee): [field: string, name: string, value: CustomValue][] {
  return Object.entries(custom)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value], at) => [`${CUSTOM}${at}`, name, value])
}

/** The values of an employee as the texts of the form. */
function formatEmployee(employee: Employee): FormFields {
  return Object.fromEntries([
    ...FIELDS.map((name) => [name, employee[name] ?? '']),
    ...listCustom(employee).map(([field, , value]) => [field, String(value)]),
  ])
}

/** Renders the fields. */
function renderEmployeeFields(employee: Employee, values: FormFields, problem: FormProblem) {
  const field = (name: string, label: string, rest: object = {}) =>
    renderField({ name, label, value: values[name] ?? '', isRequired: false, ...rest }, problem)
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
function readEmployeeForm(employee: Employee, fields: FormFields): Record<string, unknown> {
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
function readCustom(text: string, before: CustomValue) {
  if (text === '') return null
  if (typeof before === 'number' && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return Number(text)
  if (typeof before === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Places the errors of the record at the fields of the form. */
function placeErrors(employee: Employee, refusal: Problem): Problem {
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

export type EmployeeRequest = PageRequest<{ id: string }>

const CHANGED_MEANWHILE = problem(
  'precondition_failed',
  'Somebody has changed this employee since the form was shown. These are the values now',
)

/** `/settings/employees/{id}/edit`: the values of an employee, for administrators to change. Each change is a call. */
export function addEmployeeEdit(app: FastifyInstance, services: PageServices) {
  const config = { isHeavyRead: true }
  const load = (request: EmployeeRequest) => loadEmployee(services, request)
  addFormPage(app, {
    path: `${NAVIGATION.employees.path}/:id/edit`,
    config,
    load,
    render(employee, forms) {
      const name = formatFullName(employee)
      const { version } = employee
      const [verb, consequence] =
        employee.status === 'active'
          ? ['Deactivate', 'The person stays, with all values and their history, and can come back.']
          : ['Reactivate', 'The person is active again, with the values above.']
      return {
        title: `Edit ${name}`,
        heading: html`Edit ${isolate(name)}`,
        trail: [NAVIGATION.employees, { label: name, path: buildEmployeeUrl(employee.id) }],
        body: html`${renderHint('Changes make an entry in Bulk User Logs, in your name. An empty field has no value.')}
          ${renderForm(forms, 'save', {
            fields: (values, refusal) => renderEmployeeFields(employee, values, refusal),
            values: formatEmployee(employee),
            version,
            buttons: renderButtons('Save changes', buildEmployeeUrl(employee.id)),
          })}
          <h2>${verb}</h2>
          <p>${consequence}</p>
          ${renderForm(forms, 'status', { version, buttons: renderActions(html`<button>${verb}</button>`) })}`,
      }
    },
    forms: {
      save: {
        config,
        keeps: [...FIELDS, 'seen'],
        run: async (request, fields) => {
          const employee = await load(request)
          const changes = readEmployeeForm(employee, fields)
          const isSame = Object.keys(changes).length === 0
          if (!isSame) await change(services, request, employee, changes, fields)
          return { goTo: `${buildEmployeeUrl(employee.id)}?done=${isSame ? 'unchanged' : 'saved'}` }
        },
      },
      status: {
        path: '/status',
        config,
        run: async (request, fields) => {
          const employee = await load(request)
          const isActive = employee.status === 'active'
          await change(services, request, employee, { status: isActive ? 'inactive' : 'active' }, fields)
          return { goTo: `${buildEmployeeUrl(employee.id)}?done=${isActive ? 'deactivated' : 'reactivated'}` }
        },
      },
    },
  })
}

/** Reads an employee from the ledger, which has every change from the moment of its answer. */
async function loadEmployee({ reads }: PageServices, request: EmployeeRequest) {
  const { companyId } = getViewer(request)
  const id = readEmployeeId(request.params.id)
  const db = await reads.of(companyId, request.left)
  const { position } = await readHead(db, companyId)
  const then = await readEmployeeAt(db, companyId, id, position)
  if (then.standing !== 'known') throw makeUnknownEmployeeError()
  return then.employee
}

/** Makes the call that changes an employee. Throws the problem with which it is refused, or if the form is outdated. */
async function change(
  { uploads: { commands } }: PageServices,
  request: EmployeeRequest,
  employee: Employee,
  changes: Record<string, unknown>,
  fields: FormFields,
) {
  const { id, version } = employee
  if (readSeenVersion(fields) !== version) throw new ProblemError(CHANGED_MEANWHILE)
  const { status, body } = await callByHand(commands, {
    acting: getActing(request),
    requestId: request.id,
    operation: 'update_many',
    records: [{ id, ...changes }],
    corrects: {},
    form: `${id} ${version} ${hash('sha256', JSON.stringify(changes))}`,
  })
  if (status < 400) return
  const refusal = (Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body) as Problem
  throw new ProblemError(placeErrors(employee, { ...refusal, errors: refusal.errors ?? [] }))
}
