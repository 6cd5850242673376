import type { FastifyInstance } from 'fastify'
import { fieldError, invalidFields } from '#domain/errors'
import { isId } from '#domain/ids'
import { ErasureBody, makeReport, readIdentifier } from '#api/admin/personal-data'
import { ProblemError } from '#http/server/problem'
import { NAVIGATION, buildEmployeeUrl } from '#wording/navigation'
import { formatFullName } from '#domain/employees/employee'
import { eraseEmployee, findErasureScope, type ErasureScope } from '#personal-data/erase-employee'
import type { NamedPerson } from '#personal-data/find-person'
import { readEmployeeAt } from '#ledger/read/read-employee-history'
import type { LedgerDb } from '#ledger/tables'
import { makeUnknownEmployeeError, readEmployeeId } from '#api/audit/employee-history'
import { formatCount } from '#wording/numbers'
import { trimBlanks } from '#text/normalize-text'
import {
  type FormFields,
  type FormProblem,
  checkForm,
  pickFields,
  readFormFields,
  askToType,
  renderButtons,
  renderFields,
  requireTyped,
  toFormProblem,
  renderHidden,
  type FormControl,
  renderOptional,
} from '#pages/parts/form'
import { renderCode, isolate, html, renderFacts, renderWarning } from '#pages/parts/elements'
import { addFormPage, renderForm, type PageContent } from '#pages/parts/form-page'
import { addQuestionPage } from '#pages/parts/question-page'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'
import { renderReportButtons, sendReportFile } from '#pages/parts/report-download'
import type { EmployeeRequest } from './employee-edit.ts'

/** The fields that name a person, one of which is filled in. */
function listPersonFields(emailLabel: string): FormControl[] {
  const hint = 'Current, or as it appears in a refused record; case does not matter.'
  return [
    { name: 'email', label: emailLabel, hint },
    { name: 'external_id', label: 'Or external ID', hint: 'Exactly as sent.' },
    { name: 'user_name', label: 'Or user name', hint },
  ]
}

/** Where administrators ask what is held about a person. */
export const REPORT_PATH = `${NAVIGATION.employees.path}/personal-data`

const ONE_OF_FOUR = fieldError(
  '',
  'invalid_value',
  'Enter exactly one: an employee ID, an email, an external ID, or a user name',
)
const FIELDS = ['employee_id', 'email', 'external_id', 'user_name'] as const

/** `/settings/employees/personal-data`: a report of an employee, or of a person who appears only in refused records. */
export function addEmployeeReport(app: FastifyInstance, services: PageServices) {
  addFormPage(app, {
    path: REPORT_PATH,
    load: async () => null,
    render: (_, forms, { query }) => ({
      title: 'What is held about a person',
      trail: [NAVIGATION.employees],
      body: html`<p>
          The report lists everything that the service stores about an employee, or about someone who appears only in
          refused records: values, history, refused records, calls, and messages to webhooks. It also says what
          erasing the person deletes. The event stream records that you got it.
        </p>
        ${renderForm(forms, 'report', {
          values: readFormFields(query),
          fields: (values, problem) =>
            renderOptional(
              [{ name: 'employee_id', label: 'Employee ID' }, ...listPersonFields('Or email')],
              values,
              problem,
            ),
          buttons: renderReportButtons(),
        })}
        ${renderEraseLink(readFormFields(query)['employee_id'])}`,
    }),
    forms: {
      report: {
        config: { isHeavyRead: true },
        keeps: FIELDS,
        async run(request, fields, reply) {
          const given = pickFields(fields, FIELDS)
          if (Object.keys(given).length !== 1) throw new ProblemError(invalidFields([ONE_OF_FOUR]))
          const person = checkForm(ErasureBody, given)
          const reading = { ...services.company, db: services.db }
          const report = await makeReport(reading, getActing(request), person, request.left)
          return sendReportFile(services, request, reply, report)
        },
      },
    },
  })
}

/** Who reports an employee often erases them next. */
function renderEraseLink(id: string | undefined) {
  return isId('emp', id) && html`<p><a href="${PATH}/${id}/erase">Erase person…</a></p>`
}

const PATH = NAVIGATION.employees.path
const ONE_IDENTIFIER = fieldError('', 'invalid_value', 'Enter an email, an external ID, or a user name')

/** An erasure searches all refused records of the company. */
const HEAVY = { config: { isHeavyRead: true } }

/** Erasure, for administrators: of an employee, or of a person who appears only in refused records. */
export function addEmployeeErasure(app: FastifyInstance, services: PageServices) {
  addQuestionPage(app, {
    path: `${PATH}/:id/erase`,
    ...HEAVY,
    load: (request: EmployeeRequest) => loadErasure(services, request),
    ask: ({ id, name, email, typed, scope }) => ({
      title: 'Erase person',
      heading: html`Erase ${isolate(name)}?`,
      trail: [NAVIGATION.employees, { label: name, path: buildEmployeeUrl(id) }],
      text: html`${renderFacts({
        Name: isolate(name),
        Email: isolate(email),
        Employee: renderCode(id),
        'Will be deleted': formatScope(scope),
      })}
      ${renderConsequences()}`,
      typed,
      button: 'Erase person',
      back: buildEmployeeUrl(id),
    }),
    async run(request, { id }) {
      await eraseEmployee(services.company, getActing(request), { by: 'id', value: id }, request.left)
      return `${buildEmployeeUrl(id)}?done=erased`
    },
  })
  addPersonErasure(app, services)
}

