import type { FailedHour, LastSignIn } from '../../../accounts/users/sign-in-records.ts'
import { findLastSignIn, listFailedHours } from '../../../accounts/users/sign-in-records.ts'
import type { SessionUser } from '../../../accounts/users/sessions.ts'
import { buildUrl } from '../parts/addresses.ts'
import { renderClient } from '../parts/clients.ts'
import { renderFacts } from '../parts/facts.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { formatAttempts, SIGNED_IN_WITH } from '../parts/sign-in-words.ts'
import { renderTable } from '../parts/table.ts'
import { renderTime } from '../parts/times.ts'

const HOURS_SHOWN = 5

/** Renders a user's last sign-in and the latest failed ones. */
export async function renderSignIns(
  { db }: Pick<PageServices, 'db'>,
  { companyId, timeZone }: SessionUser,
  { id: userId }: { id: string },
): Promise<Html> {
  const last = await findLastSignIn(db, { companyId, userId })
  const failed = await listFailedHours(db, { companyId, userId }, HOURS_SHOWN)
  return html`<h2>Sign-ins</h2>
    ${last ? renderLastSignIn(last, timeZone) : html`<p>No sign-in has been recorded.</p>`}
    ${failed.length === 0 ? '' : renderFailedHours(failed, timeZone)}
    <p><a href="${buildUrl(NAVIGATION.events.path, { id: userId, type: 'signIns' })}">All sign-ins in the event stream</a></p>`
}

function renderLastSignIn({ at, method, client }: LastSignIn, timeZone: string): Html {
  return renderFacts([
    ['Last sign-in', html`${renderTime(at, timeZone)}, ${SIGNED_IN_WITH[method]}`],
    client ? ['From', renderClient(client)] : null,
  ])
}

function renderFailedHours(hours: FailedHour[], timeZone: string): Html {
  return html`<h3>Failed sign-ins</h3>
    ${renderTable({
      caption: 'Failed sign-ins, the latest first',
      columns: [
        { heading: 'Last attempt in an hour', cell: ({ lastAt }) => renderTime(lastAt, timeZone) },
        { heading: 'Attempts', cell: ({ attempts }) => formatAttempts(attempts) },
        { heading: 'Last one from', cell: ({ client }) => (client ? renderClient(client) : '') },
      ],
      rows: hours,
    })}`
}
