import type { FastifyInstance } from 'fastify'
import {
  type ListedEvent,
  listStoredEvents,
  type ListedEvents,
  readStoredEvent,
  type ShownEvent,
} from '#ledger/read/browse-events'
import { formatTime } from '#domain/local-times'
import { findLastPositionBefore, readHead } from '#ledger/read/read-head'
import { readNames, readClientOf } from '#ledger/read/read-names'
import type { LedgerDb } from '#ledger/tables'
import { whenGiven } from '#http/access/heavy-reads'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import type { Client } from '#domain/call-sources'
import type { SessionUser } from '#accounts/users/sessions'
import { problemError } from '#http/server/problem'
import {
  renderCode,
  html,
  type Html,
  renderTime,
  renderClient,
  renderFacts,
  renderBadge,
  renderHint,
  renderNothing,
  raw,
} from '#pages/parts/elements'
import { readFormFields } from '#pages/parts/form'
import { sendUserPage, renderBreadcrumb } from '#pages/parts/layout'
import { renderPageLinks } from '#pages/parts/list-pages'
import { type PageServices, getViewer } from '#pages/parts/context'
import { renderSentence, type SentenceContext, listNamedIds } from './event-sentence.ts'
import { renderEventLink, renderActor, renderCallLink, formatJson, renderStreamLink } from './event-values.ts'
import { renderEventFilter, readEventQuery, type EventQuery, isPosition } from './event-query.ts'

/** The text of what was rendered, as a screen reader reads it; it is escaped already. */
async function textOf(rendered: Html) {
  const markup = await rendered
  return raw(
    markup
      .replaceAll(/<span aria-hidden="true">[^<]*<\/span>/g, '')
      .replaceAll(/<[^<>]*>/g, '')
      .replaceAll(/\s+/g, ' '),
  )
}

/** Renders events as sentences, one per row, in the order given. */
function renderEventList(caption: string, events: readonly ListedEvent[], context: SentenceContext) {
  const rows = events.map((event) => ({
    at: event.header?.recorded_at ?? null,
    what: renderSentence(event, context),
    position: event.position,
  }))
  return renderStream({ caption, heading: 'What happened', rows }, context.viewer.timeZone)
}

interface Stream {
  caption: string
  heading: string
  /** When something happened, if that is known, what it was, and the position of its event. */
  rows: readonly { at: string | null; what: Html; position: number }[]
}

