import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import type { ListedEvents } from '../../../ledger/read/browse-events.ts'
import { listStoredEvents } from '../../../ledger/read/browse-events.ts'
import type { Reads } from '../../../ledger/read/reads.ts'
import { whenGiven } from '../../access/heavy-reads.ts'
import { buildUrl } from '../parts/addresses.ts'
import { renderEventTable } from './event-table.ts'
import type { EventQuery } from './event-query.ts'
import { EVENT_TYPES, readEventQuery } from './event-query.ts'
import { listOptions, renderChoice, renderField } from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { renderPageLinks } from '../parts/list-pages.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.events.path
const EVENTS_PER_PAGE = 50

/** `/settings/events`: the company's ledger, newest first, for administrators and auditors. */
export function addEventsPage(app: FastifyInstance, reads: Reads): void {
  app.get<{ Querystring: EventQuery }>(
    PATH,
    { config: { isHeavyRead: whenGiven('type', 'id') } },
    async (request, reply) => {
      const viewer = getViewer(request)
      const { filter, place } = readEventQuery(request.query)
      const db = await reads.of(viewer.companyId)
      const listed = await listStoredEvents(db, viewer.companyId, filter, { place, limit: EVENTS_PER_PAGE })
      const body = html`<h1>Event stream</h1>
        <p>
          Everything that has happened in your company, as recorded in its ledger.
          <a href="/audit/v1/events" download="events.ndjson">Export all events</a>
        </p>
        ${renderEventFilter(request.query)}
        ${listed.events.length === 0 ? renderNoEvents(listed) : await renderEventTable(db, viewer, 'Events, newest first', listed.events)}
        ${renderEventPageLinks(listed, request.query)}`
      return sendUserPage(request, reply, viewer, { title: 'Event stream', body })
    },
  )
}

const TYPES = listOptions(Object.fromEntries(EVENT_TYPES.map((name) => [name, name])))

function renderEventFilter({ type = '', id = '', position = '' }: EventQuery): Html {
  return html`<form method="get" action="${PATH}" class="filters">
    ${renderChoice({ name: 'type', label: 'Type', value: type, options: TYPES, hint: 'What happened' }, null)}
    ${renderField({ name: 'id', label: 'ID', value: id, hint: 'For example emp_… or log_…', isRequired: false }, null)}
    ${renderField({ name: 'position', label: 'From position', value: position, type: 'number', min: 1, hint: 'And earlier', isRequired: false }, null)}
    <p class="actions"><button class="primary">Filter</button> <a class="button" href="${PATH}">Clear filters</a></p>
  </form>`
}

function renderNoEvents({ seen }: ListedEvents): Html {
  const where = seen === null ? 'The ledger has none.' : `Positions ${seen.first} to ${seen.last} have none.`
  return html`<div class="empty">
    <h2>No matching events</h2>
    <p>${where}</p>
  </div>`
}

function renderEventPageLinks({ newer, older }: ListedEvents, { type, id }: EventQuery): Html {
  return renderPageLinks([
    { label: 'Newer', rel: 'prev', href: newer === null ? null : buildUrl(PATH, { type, id, newer_from: newer }) },
    { label: 'Older', rel: 'next', href: older === null ? null : buildUrl(PATH, { type, id, position: older }) },
  ])
}
