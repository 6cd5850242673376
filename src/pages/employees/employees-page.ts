import { omitUndefined } from '#domain/omit-undefined'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'
import { ONLY, PeopleQuery, readPeopleFilter } from '#people/people-filter'
import { NAVIGATION, buildEmployeeUrl, buildUrl } from '#wording/navigation'
import { trimBlanks, normalizeEmail } from '#text/normalize-text'
import type { SessionUser } from '#accounts/users/sessions'
import { searchEmployees, type PeopleOrder, listPeople } from '#projections/employees/queries'
import { fieldError, invalidFields } from '#domain/errors'
import type { Employee } from '#domain/employees/employee'
import { isId } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { decodeIdCursor } from '#http/server/query-values'
import { ProblemError } from '#http/server/problem'
import { findEmployeeIdBy } from '#ledger/read/read-employees'
import {
  listOptions,
  pickFields,
  type FormFields,
  type FormProblem,
  toFormProblem,
  checkForm,
  renderFormAlert,
  readFormFields,
  type FormControl,
  renderOptional,
} from '#pages/parts/form'
import {
  html,
  renderStatusBadge,
  renderEmployeeLink,
  renderTable,
  isolate,
  renderButton,
  renderDownload,
  renderNothing,
} from '#pages/parts/elements'
import { renderListLinks, ROWS_A_PAGE } from '#pages/parts/list-pages'
import { findFormerPeople, type FormerPerson } from '#pages/parts/former-people'
import { sendUserPage } from '#pages/parts/layout'
import { renderNotice } from '#pages/parts/form-page'
import { type PageServices, getViewer } from '#pages/parts/context'
import { renderBreakable } from '#pages/parts/attribute-values'
import { readPeopleChart } from '#pages/charts/people-chart'
import { REPORT_PATH } from './personal-data.ts'

/** The filters of the list of people, in its address. */
const PEOPLE_FILTERS = ['q', 'status', 'department', 'location', 'manager', 'only'] as const

const ORDERS: Readonly<Record<PeopleOrder, string>> = {
  newest: 'Newest first',
  name: 'Last name',
  department: 'Department',
  changed: 'Last changed first',
}

/** Reads the filters that are given, without the order of the list if it is the usual one. */
function readPeopleFields(fields: FormFields): FormFields {
  const given = Object.entries(pickFields(fields, [...PEOPLE_FILTERS, 'order']))
    .map(([name, text]) => [name, trimBlanks(text)] as const)
    .filter(([name, text]) => text !== '' && !(name === 'order' && text === 'newest'))
  return Object.fromEntries(given)
}

const SEARCHED = {
  name: 'q',
  label: 'Employee',
  maxLength: 254,
  hint: 'An ID, or part of a name, email, external ID or employee number. To find a former one, enter all of it.',
}
const { newest: NEWEST, ...OTHER_ORDERS } = ORDERS
const NARROWING: readonly FormControl[] = [
  { name: 'status', label: 'Status', options: listOptions({ active: 'Active', inactive: 'Inactive' }) },
  { name: 'department', label: 'Department', maxLength: 120 },
  { name: 'location', label: 'Location', maxLength: 120 },
  { name: 'manager', label: 'Manager', maxLength: 254, placeholder: 'ID, email or external ID' },
  { name: 'only', label: 'Only', options: listOptions(ONLY, 'Everybody') },
  { name: 'order', label: 'Order', options: listOptions(OTHER_ORDERS, NEWEST) },
]

/** Renders the search and the filters of the list of people. */
function renderPeopleFilter(given: FormFields, problem: FormProblem) {
  const isNarrowed = Object.keys(given).some((name) => name !== 'q')
  return html`<form method="get" action="${NAVIGATION.employees.path}" class="filters" role="search">
    ${renderOptional([SEARCHED], given, problem)}
    <button class="primary">Search</button>
    <details class="further" ${(isNarrowed || problem) && html`open`}>
      <summary>Filters and order</summary>
      <div class="filters">
        ${renderOptional(NARROWING, given, problem)}
        <div class="actions">
          <button>Apply</button>
          ${Object.keys(given).length !== 0 && html`<a href="${NAVIGATION.employees.path}">Clear</a>`}
        </div>
      </div>
    </details>
  </form>`
}

const PATH = NAVIGATION.employees.path
const Search = Type.Object({ q: Type.String({ maxLength: 254 }) })

const DONE = { erased: 'Person erased. Refused records no longer contain their data.' }

