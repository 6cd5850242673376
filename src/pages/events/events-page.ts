import type { FastifyInstance } from 'fastify'
import { listStoredEvents, type ListedEvents } from '#ledger/read/browse-events'
import { findLastPositionBefore, readHead } from '#ledger/read/read-head'
import { readNames } from '#ledger/read/read-names'
import type { LedgerDb } from '#ledger/tables'
import { whenGiven } from '#http/access/heavy-reads'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import { renderEventFilter } from './event-filter-form.ts'
import { renderEventList } from './event-list.ts'
import { listNamedIds } from './event-sentence.ts'
import { renderEventTable } from './event-table.ts'
import { readEventQuery, type EventQuery } from './event-query.ts'
import { readFormFields } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { sendUserPage } from '../parts/layout.ts'
import { renderPageLinks } from '../parts/list-pages.ts'
import type { PageServices } from '../parts/page-services.ts'
import { formatNumber } from '#wording/numbers'
import { getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.events.path
const EVENTS_PER_PAGE = 50
const INVALID_QUERY = 400

/** `/settings/events`: the company's ledger, newest first, for administrators and auditors. */
export function addEventsPage(app: FastifyInstance, { reads }: PageServices): void {
  app.get(
    PATH,
    { config: { isHeavyRead: whenGiven(['type', 'actor', 'id', 'from', 'to', 'q']) } },
    async (request, reply) => {
      const viewer = getViewer(request)
      const query = readEventQuery(request.query, viewer.timeZone)
      // Told in sentences, or as they are stored.
      const view = readFormFields(request.query)['view'] === 'raw' ? { view: 'raw' } : undefined
      const db = await reads.of(viewer.companyId, request.left)
      const body = html`<h1>Event stream</h1>
        ${await renderEventFilter(db, viewer, query, view ?? {})}
        ${!query.problem && (await renderEvents(db, query))}`
      return sendUserPage(query.problem ? reply.code(INVALID_QUERY) : reply, viewer, {
        title: 'Event stream',
        body,
      })

      async function renderEvents(from: LedgerDb, { given, filter, place }: EventQuery): Promise<Html> {
        const between = await findBetween(from, viewer.companyId, query)
        const page = { place, between, limit: EVENTS_PER_PAGE }
        const listed = await listStoredEvents(from, viewer.companyId, filter, page)
        const { events } = listed
        const render = view ? renderEventTable : renderEventList
        const names = await readNames(from, viewer.companyId, events.flatMap(listNamedIds))
        const rows = render('Events, newest first', events, { viewer, names })
        return html`${events.length === 0 ? renderNoEvents(listed) : rows}
          ${renderEventPageLinks(listed, { ...given, ...view })}`
      }
    },
  )
}

/** Finds the positions between the times of a query; undefined if it has none. */
async function findBetween(
  db: LedgerDb,
  companyId: string,
  { between: { from, to } }: EventQuery,
): Promise<{ first: number; last: number } | undefined> {
  if (from === undefined && to === undefined) return undefined
  const { position: head } = await readHead(db, companyId)
  const lastBefore = (time: string) => findLastPositionBefore(db, companyId, head, time, { inclusive: false })
  return {
    first: from === undefined ? 1 : (await lastBefore(from)) + 1,
    last: to === undefined ? head : await lastBefore(to),
  }
}

function renderNoEvents({ seen, older }: ListedEvents): Html {
  const where =
    seen === null
      ? 'There are no events here.'
      : `No event at positions ${formatNumber(seen.first)} to ${formatNumber(seen.last)} matches.`
  return html`<div class="empty">
    <h2>No matching events</h2>
    <p>${where}${older !== null && ' Earlier events have not been searched yet.'}</p>
  </div>`
}

function renderEventPageLinks({ events, newer, older, seen }: ListedEvents, filter: Record<string, string>): Html {
  const isCut = older !== null && seen !== null && events.length < EVENTS_PER_PAGE
  return html`${isCut && events.length > 0 && html`<p class="hint">Searched back to position ${formatNumber(seen.first)}.</p>`}
  ${renderPageLinks([
    { label: 'Newest', rel: 'first', href: newer === null ? null : buildUrl(PATH, filter) },
    { label: 'Newer', rel: 'prev', href: newer === null ? null : buildUrl(PATH, { ...filter, newer_from: newer }) },
    {
      label: isCut ? 'Search further' : 'Older',
      rel: 'next',
      href: older === null ? null : buildUrl(PATH, { ...filter, position: older }),
    },
  ])}`
}
