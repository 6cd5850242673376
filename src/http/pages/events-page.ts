import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import type { ListedEvent, ListedEvents } from '../../ledger/browse-events.ts'
import { listStoredEvents, namesOf } from '../../ledger/browse-events.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { shownActor, shownCall, shownJson } from './event-values.ts'
import type { EventQuery } from './event-query.ts'
import { EVENT_TYPES, readEventQuery } from './event-query.ts'
import { choice, field } from './form.ts'
import { sendUserPage } from './layout.ts'
import { NAVIGATION } from './navigation.ts'
import type { Html } from './page.ts'
import { timeShown } from './times.ts'
import { viewerOf } from './viewer.ts'

const PATH = NAVIGATION.events.path
const EVENTS_PER_PAGE = 50

/** `/settings/events`: the company's ledger as it stands, newest first, for administrators and auditors. */
export function eventsPage(app: FastifyInstance, db: LedgerDb): void {
  app.get<{ Querystring: EventQuery }>(PATH, async (request, reply) => {
    const viewer = viewerOf(request)
    const { filter, place } = readEventQuery(request.query)
    const listed = await listStoredEvents(db, viewer.companyId, filter, { place, limit: EVENTS_PER_PAGE })
    const names = await namesOf(db, viewer.companyId, listed.events.flatMap(({ envelope }) => (envelope ? [envelope.actor] : [])))
    const rows = (event: ListedEvent) => eventRows(event, names, viewer.role === 'admin', viewer.timeZone)
    const body = html`<h1>Event stream</h1>
      <p>Everything that has happened in the company, as its ledger holds it: numbered without a gap, and never changed.
        <a href="/audit/v1/events" download="events.ndjson">Export all events</a></p>
      ${filters(request.query)}
      ${listed.events.length === 0 ? nothing(listed) : table(listed.events.map(rows))}
      ${pageLinks(listed, request.query)}`
    return sendUserPage(request, reply, viewer, { title: 'Event stream', body })
  })
}

function filters({ type = '', id = '', position = '' }: EventQuery): Html {
  const types = [{ value: '', label: 'Any' }, ...EVENT_TYPES.map((name) => ({ value: name, label: name }))]
  return html`<form method="get" action="${PATH}" class="filters">
    ${choice({ name: 'type', label: 'Type', value: type, options: types, hint: 'What happened.' }, null)}
    ${field({ name: 'id', label: 'Id', value: id, hint: 'Such as emp_… or log_….', isRequired: false }, null)}
    ${field({ name: 'position', label: 'From position', value: position, type: 'number', min: 1, hint: 'And what is older.', isRequired: false }, null)}
    <p class="actions"><button class="primary">Filter</button> <a href="${PATH}">Clear</a></p>
  </form>`
}

function nothing({ seen }: ListedEvents): Html {
  const where = seen === null ? 'There is none.' : `None of the positions ${seen.first} to ${seen.last} holds one.`
  return html`<div class="empty"><h2>No such events here</h2><p>${where}</p></div>`
}

function table(events: readonly Html[]): Html {
  return html`<table class="cards events">
    <caption>Events, newest first</caption>
    <thead><tr>${['Position', 'Recorded', 'Type', 'Stream and version', 'By'].map((label) => html`<th scope="col">${label}</th>`)}</tr></thead>
    ${events}
  </table>`
}

/** What the envelope says in one row, and below it the data, which need all of the width. */
function eventRows(event: ListedEvent, names: ReadonlyMap<string, string>, isAdmin: boolean, timeZone: string): Html {
  const { position, envelope } = event
  const link = html`<th scope="row" class="unbroken" data-label="Position"><a href="${PATH}/${position}">${position}</a></th>`
  if (!envelope) return html`<tbody><tr>${link}<td colspan="4">This event cannot be read; its page shows it as it is stored.</td></tr></tbody>`
  const ofStream = `${PATH}?id=${encodeURIComponent(envelope.stream)}`
  return html`<tbody><tr>${link}
    <td data-label="Recorded">${timeShown(envelope.recorded_at, timeZone)}</td>
    <td data-label="Type"><span class="unbroken">${envelope.type}</span></td>
    <td data-label="Stream and version"><a href="${ofStream}"><code>${envelope.stream}</code></a> ${envelope.version} ${shownCall(envelope, isAdmin)}</td>
    <td data-label="By">${shownActor(envelope.actor, names)}</td></tr>
    <tr><td colspan="5">${dataOf(event)}</td></tr></tbody>`
}

function dataOf({ position, data, isErased }: ListedEvent): Html {
  if (isErased) return html`<span class="hint">Data: erased</span>`
  if (data === null) return html`<span class="hint">Data: long, see <a href="${PATH}/${position}">the event</a></span>`
  if (data === '{}') return html`<span class="hint">Data: none</span>`
  return html`<details><summary>Data<span class="visually-hidden"> of event ${position}</span></summary><pre>${shownJson(data)}</pre></details>`
}

function pageLinks({ newer, older }: ListedEvents, { type = '', id = '' }: EventQuery): Html {
  const kept = Object.entries({ type, id }).filter(([, value]) => value !== '')
  const to = (name: string, value: number) => `${PATH}?${new URLSearchParams([...kept, [name, String(value)]]).toString()}`
  return html`<nav class="pages" aria-label="Pages of events">
    ${newer === null ? '' : html`<a class="button" rel="prev" href="${to('newer_from', newer)}">Newer</a>`}
    ${older === null ? '' : html`<a class="button" rel="next" href="${to('position', older)}">Older</a>`}
  </nav>`
}
