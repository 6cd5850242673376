import type { ListedEvent } from '#ledger/read/browse-events'
import type { SentenceContext } from './event-sentence.ts'
import { renderEventLink, renderActor, renderCallLink, formatJson, renderStream } from './event-values.ts'
import { html, type Html } from '../parts/html.ts'
import { renderTime } from '../parts/times.ts'

const COLUMNS = ['Position', 'Recorded', 'Type', 'Stream', 'By']

/** Renders events as a table, in the order given, with the current names of keys and users. */
export function renderEventTable(caption: string, events: readonly ListedEvent[], context: SentenceContext): Html {
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
function renderEventRows(event: ListedEvent, { names, viewer }: SentenceContext): Html {
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
      <td data-label="Stream">${renderStream(header)} ${renderCallLink(header, viewer)}</td>
      <td data-label="By">${renderActor(header.actor, names)}</td>
    </tr>
    <tr>
      <td colspan="5">${renderEventData(event)}</td>
    </tr>
  </tbody>`
}

function renderEventData({ position, data, isErased }: ListedEvent): Html {
  if (isErased) return html`<span class="hint">Data: erased</span>`
  if (data === null) return html`<span class="hint">Data: long, see event ${renderEventLink(position)}</span>`
  if (data === '{}') return html`<span class="hint">Data: none</span>`
  return html`<details>
    <summary>Data<span class="visually-hidden"> of event ${position}</span></summary>
    <pre>${formatJson(data)}</pre>
  </details>`
}
