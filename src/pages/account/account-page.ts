import type { FastifyRequest, FastifyInstance } from 'fastify'
import { isIPv4 } from 'node:net'
import { changeOwnPassword } from '#accounts/users/set-password'
import { OwnPasswordBody } from '#api/admin/user-schemas'
import { rememberUser } from '#http/access/known-browser'
import { clearSessionCookie, describeSession, sessionCookie, setSessionCookie } from '#http/access/session'
import { recordSessionEvents } from '#accounts/record-session-events'
import { endOtherSessions, endOwnSession, listSessions, type ShownSession } from '#accounts/users/sessions'
import { changeAlerts, wantsAlerts } from '#accounts/attention/change-alerts'
import { reportUser } from '#personal-data/report-user'
import { ALWAYS } from '#http/access/heavy-reads'
import { TOKEN_ACTIONS } from '#api/admin/user-actions'
import { ACCOUNT, ACCOUNT_PATH } from '#wording/navigation'
import { html, type Html, renderTable, renderTime, renderFacts } from '../parts/elements.ts'
import { wrongPassword } from '../parts/proof.ts'
import { checkForm, NEW_PASSWORD, requireRepeated } from '../parts/form.ts'
import {
  renderForm,
  type Form,
  type PageForms,
  renderConfirmedAction,
  listNotices,
  addFormPage,
} from '../parts/form-page.ts'
import { type PageServices, getActing, getViewer, requireOwnUser } from '../parts/context.ts'
import { renderReportForm, sendReportFile } from '../parts/report-download.ts'
import { findBrowserName } from './browser-name.ts'
import {
  addPasskeyRemoval,
  addRecoveryCodesPage,
  renderPasskeys,
  addPasskeyAddition,
  makePasskeyForm,
} from './passkeys.ts'
import { addAccountProvider, renderProviderLink } from './account-provider.ts'
import { makeTokenForm, renderTokens, addTokenRevocation } from './tokens.ts'

/** Makes the form that changes the user's own password. All sessions end; this browser gets a new one. */
function makePasswordForm(services: PageServices): Form<unknown, 'password'> {
  const { accessPool, company, sessions, signIns } = services
  return {
    path: '/password',
    async run(request, fields, reply) {
      const { companyId, userId, email } = getViewer(request)
      const { current = '', password = '' } = fields
      const { password: next } = checkForm(OwnPasswordBody, { current, password })
      requireRepeated(fields)
      const account = { company, pool: accessPool, session: describeSession(request, sessions) }
      const former = sessionCookie(request, sessions)
      const changed = await signIns.attempt(reply, {
        kind: 'proof in a session',
        whose: userId,
        check: () => changeOwnPassword(account, getActing(request), { email, current, next, cookie: former }),
        hasFailed: ({ outcome }) => outcome === 'wrong password',
      })
      if (changed.outcome === 'wrong password') throw wrongPassword()
      if (changed.cookie === null) clearSessionCookie(reply, sessions)
      else setSessionCookie(reply, sessions, changed.cookie)
      await rememberUser(services, reply, { companyId, userId })
      return { done: 'password' }
    },
  }
}

/** Renders the form that changes the user's own password. */
function renderPasswordForm(forms: PageForms<'password'>, email: string): Html {
  return html`<h2>Password</h2>
    ${renderForm(forms, 'password', {
      fields: [
        html`<input type="email" name="username" value="${email}" autocomplete="username" readonly hidden />`,
        { name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' },
        ...NEW_PASSWORD,
      ],
      buttons: html`<button class="primary">Change password</button>`,
    })}`
}

const SESSIONS_SHOWN = 50

/** Makes the form that ends one of the user's own sessions, all others, or all. */
function makeSessionsForm({
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
async function renderSessions(
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

/** `/account`: the user's own name, password, passkeys, tokens and sessions, for every role. */
export function addAccountPage(app: FastifyInstance, services: PageServices): void {
  addFormPage(app, {
    path: ACCOUNT_PATH,
    load: (request) => requireOwnUser(services, request),
    render: async (user, forms, request) => ({
      title: 'Your account',
      body: html`${renderFacts([
        ['Name', html`<bdi>${user.name}</bdi>`],
        ['Email', html`<bdi>${user.email}</bdi>`],
        ['Role', user.role],
        ['Company', html`<bdi>${getViewer(request).companyName}</bdi>`],
      ])}
        ${await renderAlerts(services, forms, request)} ${user.hasPassword ? renderPasswordForm(forms, user.email) : ''}
        ${await renderProviderLink(services, user, getViewer(request).companyId)} ${await renderPasskeys(services, request, user)}
        ${await renderTokens(services, forms, request, user.version)} ${await renderSessions(services, forms, request)}
        ${renderReportForm(forms, 'Your data', 'Everything that the service stores about you as a user.')}`,
    }),
    notices: {
      password: 'Password changed. All your other sessions were signed out.',
      others: 'All your other sessions were signed out.',
      session: 'The session was signed out.',
      gone: 'That session had already ended or changed. Check the list below.',
      linked: 'Linked. You can sign in with the identity provider from now on.',
      unlinked: 'Unlinked. Your sessions that began at the identity provider have ended.',
      alerts: 'Saved. You get alerts by email from now on.',
      'no-alerts': 'Saved. You get no more alerts by email.',
      passkey: 'Passkey added.',
      'passkey-removed': 'Passkey removed.',
      ...listNotices(TOKEN_ACTIONS),
    },
    forms: {
      password: makePasswordForm(services),
      alerts: {
        path: '/alerts',
        async run(request, { alerts }) {
          const isWanted = alerts === 'on'
          await changeAlerts(services.company, getActing(request), isWanted)
          return { done: isWanted ? 'alerts' : 'no-alerts' }
        },
      },
      passkey: makePasskeyForm(services),
      token: makeTokenForm(services),
      sessions: makeSessionsForm(services),
      report: {
        path: '/personal-data',
        config: { isHeavyRead: ALWAYS },
        async run(request, _, reply) {
          const acting = getActing(request)
          return sendReportFile(services, request, reply, await reportUser(services.company, acting, acting.actor))
        },
      },
    },
  })
  addAccountProvider(app, services)
  addPasskeyAddition(app, services)
  addPasskeyRemoval(app, services)
  addRecoveryCodesPage(app, services)
  addTokenRevocation(app, services, ACCOUNT_PATH, async () => [ACCOUNT])
}

/** Renders the choice of alerts; nothing for users who are not administrators, or where no email can be sent. */
async function renderAlerts(
  { db, company }: PageServices,
  forms: PageForms<'alerts'>,
  request: FastifyRequest,
): Promise<Html> {
  const { companyId, userId, role } = getViewer(request)
  if (role !== 'admin' || !company.outbox) return html``
  const isOn = await wantsAlerts(db, companyId, userId)
  return html`<h2>Alerts</h2>
    <p>
      ${
        isOn
          ? 'You get an email when something begins or stops needing attention, at most one in 15 minutes.'
          : 'Get an email when something begins or stops needing attention, such as a webhook that fails.'
      }
    </p>
    ${renderForm(forms, 'alerts', {
      buttons: html`<button name="alerts" value="${isOn ? 'off' : 'on'}">${isOn ? 'Stop alerts' : 'Email me alerts'}</button>`,
    })}`
}
