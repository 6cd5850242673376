import type { FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { listSessions } from '../../../accounts/users/sessions.ts'
import { sessionCookie } from '../../access/session.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'

const SESSIONS_SHOWN = 50

/** Renders the user's own sessions and the buttons that end them. */
export async function renderSessions({ db, sessions }: PageServices, request: FastifyRequest): Promise<Html> {
  const viewer = getViewer(request)
  const limits = { idleMinutes: sessions.idleMinutes, limit: SESSIONS_SHOWN }
  const found = await listSessions(db, viewer, sessionCookie(request, sessions) ?? '', limits)
  return html`<h2 id="sessions">Sessions</h2>
    <table class="cards" aria-labelledby="sessions">
      <thead>
        <tr>
          <th scope="col">Signed in</th>
          <th scope="col">Last active</th>
          <th scope="col">Expires</th>
        </tr>
      </thead>
      <tbody>
        ${found.map(
          ({ createdAt, lastUsed, expiresAt, isThis }) =>
            html`<tr>
              <th scope="row" data-label="Signed in">
                ${renderTime(createdAt, viewer.timeZone)} ${isThis ? html`<strong>(this session)</strong>` : ''}
              </th>
              <td data-label="Last active">${renderTime(lastUsed, viewer.timeZone)}</td>
              <td data-label="Expires">${renderTime(expiresAt, viewer.timeZone)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <form method="post" action="${ACCOUNT_PATH}/sessions" class="actions">
      <button name="end" value="others">Sign out other sessions</button>
      <button name="end" value="all" class="danger">Sign out all sessions</button>
    </form>`
}
