import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { CompanyServices } from '../../../accounts/users/change-company.ts'
import { eraseEmployee } from '../../../erasure/erase-employee.ts'
import { listStoredEvents } from '../../../ledger/read/browse-events.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ErasureBody, namedIn } from '../../admin/erasures.ts'
import { employeeId, noSuchEmployee, type OfEmployee } from './employee-page.ts'
import { employeeAddress } from '../events/event-values.ts'
import {
  asFormProblem,
  checked,
  confirmation,
  confirmed,
  field,
  formAlert,
  formFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage, trail } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { actingOf, viewerOf } from '../parts/viewer.ts'

const PATH = NAVIGATION.employees.path

/** Erasing a person, for administrators: an employee from their page, and whom refused records alone speak of. */
export function employeeErasure(app: FastifyInstance, db: LedgerDb, services: CompanyServices): void {
  app.get<OfEmployee>(`${PATH}/:id/erase`, (request, reply) => sendEmployeeForm(db, request, reply, null))
  app.post<OfEmployee>(`${PATH}/:id/erase`, async (request, reply) => {
    const id = employeeId(request)
    try {
      confirmed(formFields(request.body))
      await eraseEmployee(services, actingOf(request), { by: 'id', value: id })
    } catch (error) {
      return sendEmployeeForm(db, request, reply, asFormProblem(error))
    }
    return reply.redirect(`${employeeAddress(id)}?done=erased`, 303)
  })

  app.get(`${PATH}/erase`, (request, reply) => sendPersonForm(request, reply, null))
  app.post(`${PATH}/erase`, async (request, reply) => {
    const fields = formFields(request.body)
    try {
      const { email = '', external_id: externalId = '' } = fields
      const given = Object.entries({ email: email.trim(), external_id: externalId }).filter(([, text]) => text !== '')
      const person = namedIn(checked(ErasureBody, Object.fromEntries(given)))
      confirmed(fields)
      const erased = await eraseEmployee(services, actingOf(request), person)
      return await reply.redirect(
        `${erased.employeeId === null ? PATH : employeeAddress(erased.employeeId)}?done=erased`,
        303,
      )
    } catch (error) {
      return sendPersonForm(request, reply, asFormProblem(error))
    }
  })
}

async function sendEmployeeForm(
  db: LedgerDb,
  request: FastifyRequest<OfEmployee>,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = viewerOf(request)
  const id = employeeId(request)
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
    body: html`${trail(NAVIGATION.employees, [{ label: 'The employee', path: employeeAddress(id) }])}
      <h1>Erase this person?</h1>
      ${formAlert(problem)}
      <p>Employee <code>${id}</code></p>
      ${consequences()}
      <form method="post" action="${employeeAddress(id)}/erase" class="stack">
        ${confirmation(`Erase ${id} for ever`, problem)}
        <div class="actions">
          <button class="danger">Erase the person</button
          ><a class="button" href="${employeeAddress(id)}">Keep the person</a>
        </div>
      </form>`,
  })
}

async function sendPersonForm(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const { email = '', external_id: externalId = '' } = problem ? formFields(request.body) : {}
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewerOf(request), {
    title: 'Erase a person',
    body: html`${trail(NAVIGATION.employees)}
      <h1>Erase a person by e-mail or external id</h1>
      ${formAlert(problem)}
      <p>
        Whoever has the name now is erased, also somebody who was never created and of whom refused records alone speak.
      </p>
      ${consequences()}
      <form method="post" action="${PATH}/erase" class="stack">
        ${field({ name: 'email', label: 'E-mail', value: email, isRequired: false, autocomplete: 'off', hint: 'In any case; may be what a refused record said.' }, problem)}
        ${field({ name: 'external_id', label: 'Or external id', value: externalId, isRequired: false, autocomplete: 'off', hint: 'Exactly as it was sent.' }, problem)}
        ${confirmation('Erase this person for ever', problem)}
        <div class="actions">
          <button class="danger">Erase the person</button><a class="button" href="${PATH}">Cancel</a>
        </div>
      </form>`,
  })
}

/** What an erasure takes away, and what it leaves. */
function consequences(): Html {
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
