import type { FastifyInstance } from 'fastify'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import type { Cause, ExplainedEmployee } from '#domain/employees/employee-history'
import { formatFullName } from '#domain/employees/employee'
import { type EmployeeThen, readEmployeeAt } from '#ledger/read/read-employee-history'
import type { SessionUser } from '#accounts/users/sessions'
import { buildEmployeeUrl, NAVIGATION, buildUrl, EVIDENCE_PATH } from '#wording/navigation'
import { readNames } from '#ledger/read/read-names'
import type { LedgerDb } from '#ledger/tables'
import { formatNumber } from '#wording/numbers'
import { listStoredEvents, type EventPlace } from '#ledger/read/browse-events'
import { readHead } from '#ledger/read/read-head'
import { makeUnknownEmployeeError, readEmployeeId, resolvePosition } from '#api/audit/employee-history'
import { findEndOf, formatTime, readLocal } from '#domain/local-times'
import { formatAttributeName, listAttributes, renderBreakable, renderValue } from '#pages/parts/attribute-values'
import {
  renderBadge,
  renderStatusBadge,
  renderFacts,
  renderId,
  html,
  renderNameLink,
  renderDayLink,
  renderTime,
  isolate,
  renderButton,
  renderEmpty,
} from '#pages/parts/elements'
import { renderPageLinks } from '#pages/parts/list-pages'
import {
  toFormProblem,
  renderFormAlert,
  readFormFields,
  type FormFields,
  type FormControl,
  renderOptional,
  describeZone,
} from '#pages/parts/form'
import { renderNotice } from '#pages/parts/form-page'
import { sendUserPage, renderBreadcrumb } from '#pages/parts/layout'
import { type PageServices, getViewer } from '#pages/parts/context'
import { EDITED, type EmployeeRequest } from './employee-edit.ts'
import { REPORT_PATH } from './personal-data.ts'
import { buildTimelineHref, readTimeline, readTimelinePlace, renderTimeline } from './timeline.ts'

/** An employee at a position of the ledger. */
interface SeenEmployee {
  id: string
  position: number
  /** The last position of the ledger. */
  head: number
  /** Whether the page shows the present: the address names no point in time. */
  isNow: boolean
  state: EmployeeThen
  /** The employee's last version there: the number of their events. */
  version: number
  /** Positions of the employee's previous and next event; null where there is none. */
  earlier: number | null
  later: number | null
}

/** Returns the title of an employee's page. */
function formatEmployeeName(seen: SeenEmployee | null) {
  if (seen?.state.standing === 'erased') return 'Erased person'
  return seen?.state.standing === 'known' ? formatFullName(seen.state.employee) : 'Employee'
}

/** Renders the employee's status, its position in the ledger, and links to the previous and next event. */
function renderStanding(seen: SeenEmployee, viewer: SessionUser) {
  const { id, position, head, earlier, later, state } = seen
  const step = (to: number | null) => (to === null ? null : buildEmployeeUrl(id, to))
  const place = seen.isNow ? 'Now' : `Event ${formatNumber(position)} of ${formatNumber(head)}`
  return html`${renderFacts({
    Employee: renderId('employee-id', id, 'Copy ID'),
    'As of': place,
    Status: renderStatus(state),
    'Last changed': state.standing === 'known' && renderLastChange(state, viewer),
  })}
    ${
      state.standing === 'erased' &&
      renderEmpty(
        "This person's data was erased, for all points in time. The events still say when they happened and who " +
          'caused them, and have their hashes.',
      )
    }
    ${renderPageLinks(
      [
        { label: 'Previous event', rel: 'prev', href: step(state.standing === 'erased' ? null : earlier) },
        { label: 'Next event', rel: 'next', href: step(state.standing === 'erased' ? null : later) },
        { label: 'Now', rel: 'first', href: seen.isNow ? null : buildEmployeeUrl(id) },
      ],
      'Steps in time',
    )}`
}

function renderStatus(state: EmployeeThen) {
  if (state.standing === 'known') return renderStatusBadge(state.employee.status)
  return renderBadge('plain', state.standing === 'erased' ? 'Erased' : 'Not created yet')
}

function renderLastChange({ employee }: ExplainedEmployee, { timeZone }: SessionUser) {
  return html`${renderTime(employee.updated_at, timeZone)}, version ${employee.version}`
}

