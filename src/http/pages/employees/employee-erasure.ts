import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { CompanyServices } from '../../../accounts/change-company.ts'
import type { Employee } from '../../../domain/employees/employee.ts'
import type { ErasureScope } from '../../../personal-data/erase-employee.ts'
import { eraseEmployee, findErasureScope } from '../../../personal-data/erase-employee.ts'
import type { NamedPerson } from '../../../personal-data/find-person.ts'
import { readEmployeeAt } from '../../../ledger/read/read-employee-history.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ErasureBody, readIdentifier } from '../../admin/erasures.ts'
import { makeUnknownEmployeeError } from '../../audit/employee-history.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { ProblemError } from '../../server/problem.ts'
import { readEmployeeId, type EmployeeRoute } from './employee-page.ts'
import { buildEmployeeUrl } from '../events/event-values.ts'
import {
  toFormProblem,
  checkForm,
  renderTypedConfirmation,
  requireTyped,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { formatCount } from '../parts/shown-values.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.employees.path
const ONE_IDENTIFIER = fieldError('', 'invalid_value', 'Enter either an email or an external ID')

/** An erasure searches all refused records of the company. */
const HEAVY = { config: { isHeavyRead: ALWAYS } }

/** Erasure, for administrators: of an employee, or of a person who appears only in refused records. */
export function addEmployeeErasure(app: FastifyInstance, db: LedgerDb, services: CompanyServices): void {
  app.get<EmployeeRoute>(`${PATH}/:id/erase`, HEAVY, (request, reply) =>
    sendEmployeeErasureForm(db, services, request, reply, null),
  )
  app.post<EmployeeRoute>(`${PATH}/:id/erase`, HEAVY, async (request, reply) => {
    const id = readEmployeeId(request)
    try {
      const { typed } = await readPerson(db, getViewer(request).companyId, id)
      requireTyped(readFormFields(request.body), typed)
      await eraseEmployee(services, getActing(request), { by: 'id', value: id }, request.left)
    } catch (error) {
      return sendEmployeeErasureForm(db, services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${buildEmployeeUrl(id)}?done=erased`, 303)
  })

  app.get(`${PATH}/erase`, (request, reply) => sendFindPersonForm(request, reply, null))
  const keptForm = { fields: ['email', 'external_id'], show: sendFindPersonForm }
  app.post(`${PATH}/erase`, { config: { ...HEAVY.config, keptForm } }, async (request, reply) => {
    const { companyId } = getViewer(request)
    const fields = readFormFields(request.body)
    let person: NamedPerson
    let scope: ErasureScope
    try {
      person = readPersonFields(fields)
      scope = await findErasureScope(services.pool, companyId, person, request.left)
    } catch (error) {
      return sendFindPersonForm(request, reply, toFormProblem(error))
    }
    if (scope.employeeId !== null) return reply.redirect(`${buildEmployeeUrl(scope.employeeId)}/erase`, 303)
    if (fields['typed'] === undefined) return sendPersonErasureForm(request, reply, { person, scope }, null)
    try {
      requireTyped(fields, person.value)
      await eraseEmployee(services, getActing(request), person, request.left)
    } catch (error) {
      return sendPersonErasureForm(request, reply, { person, scope }, toFormProblem(error))
    }
    return reply.redirect(`${PATH}?done=erased`, 303)
  })
}

/** Reads an email or an external id as the endpoint does. Throws a problem unless exactly one was entered. */
function readPersonFields({ email = '', external_id: externalId = '' }: FormFields): NamedPerson {
  const given = Object.entries({ email: email.trim(), external_id: externalId }).filter(([, text]) => text !== '')
  if (given.length !== 1) throw new ProblemError(invalidFields([ONE_IDENTIFIER]))
  return readIdentifier(checkForm(ErasureBody, Object.fromEntries(given)))
}

interface ShownPerson {
  /** Null when the person is erased already, but newer refused records mention them. */
  employee: Employee | null
  /** What an administrator types to confirm. */
  typed: string
}

/** Reads from the ledger itself who would be erased: the read model may be behind. */
async function readPerson(db: LedgerDb, companyId: string, id: string): Promise<ShownPerson> {
  const state = await readEmployeeAt(db, companyId, id, Number.MAX_SAFE_INTEGER)
  if (state.standing === 'unknown') throw makeUnknownEmployeeError()
  const employee = state.standing === 'known' ? state.employee : null
  return { employee, typed: employee?.email ?? id }
}

async function sendEmployeeErasureForm(
  db: LedgerDb,
  services: CompanyServices,
  request: FastifyRequest<EmployeeRoute>,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const id = readEmployeeId(request)
  const { employee, typed } = await readPerson(db, viewer.companyId, id)
  const name = employee ? `${employee.first_name} ${employee.last_name}` : 'Erased person'
  const scope = await findErasureScope(services.pool, viewer.companyId, { by: 'id', value: id }, request.left)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: 'Erase person',
    body: html`${renderBreadcrumb(NAVIGATION.employees, [{ label: name, path: buildEmployeeUrl(id) }])}
      <h1>Erase <bdi>${name}</bdi>?</h1>
      ${renderFormAlert(problem)}
      <dl class="facts">
        <dt>Name</dt>
        <dd><bdi>${name}</bdi></dd>
        <dt>Email</dt>
        <dd><bdi>${employee?.email ?? 'Erased'}</bdi></dd>
        <dt>Employee</dt>
        <dd><code>${id}</code></dd>
        ${renderScope(scope)}
      </dl>
      ${renderConsequences()}
      <form method="post" action="${buildEmployeeUrl(id)}/erase" class="stack">
        ${renderTypedConfirmation(typed, problem)}
        <div class="actions">
          <button class="danger">Erase person</button><a class="button" href="${buildEmployeeUrl(id)}">Cancel</a>
        </div>
      </form>`,
  })
}

/** Renders how much an erasure would delete. */
function renderScope({ events, refusedRecords, bodies, storedRows, fileNames }: ErasureScope): Html {
  const parts = [
    ...(events > 0 ? [`the data of ${formatCount(events, 'event')}`] : []),
    ...(refusedRecords > 0 ? [formatCount(refusedRecords, 'refused record')] : []),
    ...(bodies > 0 ? [formatCount(bodies, 'unreadable request')] : []),
    ...(storedRows > 0 ? [formatCount(storedRows, 'stored row')] : []),
    ...(fileNames > 0 ? [formatCount(fileNames, 'file name')] : []),
  ]
  return html`<dt>Will be deleted</dt>
    <dd>${parts.join(' and ')}</dd>`
}

async function sendFindPersonForm(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const { email = '', external_id: externalId = '' } = problem ? readFormFields(request.body) : {}
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: 'Erase person',
    body: html`${renderBreadcrumb(NAVIGATION.employees)}
      <h1>Erase a person by email or external ID</h1>
      ${renderFormAlert(problem)}
      <p>This also finds someone who was never created and who appears only in refused records.</p>
      <form method="post" action="${PATH}/erase" class="stack">
        ${renderField({ name: 'email', label: 'Email', value: email, isRequired: false, autocomplete: 'off', hint: 'Current, or as it appears in a refused record; case does not matter.' }, problem)}
        ${renderField({ name: 'external_id', label: 'Or external ID', value: externalId, isRequired: false, autocomplete: 'off', hint: 'Exactly as sent.' }, problem)}
        <div class="actions">
          <button class="primary">Find person</button><a class="button" href="${PATH}">Cancel</a>
        </div>
      </form>`,
  })
}

/** Asks for confirmation to erase a person who appears only in refused records. */
async function sendPersonErasureForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { person, scope }: { person: NamedPerson; scope: ErasureScope },
  problem: FormProblem,
): Promise<FastifyReply> {
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: 'Erase person',
    body: html`${renderBreadcrumb(NAVIGATION.employees)}
      <h1>Erase <bdi>${person.value}</bdi>?</h1>
      ${renderFormAlert(problem)}
      <p>This person was never created and appears only in refused records.</p>
      <dl class="facts">
        <dt>${person.by === 'email' ? 'Email' : 'External ID'}</dt>
        <dd><bdi>${person.value}</bdi></dd>
        ${renderScope(scope)}
      </dl>
      ${renderConsequences()}
      <form method="post" action="${PATH}/erase" class="stack">
        <input type="hidden" name="${person.by}" value="${person.value}" />
        ${renderTypedConfirmation(person.value, problem)}
        <div class="actions">
          <button class="danger">Erase person</button><a class="button" href="${PATH}">Cancel</a>
        </div>
      </form>`,
  })
}

/** Renders what an erasure deletes and what it keeps. */
function renderConsequences(): Html {
  return html`<p class="warning">This can't be undone.</p>
    <h2>What will be deleted</h2>
    <ul>
      <li>
        All current and past attributes of the person, such as names and addresses: the data of their events in the
        ledger.
      </li>
      <li>
        Refused records that mention the person's ID, or any email or external ID that they have or had. A record that
        also mentions someone else, such as a manager, is deleted as a whole.
      </li>
      <li>The person in lists, searches and stored responses.</li>
    </ul>
    <h2>What stays</h2>
    <ul>
      <li>
        The fact that these events and calls happened, when, and who caused them; IDs, counts and hashes. The ledger
        still verifies, and Bulk User Logs shows the records as erased.
      </li>
      <li>One new event that lists the positions of the erased data, and nothing about the person.</li>
      <li>Mentions of the person in other people's attributes.</li>
      <li>Copies outside this service: exports, backups, other systems.</li>
    </ul>`
}
