import type { FastifyInstance } from 'fastify'
import { Type } from '@sinclair/typebox'
import { searchEmployees } from '../../../projections/employees/queries.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import { isId } from '../../domain/ids.ts'
import { formatFullName } from '../../domain/employees/full-name.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { whenGiven } from '../../http/access/heavy-reads.ts'
import { decodeIdCursor } from '../../http/server/cursor.ts'
import { buildEmployeeUrl } from '../../wording/addresses.ts'
import { renderStatusBadge } from '../parts/badges.ts'
import { html, type Html } from '../parts/html.ts'
import { renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import {
  toFormProblem,
  checkForm,
  renderField,
  renderFormAlert,
  pickFields,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { findFormerPeople, type FormerPerson } from '../parts/former-people.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../../wording/navigation.ts'
import { REPORT_PATH } from './employee-report.ts'
import { renderNotice } from '../parts/notice.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderBreakable } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'
import { getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.employees.path
const Search = Type.Object({ q: Type.String({ maxLength: 254 }) })

const DONE = { erased: 'Person erased. Refused records no longer contain their data.' }

/** `/settings/employees`: the search for an employee whose history is to be shown. */
export function addEmployeesPage(app: FastifyInstance, { reads }: PageServices): void {
  app.get(PATH, { config: { isHeavyRead: whenGiven('q') } }, async (request, reply) => {
    const viewer = getViewer(request)
    const q = readFormFields(request.query)['q']?.trim() ?? ''
    // An erased employee still has an id.
    if (isId('emp', q)) return reply.redirect(buildEmployeeUrl(q), 303)
    const { cursor } = pickFields(readFormFields(request.query), ['cursor'])
    const db = await reads.of(viewer.companyId, request.left)
    const { employees, problem } = await findEmployees(db, viewer.companyId, q, cursor)
    const isFirst = cursor === undefined && q !== '' && !problem
    const former = isFirst ? await findFormerPeople(db, viewer.companyId, q) : []
    if (employees.length === 1 && isFirst && former.length === 0)
      return reply.redirect(buildEmployeeUrl(employees[0]!.id), 303)
    const body = html`<h1>Employees over time</h1>
      ${renderNotice(request, DONE)} ${renderFormAlert(problem)}
      <p>See any employee at any point in time, and who changed what.</p>
      ${renderSearchForm(q, problem)} ${q === '' || problem ? '' : renderSearchResults(q, cursor, employees, former)}
      ${viewer.role === 'admin' ? renderPersonalDataLinks() : ''}`
    return sendUserPage(problem ? reply.code(problem.status) : reply, viewer, {
      title: 'Employees over time',
      body,
    })
  })
}

/** Finds a page of employees, and one more to know whether another page follows. */
async function findEmployees(
  db: LedgerDb,
  companyId: string,
  q: string,
  cursor: string | undefined,
): Promise<{ employees: Employee[]; problem: FormProblem }> {
  if (q === '') return { employees: [], problem: null }
  try {
    const after = cursor === undefined ? null : decodeIdCursor('emp', cursor)
    const { q: text } = checkForm(Search, { q })
    return { employees: await searchEmployees(db, companyId, text, { after, limit: ROWS_A_PAGE + 1 }), problem: null }
  } catch (error) {
    return { employees: [], problem: toFormProblem(error) }
  }
}

function renderSearchForm(q: string, problem: FormProblem): Html {
  const hint =
    'An ID, or part of a name, email, user name, external ID or employee number. Former ones are found if entered whole.'
  return html`<form method="get" action="${PATH}" class="filters" role="search">
    ${renderField({ name: 'q', label: 'Employee', value: q, hint, maxLength: 254, autocomplete: 'off' }, problem)}
    <button class="primary">Search</button>
  </form>`
}

function renderSearchResults(
  q: string,
  cursor: string | undefined,
  employees: Employee[],
  former: FormerPerson[],
): Html {
  if (employees.length + former.length === 0) {
    return html`<div class="empty">
      <h2>No matching employees</h2>
      <p>
        Former names, emails and IDs are found if you enter them whole. To find an erased person, search by ID.
      </p>
    </div>`
  }
  return html`${employees.length === 0 ? '' : renderPeople('Matching employees, exact matches first', employees.slice(0, ROWS_A_PAGE))}
    ${former.length === 0 ? '' : html`<h2>Found by a former detail</h2> ${renderPeople('Employees found by a former detail', former, q)}`}
    ${renderListLinks(PATH, { q }, cursor, employees, ({ id }) => id, ['First page', 'More'])}`
}

/** Renders a table of people, with what the searched text was to each. */
function renderPeople(caption: string, people: readonly (Employee | FormerPerson)[], q = ''): Html {
  const text = (value: string | null) => renderBreakable(value ?? '')
  return renderTable({
    caption,
    columns: [
      {
        heading: 'Name',
        cell: (employee) =>
          html`<a href="${buildEmployeeUrl(employee.id)}"><bdi>${formatFullName(employee)}</bdi></a>
            ${'former' in employee ? html`<span class="hint">${employee.former}: <bdi>${q}</bdi></span>` : ''}`,
      },
      { heading: 'Status', cell: ({ status }) => renderStatusBadge(status) },
      { heading: 'Department', cell: ({ department }) => text(department) },
      { heading: 'Job title', cell: ({ job_title: title }) => text(title) },
      { heading: 'Email', cell: ({ email }) => text(email) },
      { heading: 'External ID', cell: ({ external_id: id }) => text(id) },
    ],
    rows: people,
  })
}

function renderPersonalDataLinks(): Html {
  return html`<h2>Personal data</h2>
    <p>
      To report what is held about an employee, or to erase the employee, open the employee's page. For someone who
      appears only in refused records, enter an email or external ID.
    </p>
    <p class="actions">
      <a class="button" href="${REPORT_PATH}">What is held about a person…</a>
      <a class="button danger" href="${PATH}/erase">Erase by email or external ID…</a>
    </p>`
}