/** Renders a table with a row for each event or change, told in a sentence. */
export function renderStream({ caption, heading, rows }: Stream, timeZone: string) {
  return html`<table class="cards stream">
    <caption class="visually-hidden">
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">Time <span class="hint">${timeZone}</span></th>
        <th scope="col">${heading}</th>
        <th scope="col" class="number">Event</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ at, what, position }) =>
          html`<tr>
            <td class="when">${at !== null && renderMoment(at, timeZone)}</td>
            <td class="what">${what}</td>
            <th scope="row" class="number">${renderEventLink(position)}</th>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Renders an instant in a time zone without the zone, such as `20 Nov 2026, 14:05:09`; the zone is in its title. */
function renderMoment(instant: string, timeZone: string) {
  const whole = formatTime(instant, timeZone)
  return html`<time datetime="${instant}" title="${whole}">${whole.replace(/ \S+$/, '')}</time>`
}

const COLUMNS = ['Position', 'Recorded', 'Type', 'Stream', 'By']

/** Renders events as a table, in the order given, with the current names of keys and users. */
function renderEventTable(caption: string, events: readonly ListedEvent[], context: SentenceContext) {
  return html`<table class="cards events">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${COLUMNS.map((label) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    ${events.map((event) => renderEventRows(event, context))}
  </table>`
}

/** Renders the header in one row, and the data, which need the full width, in the next. */
function renderEventRows(event: ListedEvent, { names, viewer }: SentenceContext) {
  const { position, header } = event
  const link = html`<th scope="row" class="unbroken" data-label="Position">${renderEventLink(position)}</th>`
  if (!header)
    return html`<tbody>
      <tr>
        ${link}
        <td colspan="4">This version of the service can't read this event.</td>
      </tr>
    </tbody>`
  return html`<tbody>
    <tr>
      ${link}
      <td data-label="Recorded">${renderTime(header.recorded_at, viewer.timeZone)}</td>
      <td data-label="Type"><span class="unbroken">${header.type}</span></td>
      <td data-label="Stream">${renderStreamLink(header)} ${renderCallLink(header, viewer)}</td>
      <td data-label="By">${renderActor(header.actor, names)}</td>
    </tr>
    <tr>
      <td colspan="5">${renderEventData(event)}</td>
    </tr>
  </tbody>`
}

function renderEventData({ position, data, isErased }: ListedEvent) {
  if (isErased) return html`<span class="hint">Data: erased</span>`
  if (data === null) return html`<span class="hint">Data: long, see event ${renderEventLink(position)}</span>`
  if (data === '{}') return html`<span class="hint">Data: none</span>`
  return html`<details>
    <summary>Data<span class="visually-hidden"> of event ${position}</span></summary>
    <pre>${formatJson(data)}</pre>
  </details>`
}

const PATH = NAVIGATION.events.path
const EVENTS_PER_PAGE = 50
const INVALID_QUERY = 400

/** `/settings/events`: the company's ledger, newest first, for administrators and auditors. */
export function addEventsPage(app: FastifyInstance, { reads }: PageServices) {
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

      async function renderEvents(from: LedgerDb, { given, filter, place }: EventQuery) {
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
async function findBetween(db: LedgerDb, companyId: string, { between: { from, to } }: EventQuery) {
  if (from === undefined && to === undefined) return undefined
  const { position: head } = await readHead(db, companyId)
  const lastBefore = (time: string) => findLastPositionBefore(db, companyId, head, time, { inclusive: false })
  return {
    first: from === undefined ? 1 : (await lastBefore(from)) + 1,
    last: to === undefined ? head : await lastBefore(to),
  }
}

function renderNoEvents({ seen, older }: ListedEvents) {
  const where =
    seen === null
      ? 'There are no events here.'
      : `No event at positions ${formatNumber(seen.first)} to ${formatNumber(seen.last)} matches.`
  return renderNothing(
    'No matching events',
    `${where}${older === null ? '' : ' Earlier events have not been searched yet.'}`,
  )
}

function renderEventPageLinks({ events, newer, older, seen }: ListedEvents, filter: Record<string, string>) {
  const isCut = older !== null && seen !== null && events.length < EVENTS_PER_PAGE
  return html`${isCut && events.length > 0 && renderHint(`Searched back to position ${formatNumber(seen.first)}.`)}
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

/** `/settings/events/{position}`: one event with everything stored, and whether its hashes match. */
export function addEventPage(app: FastifyInstance, { reads }: PageServices) {
  app.get<{ Params: { position: string } }>(`${PATH}/:position`, async (request, reply) => {
    const viewer = getViewer(request)
    const { position: text } = request.params
    const db = await reads.of(viewer.companyId)
    const event = isPosition(text) ? await readStoredEvent(db, viewer.companyId, Number(text)) : null
    if (!event) throw problemError('route_not_found', 'The ledger has no event at this position')
    const { position: head } = await readHead(db, viewer.companyId)
    const listed = { ...event, summary: event.data, isErased: event.data === null }
    const names = await readNames(db, viewer.companyId, listNamedIds(listed))
    const sentence = renderSentence(listed, { viewer, names })
    const client = await readClientOf(db, viewer.companyId, event.position)
    const body = html`${renderBreadcrumb(NAVIGATION.events)}
      <h1>${sentence}</h1>
      ${renderHeader(event, { names, client }, viewer)} ${renderData(event)} ${renderHashes(event)}
      ${renderPageLinks([
        { label: 'Newer', rel: 'prev', href: event.position < head ? `${PATH}/${event.position + 1}` : null },
        { label: 'Older', rel: 'next', href: event.position > 1 ? `${PATH}/${event.position - 1}` : null },
      ])}`
    return sendUserPage(reply, viewer, { title: await textOf(sentence), body })
  })
}

function renderHeader(
  { header, type, position }: ShownEvent,
  { names, client }: { names: ReadonlyMap<string, string>; client: Client | null },
  viewer: SessionUser,
) {
  const number = formatNumber(position)
  if (!header) return renderFacts({ Event: number, Type: type })
  const { schema_version: schema, index, actor, recorded_at: recordedAt } = header
  return renderFacts({
    Event: number,
    Type: `${type}, schema version ${schema}`,
    Stream: html`${renderStreamLink(header)} ${renderCallLink(header, viewer)}`,
    Recorded: renderTime(recordedAt, viewer.timeZone),
    By: renderActor(actor, names),
    'Sent from': client && renderClient(client),
    Record: index !== null && String(index),
  })
}

function renderData({ data }: ShownEvent) {
  return html`<h2>Data</h2>
    ${
      data === null
        ? html`<p>Erased: this event's data and salt were permanently deleted. Their hash stays.</p>`
        : html`<pre>${formatJson(data)}</pre>`
    }`
}

function renderHashes({ envelope, salt, dataHash, leafHash, isRight }: ShownEvent) {
  if (envelope === null) return html``
  return html`<h2>Hashes</h2>
    <p>
      The data hash is SHA-256 over salt and data, and is part of the envelope. The leaf hash is SHA-256 over a zero
      byte and the envelope: the event's leaf in the company's Merkle tree (RFC 6962). It was stored with the event, and
      doesn't match if anything else has been changed since.
    </p>
    ${renderFacts({
      Envelope: html`<pre id="envelope">${envelope}</pre>
          <button type="button" data-copy="#envelope" hidden>Copy</button>`,
      'Leaf hash': html`${renderCode(leafHash)} ${renderVerdict(isRight)}`,
      'Data hash': renderCode(dataHash),
      Salt: salt === null ? 'Erased' : renderCode(salt),
    })}`
}

function renderVerdict(isRight: boolean) {
  return isRight ? renderBadge('good', 'Matches') : renderBadge('bad', 'Does not match')
}