/** Lists the attributes that were changed since the creation. */
function listChanged({ causes }: ExplainedEmployee) {
  return Object.keys(causes).filter((name) => causes[name]!.type !== 'EmployeeCreated')
}

/** Renders every attribute with its value and the event that last changed it. */
async function renderAttributes(
  db: LedgerDb,
  { employee, causes }: ExplainedEmployee,
  position: number,
  viewer: SessionUser,
) {
  const attributes = listAttributes(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, employee[name]])))
  const manager = employee.manager_id
  const names = await readNames(db, viewer.companyId, manager === null ? [] : [manager])
  return html`<table class="values">
    <caption class="visually-hidden">
      Values and last change
    </caption>
    <thead>
      <tr>
        ${['Attribute', 'Value', 'Since'].map((label) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${attributes.flatMap(([name, value]) => (causes[name] ? [renderAttributeRow(name, value, causes[name])] : []))}
    </tbody>
  </table>`

  function renderAttributeRow(name: string, value: unknown, cause: Cause) {
    // Links to the manager at the same position.
    const shown =
      name === 'manager_id' && typeof value === 'string'
        ? renderNameLink(buildEmployeeUrl(value, position), names.get(value) ?? value)
        : renderValue(value)
    const event = `${NAVIGATION.events.path}/${cause.position}`
    return html`<tr>
      <th scope="row">${renderBreakable(formatAttributeName(name))}</th>
      <td>${shown}</td>
      <td class="when">
        ${value !== null && renderDayLink(event, cause.recorded_at, viewer.timeZone)}
      </td>
    </tr>`
  }
}

const PATH = NAVIGATION.employees.path

const DONE = { erased: "Person erased. This can't be undone.", ...EDITED }

/** `/settings/employees/{id}?at=`: an employee at a position or time, with their history up to there. */
export function addEmployeePage(app: FastifyInstance, { reads }: PageServices) {
  app.get(`${PATH}/:id`, { config: { isHeavyRead: true } }, async (request: EmployeeRequest, reply) => {
    const id = readEmployeeId(request.params.id)
    const query = readFormFields(request.query)
    const { at = '', time = '', position = '' } = query
    // The form has two fields for a point in time; the address has one parameter.
    if (time !== '' || position !== '') return reply.redirect(buildUrl(`${PATH}/${id}`, { at: position || time }), 303)
    const viewer = getViewer(request)
    const { companyId, timeZone } = viewer
    const db = await reads.of(companyId, request.left)
    const { seen, problem } = await readEmployeeAtMoment(db, companyId, id, at, timeZone)
    // Somebody may be unknown at the moment that was asked for.
    if ((seen?.state.standing ?? 'unknown') === 'unknown') {
      const newest = await listEvents(db, companyId, id, { place: { upTo: Number.MAX_SAFE_INTEGER }, limit: 1 })
      if (newest.length === 0) throw makeUnknownEmployeeError()
    }
    const title = formatEmployeeName(seen)
    const moment = seen === null || seen.isNow ? null : describeMoment(at, seen, timeZone)
    const report = buildUrl(REPORT_PATH, { employee_id: id })
    const isErasable = seen?.state.standing !== 'erased'
    const isEditable = viewer.role === 'admin' && seen?.isNow === true && seen.state.standing === 'known'
    const body = html`${renderBreadcrumb(NAVIGATION.employees)}
      <div class="tools">
        <h1>${isolate(title)}</h1>
        ${isEditable && renderButton(`${PATH}/${id}/edit`, 'Edit or deactivate…')}
      </div>
      ${problem ? renderFormAlert(problem) : renderNotice(request, DONE)} ${seen && renderStanding(seen, viewer)}
      <div class="columns">
        <section aria-labelledby="history">${await renderHistory(db, viewer, id, seen, query)}</section>
        <aside aria-labelledby="values">
          <h2 id="values">${moment === null ? 'Values now' : `As of ${moment}`}</h2>
          ${seen?.state.standing === 'known' && (await renderAttributes(db, seen.state, seen.position, viewer))}
          ${renderMomentForm(id, at, timeZone)}
          <p class="actions">
            <a class="button" href="${buildUrl(EVIDENCE_PATH, { employee: id })}">Evidence file…</a>
            ${
              viewer.role === 'admin' &&
              html`${renderButton(report, 'What is held about this person…')}
                    ${isErasable && html`<a href="${PATH}/${id}/erase">Erase person…</a>`}`
            }
          </p>
        </aside>
      </div>`
    return sendUserPage(problem ? reply.code(problem.status) : reply, viewer, { title, body })
  })
}

