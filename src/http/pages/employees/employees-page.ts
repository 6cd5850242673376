import type { FastifyInstance } from 'fastify'
import { Type } from '@sinclair/typebox'
import { html } from 'hono/html'
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
/** Employees that a search shows at most. */
const MOST_FOUND = 50

const Search = Type.Object({ q: Type.String({ maxLength: 254 }) })

const DONE = { erased: 'Person erased. Refused records no longer contain their data.' }

/** `/settings/employees`: the search for an employee whose history is to be shown. */
export function addEmployeesPage(app: FastifyInstance, reads: Reads): void {
  app.get(PATH, { config: { isHeavyRead: whenGiven('q') } }, async (request, reply) => {
    const viewer = getViewer(request)
    const q = readFormFields(request.query)['q']?.trim() ?? ''
    // An erased employee still has an id.
    if (isId('emp', q)) return reply.redirect(buildEmployeeUrl(q), 303)
    const { found, problem } = await searchEmployees(reads, viewer.companyId, q)
    if (found.length === 1) return reply.redirect(buildEmployeeUrl(found[0]!.id), 303)
    const body = html`<h1>Employees over time</h1>
      ${renderNotice(request, DONE)} ${renderFormAlert(problem)}
      <p>See any employee at any point in time, and who changed what.</p>
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
      found: await listEmployees(await reads.of(companyId), companyId, filter, page),
      problem: null,
    }
  } catch (error) {
    return { found: [], problem: toFormProblem(error) }
  }
}

function renderSearchForm(q: string, problem: FormProblem): Html {
  const hint = 'An ID, or part of a current name, email, external ID or employee number.'
  return html`<form method="get" action="${PATH}" class="stack" role="search">
    ${renderField({ name: 'q', label: 'Employee', value: q, hint, maxLength: 254, autocomplete: 'off' }, problem)}
    <button class="primary">Search</button>
  </form>`
}

function renderSearchResults(found: Employee[]): Html {
  if (found.length === 0) {
    return html`<div class="empty">
      <h2>No matching employees</h2>
      <p>Only current details are searched. To find an erased person, search by ID.</p>
    </div>`
  }
  return html`${found.length > MOST_FOUND ? html`<p class="warning">Showing the first ${MOST_FOUND}; refine your search.</p>` : ''}
    <table class="cards">
      <caption>
        Matching employees
      </caption>
      <thead>
        <tr>
          ${['Name', 'Email', 'External ID', 'ID'].map((label) => html`<th scope="col">${label}</th>`)}
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
    <td data-label="Email"><bdi>${email}</bdi></td>
    <td data-label="External ID"><bdi>${externalId ?? ''}</bdi></td>
    <td data-label="ID"><code>${id}</code></td>
  </tr>`
}

function renderErasureLink(): Html {
  return html`<h2>Erasure</h2>
    <p>
      To erase an employee, open the employee's page. To erase someone who appears only in refused records, enter an
      email or external ID.
    </p>
    <p><a class="button danger" href="${PATH}/erase">Erase by email or external ID…</a></p>`
}
