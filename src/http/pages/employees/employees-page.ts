import type { FastifyInstance } from 'fastify'
import { Type } from '@sinclair/typebox'
import { html } from 'hono/html'
import type { Kysely } from 'kysely'
import { listEmployees } from '../../../../projections/employees/queries.ts'
import type { Employee } from '../../../domain/employees/employee.ts'
import { isId } from '../../../domain/ids.ts'
import type { Reads } from '../../../ledger/read/reads.ts'
import { whenGiven } from '../../access/heavy-reads.ts'
import { buildEmployeeUrl } from '../events/event-values.ts'
import {
  toFormProblem,
  checkForm,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import type { Html } from '../parts/page.ts'
import { getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.employees.path
/** Employees that a search shows. Whoever looks for one of more than these says more. */
const MOST_FOUND = 50

const Search = Type.Object({ q: Type.String({ maxLength: 254 }) })

const DONE = { erased: 'The person is erased: refused records do not speak of them any more.' }

/** `/settings/employees`: looks for an employee, to go back in time from there. */
export function addEmployeesPage(app: FastifyInstance, reads: Reads): void {
  app.get(PATH, { config: { isHeavyRead: whenGiven('q') } }, async (request, reply) => {
    const viewer = getViewer(request)
    const q = readFormFields(request.query)['q']?.trim() ?? ''
    // Somebody who was erased has an id still.
    if (isId('emp', q)) return reply.redirect(buildEmployeeUrl(q), 303)
    const { found, problem } = await searchEmployees(reads, viewer.companyId, q)
    if (found.length === 1) return reply.redirect(buildEmployeeUrl(found[0]!.id), 303)
    const body = html`<h1>Employees over time</h1>
      ${renderNotice(request, DONE)} ${renderFormAlert(problem)}
      <p>Any employee as they were at any time, and which event of the ledger made each attribute what it was.</p>
      ${renderSearchForm(q, problem)} ${q === '' || problem ? '' : renderSearchResults(found)}
      ${viewer.role === 'admin' ? renderErasureLink() : ''}`
    return sendUserPage(request, problem ? reply.code(problem.status) : reply, viewer, {
      title: 'Employees over time',
      body,
    })
  })
}

async function searchEmployees(
  reads: Reads,
  companyId: string,
  q: string,
): Promise<{ found: Employee[]; problem: FormProblem }> {
  if (q === '') return { found: [], problem: null }
  try {
    const filter = checkForm(Search, { q })
    const page = { after: null, limit: MOST_FOUND + 1 }
    return {
      found: await listEmployees((await reads.of(companyId)) as unknown as Kysely<unknown>, companyId, filter, page),
      problem: null,
    }
  } catch (error) {
    return { found: [], problem: toFormProblem(error) }
  }
}

function renderSearchForm(q: string, problem: FormProblem): Html {
  const hint = 'An id, or part of a name, an e-mail address, an external id or an employee number, as they are now.'
  return html`<form method="get" action="${PATH}" class="stack" role="search">
    ${renderField({ name: 'q', label: 'Employee', value: q, hint, maxLength: 254, autocomplete: 'off' }, problem)}
    <button class="primary">Find</button>
  </form>`
}

function renderSearchResults(found: Employee[]): Html {
  if (found.length === 0) {
    return html`<div class="empty">
      <h2>Nobody is found</h2>
      <p>
        No employee is like that now. A former name or address finds nobody, and who was erased is found by their id
        alone.
      </p>
    </div>`
  }
  return html`${found.length > MOST_FOUND ? html`<p class="warning">Only the first ${MOST_FOUND} are shown: say more to find fewer.</p>` : ''}
    <table class="cards">
      <caption>
        Employees found
      </caption>
      <thead>
        <tr>
          ${['Name', 'E-mail', 'External id', 'Id'].map((label) => html`<th scope="col">${label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${found.slice(0, MOST_FOUND).map(renderEmployeeRow)}
      </tbody>
    </table>`
}

function renderEmployeeRow({ id, first_name: first, last_name: last, email, external_id: externalId }: Employee): Html {
  return html`<tr>
    <th scope="row">
      <a href="${buildEmployeeUrl(id)}"><bdi>${first} ${last}</bdi></a>
    </th>
    <td data-label="E-mail"><bdi>${email}</bdi></td>
    <td data-label="External id"><bdi>${externalId ?? ''}</bdi></td>
    <td data-label="Id"><code>${id}</code></td>
  </tr>`
}

function renderErasureLink(): Html {
  return html`<h2>Forget a person</h2>
    <p>
      An employee is erased from their own page. Somebody who was never created, but of whom refused records speak, is
      named by an e-mail address or an external id.
    </p>
    <p><a class="button danger" href="${PATH}/erase">Erase by e-mail or external id …</a></p>`
}