/** `/settings/employees/erase`: finds a person, and erases one who appears only in refused records. */
function addPersonErasure(app: FastifyInstance, { company }: PageServices) {
  addFormPage(app, {
    path: `${PATH}/erase`,
    load: async () => null,
    render: (_, forms) => ({
      title: 'Erase person',
      heading: html`Erase a person by email or external ID`,
      trail: [NAVIGATION.employees],
      body: html`<p>This also finds someone who was never created and who appears only in refused records.</p>
        ${renderForm(forms, 'find', {
          fields: (values, problem) => renderOptional(listPersonFields('Email'), values, problem),
          buttons: renderButtons('Find person', PATH),
        })}`,
    }),
    forms: {
      find: {
        ...HEAVY,
        keeps: ['email', 'external_id', 'user_name'],
        async run(request, fields) {
          const person = readPersonFields(fields)
          const scope = await findErasureScope(company.pool, getViewer(request).companyId, person, request.left)
          if (scope.employeeId !== null) return { goTo: `${buildEmployeeUrl(scope.employeeId)}/erase` }
          if (fields['typed'] === undefined) return { page: askToErase(person, scope, null) }
          try {
            requireTyped(fields, person.value)
            await eraseEmployee(company, getActing(request), person, request.left)
          } catch (error) {
            return { page: askToErase(person, scope, toFormProblem(error)) }
          }
          return { goTo: `${PATH}?done=erased` }
        },
      },
    },
  })
}

/** Reads what names a person as the endpoint does. Throws a problem unless exactly one was entered. */
function readPersonFields({ email = '', external_id = '', user_name = '' }: FormFields) {
  const named = { email: trimBlanks(email), external_id, user_name }
  const given = Object.entries(named).filter(([, text]) => text !== '')
  if (given.length !== 1) throw new ProblemError(invalidFields([ONE_IDENTIFIER]))
  return readIdentifier(checkForm(ErasureBody, Object.fromEntries(given)))
}

/** Reads from the ledger itself who would be erased: the read model may be behind. */
async function readPerson(db: LedgerDb, companyId: string, id: string) {
  const state = await readEmployeeAt(db, companyId, id, Number.MAX_SAFE_INTEGER)
  if (state.standing === 'unknown') throw makeUnknownEmployeeError()
  const employee = state.standing === 'known' ? state.employee : null
  return { employee, typed: employee?.email ?? employee?.external_id ?? employee?.user_name ?? id }
}

async function loadErasure({ db, company }: PageServices, request: EmployeeRequest) {
  const { companyId } = getViewer(request)
  const id = readEmployeeId(request.params.id)
  const { employee, typed } = await readPerson(db, companyId, id)
  const name = employee ? formatFullName(employee) : 'Erased person'
  const scope = await findErasureScope(company.pool, companyId, { by: 'id', value: id }, request.left)
  return { id, name, email: employee ? (employee.email ?? 'None') : 'Erased', typed, scope }
}

/** Says how much an erasure would delete. */
function formatScope({ events, refusedRecords, bodies, storedRows, fileNames }: ErasureScope) {
  const parts = [
    ...(events > 0 ? [`the data of ${formatCount(events, 'event')}`] : []),
    ...(refusedRecords > 0 ? [formatCount(refusedRecords, 'refused record')] : []),
    ...(bodies > 0 ? [formatCount(bodies, 'unreadable request')] : []),
    ...(storedRows > 0 ? [formatCount(storedRows, 'stored row')] : []),
    ...(fileNames > 0 ? [formatCount(fileNames, 'file name')] : []),
  ]
  return parts.join(' and ')
}

/** Returns the page that asks before a person is erased who appears only in refused records. */
function askToErase({ by, value }: NamedPerson, scope: ErasureScope, problem: FormProblem): PageContent {
  return {
    title: 'Erase person',
    heading: html`Erase ${isolate(value)}?`,
    trail: [NAVIGATION.employees],
    problem,
    body: html`<p>This person was never created and appears only in refused records.</p>
      ${renderFacts({
        [by === 'email' ? 'Email' : 'External ID']: isolate(value),
        'Will be deleted': formatScope(scope),
      })}
      ${renderConsequences()}
      <form method="post" action="${PATH}/erase" class="stack">
        ${renderHidden(by, value)}
        ${renderFields([askToType(value)], {}, problem)} ${renderButtons('Erase person', PATH, 'danger')}
      </form>`,
  }
}

/** Renders what an erasure deletes and what it keeps. */
function renderConsequences() {
  return html`${renderWarning("This can't be undone.")}
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
      <li>One new event that lists which events were erased, and nothing about the person.</li>
      <li>Mentions of the person in other people's attributes.</li>
      <li>Copies outside this service: exports, backups, other systems.</li>
    </ul>`
}
