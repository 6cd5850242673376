import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { problem as problemOf } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { listStoredEvents, namesOf } from '../../../ledger/read/browse-events.ts'
import { readEmployeeAt } from '../../../ledger/read/read-employee-history.ts'
import { readHead } from '../../../ledger/read/read-head.ts'
import type { Reads } from '../../../ledger/read/reads.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { positionAt } from '../../audit/employee-history.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { ProblemError } from '../../server/problem.ts'
import { addressOf } from '../parts/addresses.ts'
import type { SeenEmployee } from './employee-then.ts'
import { attributeTable, nameOf, standingShown } from './employee-then.ts'
import { eventTable } from '../events/event-table.ts'
import { asFormProblem, field, formAlert, formFields, type FormProblem } from '../parts/form.ts'
import { sendUserPage, trail } from '../parts/layout.ts'
import { endOf, readLocal } from '../parts/local-times.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { notice } from '../parts/notice.ts'
import type { Html } from '../parts/page.ts'
import { viewerOf } from '../parts/viewer.ts'

const PATH = NAVIGATION.employees.path
/** Events of the employee that the page shows; the event stream has all of them. */
const EVENTS_SHOWN = 20

export interface OfEmployee {
  Params: { id: string }
}

const DONE = { erased: 'The person is erased. It cannot be undone.' }

/** `/settings/employees/{id}?at=`: an employee at a position or a time, and which event made each attribute so. */
export function employeePage(app: FastifyInstance, reads: Reads): void {
  app.get<OfEmployee>(`${PATH}/:id`, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const { time = '', position = '' } = formFields(request.query)
    // The form has two ways to name a moment; the address has one.
    if (time !== '' || position !== '')
      return reply.redirect(addressOf(`${PATH}/${employeeId(request)}`, { at: position || time }), 303)
    return sendEmployee(reads, request, reply)
  })
}

/** The id in the address. Throws a problem when it can be nobody's. */
export function employeeId({ params }: FastifyRequest<OfEmployee>): string {
  if (!isId('emp', params.id)) throw noSuchEmployee()
  return params.id
}

export function noSuchEmployee(): ProblemError {
  return new ProblemError(problemOf('employee_not_found', 'No such employee exists'))
}

async function sendEmployee(
  reads: Reads,
  request: FastifyRequest<OfEmployee>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const viewer = viewerOf(request)
  const { companyId, timeZone } = viewer
  const id = employeeId(request)
  const db = await reads.of(companyId)
  const newest = { place: { upTo: Number.MAX_SAFE_INTEGER }, limit: EVENTS_SHOWN }
  const { events, older } = await listStoredEvents(db, companyId, { stream: id }, newest)
  if (events.length === 0) throw noSuchEmployee()
  const at = formFields(request.query)['at'] ?? ''
  const { seen, problem } = await readSeen(db, companyId, id, at, timeZone)
  const causes = seen?.state.standing === 'known' ? Object.values(seen.state.causes) : []
  const names = await namesOf(
    db,
    companyId,
    causes.map(({ actor }) => actor),
  )
  const title = nameOf(seen)
  const body = html`${trail(NAVIGATION.employees)}
    <h1><bdi>${title}</bdi></h1>
    ${problem ? formAlert(problem) : notice(request, DONE)} ${seen ? standingShown(seen, viewer) : ''}
    ${momentForm(id, at, timeZone)}
    ${seen?.state.standing === 'known' ? attributeTable(seen.state, seen.position, names, viewer) : ''}
    <h2>Events</h2>
    ${await eventTable(db, viewer, older === null ? 'All events of the employee, newest first' : `The ${EVENTS_SHOWN} newest events of the employee`, events)}
    <p class="actions">
      <a class="button" href="${addressOf(NAVIGATION.events.path, { id })}">In the event stream</a>
      ${viewer.role === 'admin' && seen?.state.standing !== 'erased' ? html`<a class="button danger" href="${PATH}/${id}/erase">Erase this person …</a>` : ''}
    </p>`
  return sendUserPage(request, problem ? reply.code(problem.status) : reply, viewer, { title, body })
}

/** The employee at the moment that an address names; with what is wrong with it, when it names none. */
async function readSeen(
  db: LedgerDb,
  companyId: string,
  id: string,
  at: string,
  timeZone: string,
): Promise<{ seen: SeenEmployee | null; problem: FormProblem }> {
  try {
    const moment = readLocal(at) ? new Date(endOf(at, timeZone)).toISOString() : at
    const position = await positionAt(db, companyId, at === '' ? undefined : moment)
    const state = await readEmployeeAt(db, companyId, id, position)
    const { position: head } = await readHead(db, companyId)
    return {
      seen: { id, position, head, isNow: at === '', state, ...(await stepsFrom(db, companyId, id, position)) },
      problem: null,
    }
  } catch (error) {
    return { seen: null, problem: asFormProblem(error) }
  }
}

/** The positions between which one steps through an employee's events; null where there is none. */
async function stepsFrom(
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
  // The newest event of the past made the employee what is shown; the one before it is the step back.
  const before = past[0] && (past[1]?.position ?? past[0].position - 1)
  return { earlier: before ?? null, later: future[0]?.position ?? null }
}

function momentForm(id: string, at: string, timeZone: string): Html {
  const [time, position] = readLocal(at)?.time === undefined ? ['', /^\d+$/.test(at) ? at : ''] : [at, '']
  return html`<form method="get" action="${PATH}/${id}" class="filters" aria-label="Another moment">
    ${field({ name: 'time', label: 'At a time', type: 'datetime-local', value: time, hint: timeZone, isRequired: false }, null)}
    ${field({ name: 'position', label: 'Or at a position', type: 'number', value: position, min: 0, hint: 'Of the ledger.', isRequired: false }, null)}
    <div class="actions"><button class="primary">Show</button></div>
  </form>`
}
