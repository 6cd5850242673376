import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { isId } from '../../../domain/ids.ts'
import { listStoredEvents, readNames } from '../../../ledger/read/browse-events.ts'
import { readEmployeeAt } from '../../../ledger/read/read-employee-history.ts'
import { readHead } from '../../../ledger/read/read-head.ts'
import type { Reads } from '../../../ledger/read/reads.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { makeUnknownEmployeeError, resolvePosition } from '../../audit/employee-history.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { buildUrl } from '../parts/addresses.ts'
import type { SeenEmployee } from './employee-then.ts'
import { renderAttributes, formatEmployeeName, renderStanding } from './employee-then.ts'
import { renderEventTable } from '../events/event-table.ts'
import { toFormProblem, renderField, renderFormAlert, readFormFields, type FormProblem } from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { findEndOf, readLocal } from '../parts/local-times.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import type { Html } from '../parts/page.ts'
import { getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.employees.path
/** Events that the page shows at most; the event stream has all of them. */
const EVENTS_SHOWN = 20

export interface EmployeeRoute {
  Params: { id: string }
}

const DONE = { erased: "Person erased. This can't be undone." }

/** `/settings/employees/{id}?at=`: an employee at a position or time, with the last change of each attribute. */
export function addEmployeePage(app: FastifyInstance, reads: Reads): void {
  app.get<EmployeeRoute>(`${PATH}/:id`, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const { time = '', position = '' } = readFormFields(request.query)
    // The form has two fields for a point in time; the address has one parameter.
    if (time !== '' || position !== '')
      return reply.redirect(buildUrl(`${PATH}/${readEmployeeId(request)}`, { at: position || time }), 303)
    return sendEmployee(reads, request, reply)
  })
}

/** Reads the employee id in the path. Throws a problem when it is not an employee id. */
export function readEmployeeId({ params }: FastifyRequest<EmployeeRoute>): string {
  if (!isId('emp', params.id)) throw makeUnknownEmployeeError()
  return params.id
}

async function sendEmployee(
  reads: Reads,
  request: FastifyRequest<EmployeeRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { companyId, timeZone } = viewer
  const id = readEmployeeId(request)
  const db = await reads.of(companyId)
  const newest = { place: { upTo: Number.MAX_SAFE_INTEGER }, limit: EVENTS_SHOWN }
  const { events, older } = await listStoredEvents(db, companyId, { stream: id }, newest)
  if (events.length === 0) throw makeUnknownEmployeeError()
  const at = readFormFields(request.query)['at'] ?? ''
  const { seen, problem } = await readEmployeeAtMoment(db, companyId, id, at, timeZone)
  const causes = seen?.state.standing === 'known' ? Object.values(seen.state.causes) : []
  const names = await readNames(
    db,
    companyId,
    causes.map(({ actor }) => actor),
  )
  const title = formatEmployeeName(seen)
  const body = html`${renderBreadcrumb(NAVIGATION.employees)}
    <h1><bdi>${title}</bdi></h1>
    ${problem ? renderFormAlert(problem) : renderNotice(request, DONE)} ${seen ? renderStanding(seen, viewer) : ''}
    ${renderMomentForm(id, at, timeZone)}
    ${seen?.state.standing === 'known' ? renderAttributes(seen.state, seen.position, names, viewer) : ''}
    <h2>Events</h2>
    ${await renderEventTable(db, viewer, older === null ? 'All events of this employee, newest first' : `The ${EVENTS_SHOWN} newest events of this employee`, events)}
    <p class="actions">
      <a class="button" href="${buildUrl(NAVIGATION.events.path, { id })}">View in event stream</a>
      ${viewer.role === 'admin' && seen?.state.standing !== 'erased' ? html`<a class="button danger" href="${PATH}/${id}/erase">Erase person…</a>` : ''}
    </p>`
  return sendUserPage(request, problem ? reply.code(problem.status) : reply, viewer, { title, body })
}

/** Reads the employee at the time or position in the address, or returns the problem of a bad address. */
async function readEmployeeAtMoment(
  db: LedgerDb,
  companyId: string,
  id: string,
  at: string,
  timeZone: string,
): Promise<{ seen: SeenEmployee | null; problem: FormProblem }> {
  try {
    const moment = readLocal(at) ? new Date(findEndOf(at, timeZone)).toISOString() : at
    const position = await resolvePosition(db, companyId, at === '' ? undefined : moment)
    const state = await readEmployeeAt(db, companyId, id, position)
    const { position: head } = await readHead(db, companyId)
    return {
      seen: { id, position, head, isNow: at === '', state, ...(await findSteps(db, companyId, id, position)) },
      problem: null,
    }
  } catch (error) {
    return { seen: null, problem: toFormProblem(error) }
  }
}

/** Finds the positions of the previous and the next event of an employee; null where there is none. */
async function findSteps(
  db: LedgerDb,
  companyId: string,
  id: string,
  position: number,
): Promise<Pick<SeenEmployee, 'earlier' | 'later'>> {
  const [past, future] = await Promise.all([
    position === 0
      ? []
      : listStoredEvents(db, companyId, { stream: id }, { place: { upTo: position }, limit: 2 }).then(
          ({ events }) => events,
        ),
    listStoredEvents(db, companyId, { stream: id }, { place: { from: position + 1 }, limit: 1 }).then(
      ({ events }) => events,
    ),
  ])
  // The newest event up to here produced the state shown; the step back leads to the event before it.
  const before = past[0] && (past[1]?.position ?? past[0].position - 1)
  return { earlier: before ?? null, later: future[0]?.position ?? null }
}

function renderMomentForm(id: string, at: string, timeZone: string): Html {
  const [time, position] = readLocal(at)?.time === undefined ? ['', /^\d+$/.test(at) ? at : ''] : [at, '']
  return html`<form method="get" action="${PATH}/${id}" class="filters" aria-label="Point in time">
    ${renderField({ name: 'time', label: 'Date and time', type: 'datetime-local', value: time, hint: timeZone, isRequired: false }, null)}
    ${renderField({ name: 'position', label: 'Or position', type: 'number', value: position, min: 0, hint: 'Ledger position', isRequired: false }, null)}
    <div class="actions"><button class="primary">Show</button></div>
  </form>`
}