/** Lists events of an employee, those nearest to a place. */
async function listEvents(db: LedgerDb, companyId: string, id: string, page: { place: EventPlace; limit: number }) {
  return (await listStoredEvents(db, companyId, { stream: id }, page)).events
}

/** Repeats the point in time that was asked for: a time with the position that it means, or a position. */
function describeMoment(at: string, { position }: SeenEmployee, timeZone: string) {
  const place = `event ${formatNumber(position)}`
  if (readLocal(at)) return `${formatTime(new Date(findEndOf(at, timeZone) - 1).toISOString(), timeZone)} (${place})`
  return Number.isNaN(Date.parse(at)) || /^\d+$/.test(at) ? place : `${formatTime(at, timeZone)} (${place})`
}

/** Renders the history up to the moment of the page, in sentences. The event stream shows it as it is stored. */
async function renderHistory(
  db: LedgerDb,
  viewer: SessionUser,
  id: string,
  seen: SeenEmployee | null,
  query: FormFields,
) {
  const buildHref = buildTimelineHref(id, seen === null ? '' : (query['at'] ?? ''))
  const position = (!seen?.isNow && seen?.position) || undefined
  const place = readTimelinePlace(query)
  const upTo = seen?.version === undefined ? null : seen.version + 1
  const before = place.before === null || upTo === null ? (place.before ?? upTo) : Math.min(place.before, upTo)
  const timeline = await readTimeline(db, viewer.companyId, id, { ...place, before })
  const offered = seen?.state.standing === 'known' ? listChanged(seen.state) : []
  return html`<div class="cluster">
      <h2 id="history">History</h2>
      <p class="tools">
        <a href="${buildUrl(NAVIGATION.events.path, { id, position, view: 'raw' })}">Show as stored</a>
        <a href="${buildUrl(NAVIGATION.events.path, { id })}">View in event stream</a>
      </p>
    </div>
    ${await renderTimeline(db, viewer, timeline, { place, buildHref, offered })}`
}

/** Reads the employee at the time or position in the address, or returns the problem of a bad address. */
async function readEmployeeAtMoment(db: LedgerDb, companyId: string, id: string, at: string, timeZone: string) {
  try {
    const moment = readLocal(at) ? new Date(findEndOf(at, timeZone)).toISOString() : at
    const { position: head } = await readHead(db, companyId)
    const position = at === '' ? head : await resolvePosition(db, companyId, moment)
    const state = await readEmployeeAt(db, companyId, id, position)
    const steps = await findSteps(db, companyId, id, { position, head })
    return { seen: { id, position, head, isNow: at === '', state, ...steps }, problem: null }
  } catch (error) {
    return { seen: null, problem: toFormProblem(error) }
  }
}

/** Finds the positions of the previous and the next event of an employee; null where there is none. */
async function findSteps(
  db: LedgerDb,
  companyId: string,
  id: string,
  { position, head }: Pick<SeenEmployee, 'position' | 'head'>,
) {
  const [past, future] = await Promise.all([
    position === 0 ? [] : listEvents(db, companyId, id, { place: { upTo: position }, limit: 2 }),
    position >= head ? [] : listEvents(db, companyId, id, { place: { from: position + 1 }, limit: 1 }),
  ])
  // The newest event up to here produced the state shown; the step back leads to the event before it.
  const before = past[0] && (past[1]?.position ?? past[0].position - 1)
  return { version: past[0]?.header?.version ?? 0, earlier: before ?? null, later: future[0]?.position ?? null }
}

function renderMomentForm(id: string, at: string, timeZone: string) {
  const [time, position] = readLocal(at)?.time === undefined ? ['', /^\d+$/.test(at) ? at : ''] : [at, '']
  const fields: FormControl[] = [
    { name: 'time', label: 'Date and time', type: 'datetime-local', hint: describeZone(timeZone) },
    { name: 'position', label: 'Or event', type: 'number', min: 0, hint: 'Its number in the event stream.' },
  ]
  return html`<form method="get" action="${PATH}/${id}" class="filters" aria-label="Point in time">
    ${renderOptional(fields, { time, position }, null)}
    <div class="actions"><button class="primary">Show</button></div>
  </form>`
}
