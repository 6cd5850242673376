import type { FastifyRequest } from 'fastify'
import { isIPv4 } from 'node:net'
import { recordSessionEvents } from '#accounts/record-session-events'
import { endOtherSessions, endOwnSession, listSessions, type ShownSession } from '#accounts/users/sessions'
import { clearSessionCookie, sessionCookie } from '#http/access/session'
import { renderConfirmedAction } from '../parts/confirm.ts'
import { findBrowserName } from './browser-name.ts'
import type { Form, PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTable } from '../parts/table.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const SESSIONS_SHOWN = 50

/** Makes the form that ends one of the user's own sessions, all others, or all. */
export function makeSessionsForm({
  accessPool,
  company,
  sessions,
}: PageServices): Form<unknown, 'session' | 'gone' | 'others'> {
  return {
    path: '/sessions',
    async run(request, { end, session }, reply) {
      const acting = getActing(request)
      if (session !== undefined) {
        const hasEnded = await endOwnSession(accessPool, acting, session)
        await recordSessionEvents(company, acting.companyId)
        return { done: hasEnded ? 'session' : 'gone' }
      }
      const isThisKept = end !== 'all'
      await endOtherSessions(accessPool, acting, isThisKept ? sessionCookie(request, sessions) : null)
      await recordSessionEvents(company, acting.companyId)
      if (isThisKept) return { done: 'others' }
      clearSessionCookie(reply, sessions)
      return { goTo: '/sign-in' }
    },
  }
}

/** Renders the user's own sessions and the buttons that end them. */
export async function renderSessions(
  { db, sessions }: PageServices,
  forms: PageForms<'sessions'>,
  request: FastifyRequest,
): Promise<Html> {
  const viewer = getViewer(request)
  const limits = { idleMinutes: sessions.idleMinutes, limit: SESSIONS_SHOWN }
  const action = forms.actionOf('sessions')
  const renderTimeOf = (time: string) => renderTime(time, viewer.timeZone)
  return html`<h2 id="sessions">Sessions</h2>
    ${renderTable({
      caption: 'Your sessions',
      columns: [
        {
          heading: 'Browser',
          cell: ({ userAgent, isThis }) =>
            html`${renderBrowser(userAgent)} ${isThis ? html`<strong>(this session)</strong>` : ''}`,
        },
        {
          heading: 'Address',
          cell: ({ address }) => (isIPv4(address) ? html`<span class="unbroken">${address}</span>` : address),
        },
        { heading: 'Signed in', cell: ({ createdAt }) => renderTimeOf(createdAt) },
        { heading: 'Last active', cell: ({ lastUsed }) => renderTimeOf(lastUsed) },
        { heading: 'Expires', cell: ({ expiresAt }) => renderTimeOf(expiresAt) },
        {
          heading: 'Actions',
          isHeadingHidden: true,
          cell: (session) => (session.isThis ? '' : renderSignOut(action, session)),
        },
      ],
      rows: await listSessions(db, viewer, sessionCookie(request, sessions) ?? '', limits),
    })}
    <div class="actions">
      ${renderConfirmedAction({ label: 'Sign out other sessions', text: 'All your sessions except this one end immediately.', action, field: { name: 'end', value: 'others' } })}
      ${renderConfirmedAction({ label: 'Sign out all sessions', text: 'All your sessions end immediately, including this one.', action, field: { name: 'end', value: 'all' } })}
    </div>`
}

function renderBrowser(userAgent: string): Html {
  const name = findBrowserName(userAgent)
  if (name !== null) return html`${name}`
  return userAgent === '' ? html`unknown` : html`<bdi>${userAgent}</bdi>`
}

function renderSignOut(action: string, { id, userAgent, address }: ShownSession): Html {
  return renderConfirmedAction({
    label: 'Sign out',
    of: html`${renderBrowser(userAgent)} at ${address}`,
    text: 'This session ends immediately.',
    action,
    field: { name: 'session', value: id },
  })
}
