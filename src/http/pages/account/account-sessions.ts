import type { FastifyRequest } from 'fastify'
import { isIPv4 } from 'node:net'
import { html } from 'hono/html'
import { listSessions, type ShownSession } from '../../../accounts/users/own-sessions.ts'
import { sessionCookie } from '../../access/session.ts'
import { renderConfirmedAction } from '../parts/confirm.ts'
import { findBrowserName } from './browser-name.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'

const PATH = `${ACCOUNT_PATH}/sessions`
const SESSIONS_SHOWN = 50

/** Renders the user's own sessions and the buttons that end them. */
export async function renderSessions({ db, sessions }: PageServices, request: FastifyRequest): Promise<Html> {
  const viewer = getViewer(request)
  const limits = { idleMinutes: sessions.idleMinutes, limit: SESSIONS_SHOWN }
  const sessionsOfUser = await listSessions(db, viewer, sessionCookie(request, sessions) ?? '', limits)
  const rows = sessionsOfUser.map(
    (session) =>
      html`<tr>
        <th scope="row" data-label="Browser">
          ${renderBrowser(session.userAgent)} ${session.isThis ? html`<strong>(this session)</strong>` : ''}
        </th>
        <td data-label="Address" class="${isIPv4(session.address) ? 'unbroken' : ''}">${session.address}</td>
        <td data-label="Signed in">${renderTime(session.createdAt, viewer.timeZone)}</td>
        <td data-label="Last active">${renderTime(session.lastUsed, viewer.timeZone)}</td>
        <td data-label="Expires">${renderTime(session.expiresAt, viewer.timeZone)}</td>
        <td>${session.isThis ? '' : renderSignOut(session)}</td>
      </tr>`,
  )
  return html`<h2 id="sessions">Sessions</h2>
    <table class="cards" aria-labelledby="sessions">
      <thead>
        <tr>
          ${['Browser', 'Address', 'Signed in', 'Last active', 'Expires'].map((label) => html`<th scope="col" class="unbroken">${label}</th>`)}
          <th scope="col"><span class="visually-hidden">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    <div class="actions">
      ${renderConfirmedAction({ label: 'Sign out other sessions', text: 'All your sessions except this one end immediately.', action: PATH, field: { name: 'end', value: 'others' } })}
      ${renderConfirmedAction({ label: 'Sign out all sessions', text: 'All your sessions end immediately, including this one.', action: PATH, field: { name: 'end', value: 'all' } })}
    </div>`
}

function renderBrowser(userAgent: string): Html {
  const name = findBrowserName(userAgent)
  if (name !== null) return html`${name}`
  return userAgent === '' ? html`unknown` : html`<bdi>${userAgent}</bdi>`
}

function renderSignOut({ id, userAgent, address }: ShownSession): Html {
  return renderConfirmedAction({
    label: 'Sign out',
    of: html`${renderBrowser(userAgent)} at ${address}`,
    text: 'This session ends immediately.',
    action: PATH,
    field: { name: 'session', value: id },
  })
}
