import type { ListedEvent } from '#ledger/read/browse-events'
import { formatTime } from '#domain/local-times'
import { renderSentence, type SentenceContext } from './event-sentence.ts'
import { renderEventLink } from './event-values.ts'
import { html, type Html } from '../parts/html.ts'

/** Renders events as sentences, one per row, in the order given. */
export function renderEventList(caption: string, events: readonly ListedEvent[], context: SentenceContext): Html {
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
export function renderStream({ caption, heading, rows }: Stream, timeZone: string): Html {
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
function renderMoment(instant: string, timeZone: string): Html {
  const whole = formatTime(instant, timeZone)
  return html`<time datetime="${instant}" title="${whole}">${whole.replace(/ \S+$/, '')}</time>`
}
