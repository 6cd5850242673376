import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { CompanyServices } from '../../../accounts/users/change-company.ts'
import { eraseEmployee } from '../../../erasure/erase-employee.ts'
import { listStoredEvents } from '../../../ledger/read/browse-events.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ErasureBody, readIdentifier } from '../../admin/erasures.ts'
import { makeUnknownEmployeeError } from '../../audit/employee-history.ts'
import { fieldError, invalidFields } from '../../server/body-faults.ts'
import { ProblemError } from '../../server/problem.ts'
import { readEmployeeId, type EmployeeRoute } from './employee-page.ts'
import { buildEmployeeUrl } from '../events/event-values.ts'
import {
  toFormProblem,
  checkForm,
  renderConfirmation,
  requireConfirmation,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.employees.path
const ONE_IDENTIFIER = fieldError('', 'invalid_value', 'Enter either an email or an external ID')

/** Erasure, for administrators: of an employee, or of a person who appears only in refused records. */
export function addEmployeeErasure(app: FastifyInstance, db: LedgerDb, services: CompanyServices): void {
  app.get<EmployeeRoute>(`${PATH}/:id/erase`, (request, reply) => sendEmployeeErasureForm(db, request, reply, null))
  app.post<EmployeeRoute>(`${PATH}/:id/erase`, async (request, reply) => {
    const id = readEmployeeId(request)
    try {
      requireConfirmation(readFormFields(request.body))
      await eraseEmployee(services, getActing(request), { by: 'id', value: id })
    } catch (error) {
      return sendEmployeeErasureForm(db, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${buildEmployeeUrl(id)}?done=erased`, 303)
  })

  app.get(`${PATH}/erase`, (request, reply) => sendPersonErasureForm(request, reply, null))
  app.post(`${PATH}/erase`, async (request, reply) => {
    const fields = readFormFields(request.body)
    try {
      const { email = '', external_id: externalId = '' } = fields
      const given = Object.entries({ email: email.trim(), external_id: externalId }).filter(([, text]) => text !== '')
      if (given.length !== 1) throw new ProblemError(invalidFields([ONE_IDENTIFIER]))
      const person = readIdentifier(checkForm(ErasureBody, Object.fromEntries(given)))
      requireConfirmation(fields)
      const erased = await eraseEmployee(services, getActing(request), person)
      return await reply.redirect(
        `${erased.employeeId === null ? PATH : buildEmployeeUrl(erased.employeeId)}?done=erased`,
        303,
      )
    } catch (error) {
      return sendPersonErasureForm(request, reply, toFormProblem(error))
    }
  })
}

async function sendEmployeeErasureForm(
  db: LedgerDb,
  request: FastifyRequest<EmployeeRoute>,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const id = readEmployeeId(request)
  const { events } = await listStoredEvents(
    db,
    viewer.companyId,
    { stream: id },
    { place: { upTo: Number.MAX_SAFE_INTEGER }, limit: 1 },
  )
  if (events.length === 0) throw makeUnknownEmployeeError()
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: 'Erase person',
    body: html`${renderBreadcrumb(NAVIGATION.employees, [{ label: 'Employee', path: buildEmployeeUrl(id) }])}
      <h1>Erase this person?</h1>
      ${renderFormAlert(problem)}
      <p>Employee <code>${id}</code></p>
      ${renderConsequences()}
      <form method="post" action="${buildEmployeeUrl(id)}/erase" class="stack">
        ${renderConfirmation(`Permanently erase ${id}`, problem)}
        <div class="actions">
          <button class="danger">Erase person</button><a class="button" href="${buildEmployeeUrl(id)}">Cancel</a>
        </div>
      </form>`,
  })
}

async function sendPersonErasureForm(
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
      <p>This also erases someone who was never created and who appears only in refused records.</p>
      ${renderConsequences()}
      <form method="post" action="${PATH}/erase" class="stack">
        ${renderField({ name: 'email', label: 'Email', value: email, isRequired: false, autocomplete: 'off', hint: 'Current, or as it appears in a refused record; case does not matter.' }, problem)}
        ${renderField({ name: 'external_id', label: 'Or external ID', value: externalId, isRequired: false, autocomplete: 'off', hint: 'Exactly as sent.' }, problem)}
        ${renderConfirmation('Permanently erase this person', problem)}
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
