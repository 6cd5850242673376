import type { SessionUser } from '../../../accounts/users/sessions.ts'
import type { ListedEvent } from '../../../ledger/read/browse-events.ts'
import { readNames } from '../../../ledger/read/read-names.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { formatTime } from '../../../domain/local-times.ts'
import { listNamedIds, renderSentence } from './event-sentence.ts'
import { renderEventLink } from './event-values.ts'
import { html, type Html } from '../parts/html.ts'

/** Renders events as sentences, one per row, in the order given. */
export async function renderEventList(
  db: LedgerDb,
  viewer: SessionUser,
  caption: string,
  events: readonly ListedEvent[],
): Promise<Html> {
  const names = await readNames(db, viewer.companyId, events.flatMap(listNamedIds))
  return html`<table class="stream">
    <caption class="visually-hidden">
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">Time <span class="hint">${viewer.timeZone}</span></th>
        <th scope="col">What happened</th>
        <th scope="col" class="number">Event</th>
      </tr>
    </thead>
    <tbody>
      ${events.map(
        (event) =>
          html`<tr>
            <td class="when">${event.header ? renderMoment(event.header.recorded_at, viewer.timeZone) : ''}</td>
            <td class="what">${renderSentence(event, { viewer, names })}</td>
            <th scope="row" class="number">${renderEventLink(event.position)}</th>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Renders an instant in a time zone without the zone, such as `20 Nov 2026, 14:05:09`; the zone is in its title. */
export function renderMoment(instant: string, timeZone: string): Html {
  const whole = formatTime(instant, timeZone)
  return html`<time datetime="${instant}" title="${whole}">${whole.replace(/ \S+$/, '')}</time>`
}
