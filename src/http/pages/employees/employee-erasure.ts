import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { CompanyServices } from '../../../accounts/users/change-company.ts'
import { eraseEmployee } from '../../../erasure/erase-employee.ts'
import { listStoredEvents } from '../../../ledger/read/browse-events.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ErasureBody, namedIn } from '../../admin/erasures.ts'
import { readEmployeeId, noSuchEmployee, type EmployeeRoute } from './employee-page.ts'
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

/** Erasing a person, for administrators: an employee from their page, and whom refused records alone speak of. */
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
      const person = namedIn(checkForm(ErasureBody, Object.fromEntries(given)))
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
  if (events.length === 0) throw noSuchEmployee()
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: 'Erase a person',
    body: html`${renderBreadcrumb(NAVIGATION.employees, [{ label: 'The employee', path: buildEmployeeUrl(id) }])}
      <h1>Erase this person?</h1>
      ${renderFormAlert(problem)}
      <p>Employee <code>${id}</code></p>
      ${renderConsequences()}
      <form method="post" action="${buildEmployeeUrl(id)}/erase" class="stack">
        ${renderConfirmation(`Erase ${id} for ever`, problem)}
        <div class="actions">
          <button class="danger">Erase the person</button
          ><a class="button" href="${buildEmployeeUrl(id)}">Keep the person</a>
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
    title: 'Erase a person',
    body: html`${renderBreadcrumb(NAVIGATION.employees)}
      <h1>Erase a person by e-mail or external id</h1>
      ${renderFormAlert(problem)}
      <p>
        Whoever has the name now is erased, also somebody who was never created and of whom refused records alone speak.
      </p>
      ${renderConsequences()}
      <form method="post" action="${PATH}/erase" class="stack">
        ${renderField({ name: 'email', label: 'E-mail', value: email, isRequired: false, autocomplete: 'off', hint: 'In any case; may be what a refused record said.' }, problem)}
        ${renderField({ name: 'external_id', label: 'Or external id', value: externalId, isRequired: false, autocomplete: 'off', hint: 'Exactly as it was sent.' }, problem)}
        ${renderConfirmation('Erase this person for ever', problem)}
        <div class="actions">
          <button class="danger">Erase the person</button><a class="button" href="${PATH}">Cancel</a>
        </div>
      </form>`,
  })
}

/** What an erasure takes away, and what it leaves. */
function renderConsequences(): Html {
  return html`<p class="warning">It cannot be undone, by nobody and by no means of this service.</p>
    <h2>What will be gone</h2>
    <ul>
      <li>
        Names, addresses and all other attributes of the person, as they are and as they ever were: the data of the
        events in the ledger.
      </li>
      <li>
        What refused records said of the person, by their id, or by any e-mail address or external id that they have or
        had. A record that speaks of somebody else as well, as of a manager, is gone as a whole.
      </li>
      <li>The person in lists, searches and stored answers.</li>
    </ul>
    <h2>What stays</h2>
    <ul>
      <li>
        That there were these events and calls, when, and by whom; ids, counts and hashes. The ledger still verifies,
        and Bulk User Logs shows the records as erased.
      </li>
      <li>One new event that names the positions of what was erased, and nothing of the person.</li>
      <li>What was written of the person in the attributes of somebody else.</li>
      <li>What has left the service before: exports, backups, copies in other systems.</li>
    </ul>`
}
