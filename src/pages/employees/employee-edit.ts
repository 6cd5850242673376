import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { makeUnknownEmployeeError, readEmployeeId } from '#api/audit/employee-history'
import type { Employee } from '#domain/employees/employee'
import { formatFullName } from '#domain/employees/full-name'
import { problem, type Problem } from '#domain/errors'
import { ALWAYS } from '#http/access/heavy-reads'
import { ProblemError } from '#http/server/problem'
import { callByHand } from '#ledger/calls/call-by-hand'
import { readEmployeeAt } from '#ledger/read/read-employee-history'
import { readHead } from '#ledger/read/read-head'
import { buildEmployeeUrl, NAVIGATION } from '#wording/navigation'
import { readSeenVersion, renderButtons, type FormFields } from '../parts/form.ts'
import { addFormPage, renderForm } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { FIELDS, formatEmployee, placeErrors, readEmployeeForm, renderEmployeeFields } from './edit-form.ts'
import type { EmployeeRequest } from './employee-page.ts'

const CHANGED_MEANWHILE = problem(
  'precondition_failed',
  'Somebody has changed this employee since the form was shown. These are the values now',
)

/** `/settings/employees/{id}/edit`: the values of an employee, for administrators to change. Each change is a call. */
export function addEmployeeEdit(app: FastifyInstance, services: PageServices): void {
  const config = { isHeavyRead: ALWAYS }
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
        heading: html`Edit <bdi>${name}</bdi>`,
        trail: [NAVIGATION.employees, { label: name, path: buildEmployeeUrl(employee.id) }],
        body: html`<p class="hint">
            What you change becomes an entry in Bulk User Logs, in your name. An empty field has no value.
          </p>
          ${renderForm(forms, 'save', {
            fields: (values, refusal) => renderEmployeeFields(employee, values, refusal),
            values: formatEmployee(employee),
            version,
            buttons: renderButtons('Save changes', buildEmployeeUrl(employee.id)),
          })}
          <h2>${verb}</h2>
          <p>${consequence}</p>
          ${renderForm(forms, 'status', { version, buttons: html`<div class="actions"><button>${verb}</button></div>` })}`,
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
async function loadEmployee({ reads }: PageServices, request: EmployeeRequest): Promise<Employee> {
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
): Promise<void> {
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
