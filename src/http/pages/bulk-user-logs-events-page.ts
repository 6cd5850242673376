import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import type { Kysely } from 'kysely'
import { firstPositionOf } from '../../../projections/bulk-user-logs-records-queries.ts'
import type { EventTexts } from '../../ledger/read.ts'
import { readEventTexts } from '../../ledger/read.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { requireLogEntry } from '../admin/bulk-user-logs.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { addressOf, pageLinks } from './addresses.ts'
import { entryPath, trail } from './bulk-user-logs-entry.ts'
import { formFields } from './form.ts'
import { sendUserPage } from './layout.ts'
import type { Html } from './page.ts'
import { viewerOf } from './viewer.ts'

const PAGE_EVENTS = 50
/** The data of an event may be as large as a body: of larger data the page shows the beginning. In characters. */
const MAX_DATA = 20_000

/** `/settings/bulk-user-logs/{log_id}/events`: what the ledger holds of a call, event by event. */
export function callEventsPage(app: FastifyInstance, db: LedgerDb, path: string): void {
  const logs = db as unknown as Kysely<unknown>
  app.get<{ Params: { log_id: string } }>(`${path}/:log_id/events`, async (request, reply) => {
    const viewer = viewerOf(request)
    const entry = await requireLogEntry(logs, viewer.companyId, request.params.log_id)
    const { cursor } = formFields(request.query)
    const first = await firstPositionOf(logs, viewer.companyId, entry)
    const after = cursor === undefined ? first - 1 : Math.max(first - 1, decodeCursor(cursor))
    const events = await readEventTexts(db, viewer.companyId, { after, upTo: entry.position, limit: PAGE_EVENTS })
    const last = after + events.length
    const address = `${entryPath(entry)}/events`
    const place = (position: number) => addressOf(address, { cursor: encodeCursor(position) })
    const body = html`${trail(entry)}
      <h1>Events of the call</h1>
      <p>The ledger holds this call at the positions ${first} to ${entry.position}. These are its events as they are stored.</p>
      <ol class="records">${events.map(eventShown)}</ol>
      ${pageLinks([
        { label: 'Previous', rel: 'prev', href: after >= first ? place(Math.max(first - 1, after - PAGE_EVENTS)) : null },
        { label: 'Next', rel: 'next', href: last < entry.position && events.length > 0 ? place(last) : null },
      ])}`
    return sendUserPage(request, reply, viewer, { title: 'Events of the call', body })
  })
}

function eventShown({ envelope, data }: EventTexts): Html {
  const { position, type } = JSON.parse(envelope) as { position: number; type: string }
  const text = data === null ? null : indented(data)
  return html`<li class="record">
    <h2>${position} <code>${type}</code></h2>
    <h3>Data</h3>
    ${text === null ? html`<p class="hint">The data have been erased.</p>` : html`<pre>${text.slice(0, MAX_DATA)}</pre>`}
    ${text !== null && text.length > MAX_DATA ? html`<p class="hint">Only the first ${MAX_DATA.toLocaleString('en')} of ${text.length.toLocaleString('en')} characters are shown.</p>` : ''}
    <details><summary>Envelope</summary><pre>${indented(envelope)}</pre></details>
  </li>`
}

function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}