/** `/settings/employees`: the list of people, with filters, and the search for one of them. */
export function addEmployeesPage(app: FastifyInstance, { reads }: PageServices) {
  const isHeavyRead = ({ query }: FastifyRequest) => Object.keys(readPeopleFields(readFormFields(query))).length > 0
  app.get(PATH, { config: { isHeavyRead } }, async (request, reply) => {
    const viewer = getViewer(request)
    const fields = readFormFields(request.query)
    const given = readPeopleFields(fields)
    // A form also sends its empty fields; the shorter address is that which people keep.
    if (Object.values(fields).includes('')) return reply.redirect(buildUrl(PATH, given), 303)
    const { q = '' } = given
    // An erased employee still has an id.
    if (isId('emp', q)) return reply.redirect(buildEmployeeUrl(q), 303)
    const db = await reads.of(viewer.companyId, request.left)
    const list = await readPeople(db, viewer, given, fields['cursor'])
    const { people, former, problem } = list
    const isAlone = people.length === 1 && former.length === 0 && fields['cursor'] === undefined
    if (isAlone && isSearch(given)) return reply.redirect(buildEmployeeUrl(people[0]!.id), 303)
    const isWhole = Object.keys(given).length === 0 && fields['cursor'] === undefined
    const body = html`<div class="tools">
        <h1>${NAVIGATION.employees.label}</h1>
        ${viewer.role === 'admin' && !problem && renderDownloads(list.filter)}
      </div>
      ${renderNotice(request, DONE)} ${renderFormAlert(problem)} ${renderPeopleFilter(given, problem)}
      ${isWhole && (await readPeopleChart(db, viewer.companyId, viewer.timeZone))}
      ${!problem && renderList(given, fields['cursor'], list)}
      ${viewer.role === 'admin' && renderPersonalDataLinks()}`
    return sendUserPage(problem ? reply.code(problem.status) : reply, viewer, {
      title: NAVIGATION.employees.label,
      body,
    })
  })
}

/** Whether somebody only looks for a person. */
function isSearch(given: FormFields) {
  return given['q'] !== undefined && Object.keys(given).length === 1
}

interface PeopleList {
  /** One more than a page has, if another one follows. */
  people: Employee[]
  former: FormerPerson[]
  /** As the download has it. */
  filter: FormFields
  problem: FormProblem
}

/** Reads a page of people. Those whom only a text finds come in the order in which it fits them. */
async function readPeople(
  db: LedgerDb,
  { companyId, timeZone }: SessionUser,
  given: FormFields,
  cursor: string | undefined,
) {
  try {
    const page = { after: cursor === undefined ? null : decodeIdCursor('emp', cursor), limit: ROWS_A_PAGE + 1 }
    if (isSearch(given)) {
      const { q } = checkForm(Search, given)
      const former = page.after === null ? await findFormerPeople(db, companyId, q) : []
      return { people: await searchEmployees(db, companyId, q, page), former, filter: given, problem: null }
    }
    const { manager, ...others } = given
    const managerId = manager === undefined ? undefined : await findManager(db, companyId, manager)
    const filter = { ...others, ...omitUndefined({ manager_id: managerId }) }
    const { order, ...query } = checkForm(PeopleQuery, { order: 'newest', ...filter })
    const people = await listPeople(db, companyId, readPeopleFilter(query, timeZone), { ...page, order })
    return { people, former: [], filter, problem: null }
  } catch (error) {
    return { people: [], former: [], filter: {}, problem: toFormProblem(error) }
  }
}

/** Finds whom somebody means by an id, an email, or an external id. Throws a problem if it is nobody. */
async function findManager(db: LedgerDb, companyId: string, text: string) {
  if (isId('emp', text)) return text
  for (const by of ['email', 'external_id'] as const) {
    const id = await findEmployeeIdBy(db, companyId, by, by === 'email' ? normalizeEmail(text) : text)
    if (id !== null) return id
  }
  const fault = fieldError('/manager', 'invalid_value', 'manager has no employee: enter an ID, email or external ID')
  throw new ProblemError(invalidFields([fault]))
}

function renderDownloads(filter: FormFields) {
  return html`<div class="tools">
    ${renderDownload(buildUrl('/admin/v1/employees.csv', filter), 'Download CSV')}
    ${renderDownload(buildUrl('/admin/v1/employees.xlsx', filter), 'Download workbook')}
  </div>`
}

function renderList(given: FormFields, cursor: string | undefined, { people, former }: PeopleList) {
  if (people.length + former.length === 0) {
    return renderNothing(
      'No matching employees',
      'Former names, emails and IDs are found only if you enter them in full. To find an erased person, search by ID.',
    )
  }
  const caption = isSearch(given) ? 'Matching employees, exact matches first' : 'Employees'
  return html`${people.length !== 0 && renderPeople(caption, people.slice(0, ROWS_A_PAGE))}
    ${
      former.length !== 0 &&
      html`<h2>Found by a former detail</h2>
        ${renderPeople('Employees found by a former detail', former, given['q'])}`
    }
    ${renderListLinks(PATH, given, cursor, people, ({ id }) => id, ['First page', 'More'])}`
}

/** Renders a table of people, with what the searched text was to each. */
function renderPeople(caption: string, people: readonly (Employee | FormerPerson)[], q = '') {
  const text = (value: string | null) => renderBreakable(value ?? '')
  return renderTable({
    caption,
    columns: {
      Name: (employee) =>
        html`${renderEmployeeLink(employee)}
            ${'former' in employee && html`<span class="hint">${employee.former}: ${isolate(q)}</span>`}`,
      Status: ({ status }) => renderStatusBadge(status),
      Department: ({ department }) => text(department),
      'Job title': ({ job_title: title }) => text(title),
      Location: { isWide: true, cell: ({ location }) => text(location) },
      Email: ({ email }) => text(email),
      'External ID': ({ external_id: id }) => text(id),
    },
    rows: people,
  })
}

function renderPersonalDataLinks() {
  return html`<h2>Personal data</h2>
    <p>
      To report what is held about an employee, or to erase the employee, open the employee's page. For someone who
      appears only in refused records, enter an email or external ID.
    </p>
    <p class="actions">
      ${renderButton(REPORT_PATH, 'What is held about a person…')}
      <a href="${PATH}/erase">Erase by email or external ID…</a>
    </p>`
}
