import type { FastifyInstance } from 'fastify'
import { problem } from '#domain/errors'
import { readStoredEvent, type ShownEvent } from '#ledger/read/browse-events'
import type { Client } from '#domain/client'
import { readClientOf } from '#ledger/read/read-clients'
import { readNames } from '#ledger/read/read-names'
import { readHead } from '#ledger/read/read-head'
import type { SessionUser } from '#accounts/users/sessions'
import { ProblemError } from '#http/server/problem'
import { listNamedIds, renderSentence } from './event-sentence.ts'
import { isPosition } from './event-query.ts'
import { renderActor, renderCallLink, formatJson, renderStream } from './event-values.ts'
import { renderClient } from '../parts/clients.ts'
import { html, textOf, type Html } from '../parts/html.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { renderPageLinks } from '../parts/list-pages.ts'
import { renderFacts } from '../parts/facts.ts'
import { NAVIGATION } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import { renderTime } from '../parts/times.ts'
import { renderBadge } from '../parts/badges.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.events.path

/** `/settings/events/{position}`: one event with everything stored, and whether its hashes match. */
export function addEventPage(app: FastifyInstance, { reads }: PageServices): void {
  app.get<{ Params: { position: string } }>(`${PATH}/:position`, async (request, reply) => {
    const viewer = getViewer(request)
    const { position: text } = request.params
    const db = await reads.of(viewer.companyId)
    const event = isPosition(text) ? await readStoredEvent(db, viewer.companyId, Number(text)) : null
    if (!event) throw new ProblemError(problem('route_not_found', 'The ledger has no event at this position'))
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
): Html {
  const number = ['Event', formatNumber(position)] as const
  if (!header) return renderFacts([number, ['Type', type]])
  const { schema_version: schema, index, actor, recorded_at: recordedAt } = header
  return renderFacts([
    number,
    ['Type', `${type}, schema version ${schema}`],
    ['Stream', html`${renderStream(header)} ${renderCallLink(header, viewer)}`],
    ['Recorded', renderTime(recordedAt, viewer.timeZone)],
    ['By', renderActor(actor, names)],
    client ? ['Sent from', renderClient(client)] : null,
    index === null ? null : ['Record', String(index)],
  ])
}

function renderData({ data }: ShownEvent): Html {
  return html`<h2>Data</h2>
    ${
      data === null
        ? html`<p>Erased: this event's data and salt were permanently deleted. Their hash stays.</p>`
        : html`<pre>${formatJson(data)}</pre>`
    }`
}

function renderHashes({ envelope, salt, dataHash, leafHash, isRight }: ShownEvent): Html {
  if (envelope === null) return html``
  return html`<h2>Hashes</h2>
    <p>
      The data hash is SHA-256 over salt and data, and is part of the envelope. The leaf hash is SHA-256 over a zero
      byte and the envelope: the event's leaf in the company's Merkle tree (RFC 6962). It was stored with the event, and
      doesn't match if anything else has been changed since.
    </p>
    ${renderFacts([
      [
        'Envelope',
        html`<pre id="envelope">${envelope}</pre>
          <button type="button" data-copy="#envelope" hidden>Copy</button>`,
      ],
      ['Leaf hash', html`<code>${leafHash}</code> ${renderVerdict(isRight)}`],
      ['Data hash', html`<code>${dataHash}</code>`],
      ['Salt', salt === null ? 'Erased' : html`<code>${salt}</code>`],
    ])}`
}

function renderVerdict(isRight: boolean): Html {
  return isRight ? renderBadge('good', 'Matches') : renderBadge('bad', 'Does not match')
}
