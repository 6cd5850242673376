import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isIPv4 } from 'node:net'
import { readProvider, type StoredProvider, NO_PROVIDER } from '#accounts/providers/providers'
import { unlinkIdentity } from '#accounts/sign-in/sign-in-through-provider'
import type { UserRecord } from '#accounts/users/users'
import {
  findSessionUser,
  clearSessionCookie,
  describeSession,
  sessionCookie,
  setSessionCookie,
} from '#http/access/session'
import { ProblemError } from '#http/server/problem'
import { companyPath, ACCOUNT, ACCOUNT_PATH } from '#wording/navigation'
import { readSeenVersion, renderButtons, checkForm, NEW_PASSWORD, requireRepeated } from '#pages/parts/form'
import {
  addFormPage,
  renderForm,
  type Form,
  type PageForms,
  renderConfirmedAction,
  listNotices,
} from '#pages/parts/form-page'
import {
  html,
  isolate,
  renderTable,
  renderTime,
  renderFacts,
  renderActions,
  renderButton,
  renderCode,
} from '#pages/parts/elements'
import { type PageServices, getActing, getViewer, requireOwnUser } from '#pages/parts/context'
import { keepAuthorizationRequest } from '#pages/sign-in/provider-sign-in'
import { changeOwnPassword } from '#accounts/users/set-password'
import { OwnPasswordBody, TOKEN_ACTIONS } from '#api/admin/user-schemas'
import { rememberUser } from '#http/access/known-browser'
import { recordSessionEvents } from '#accounts/record-session-events'
import { endOtherSessions, endOwnSession, listSessions, type ShownSession } from '#accounts/users/sessions'
import { changeAlerts, wantsAlerts } from '#accounts/attention/snooze'
import { reportUser } from '#personal-data/report-user'
import { renderReportForm, sendReportFile } from '#pages/parts/report-download'
import { findBrowserName } from './browser-name.ts'
import {
  addPasskeyRemoval,
  addRecoveryCodesPage,
  renderPasskeys,
  addPasskeyAddition,
  makePasskeyForm,
} from './passkeys.ts'
import { makeTokenForm, renderTokens, addTokenRevocation } from './tokens.ts'
import { CURRENT_PASSWORD, renderProof, requireProof, wrongPassword } from '#pages/parts/question-page'

const PATH = `${ACCOUNT_PATH}/provider`

/** `/account/provider`: links the user to an account at the company's identity provider, or unlinks them. */
function addAccountProvider(app: FastifyInstance, services: PageServices) {
  const { access, company, sessions } = services
  addFormPage(app, {
    path: PATH,
    load: async (request) => ({
      provider: await requireUsedProvider(services, getViewer(request).companyId),
      user: await requireOwnUser(services, request),
    }),
    render: async ({ provider, user }, forms, request) => {
      const { name } = provider.settings
      const form = isLinked(user, provider) ? 'unlink' : 'link'
      const proof = await renderProof(services, request, { next: PATH, problem: forms.problemOf(form) })
      const { verb, text, button, kind } = QUESTIONS[form]
      return {
        title: `${verb} ${name}`,
        heading: html`${verb} ${isolate(name)}?`,
        trail: [ACCOUNT],
        body: html`<p>${text(name)}</p>
          ${renderForm(forms, form, {
            version: user.version,
            fields: [proof],
            buttons: renderButtons(button, ACCOUNT_PATH, kind),
          })}`,
      }
    },
    forms: {
      link: {
        path: '/link',
        async run(request, _, reply) {
          const { companyId, userId, email } = getViewer(request)
          const { name } = (await requireUsedProvider(services, companyId)).settings
          await requireProof(services, reply)
          const start = `${companyPath(companyId)}/start?link=1`
          const purpose = { to: 'link', userId, linkHash: null } as const
          const asked = { companyId, email, purpose, flow: null, next: '', kept: null }
          keepAuthorizationRequest(services, reply, asked)
          // A page with a link: the policy of our pages lets no form lead to another site, not even by a redirect.
          return {
            page: {
              title: `Link to ${name}`,
              body: html`<p>
                  Sign in there with your own account. From then on, it signs you in here as ${isolate(email)}.
                </p>
                <p class="actions">
                  ${renderButton(start, html`Continue to ${isolate(name)}`, 'primary')}
                  ${renderButton(ACCOUNT_PATH, 'Cancel')}
                </p>`,
            },
          }
        },
      },
      unlink: {
        path: '/unlink',
        async run(request, fields, reply) {
          await requireProof(services, reply)
          const acting = getActing(request)
          await unlinkIdentity(company, acting, acting.actor, readSeenVersion(fields))
          // The session has ended if it began at the provider.
          const isIn = await findSessionUser(access, request, sessions, 'peek')
          return { goTo: isIn ? `${ACCOUNT_PATH}?done=unlinked` : '/sign-in' }
        },
      },
    },
  })
}

/** What each form asks about the provider of this name. */
const QUESTIONS = {
  link: {
    verb: 'Link to',
    text: () => html`You sign in there next. From then on, that account signs you in here.`,
    button: 'Link',
    kind: 'primary',
  },
  unlink: {
    verb: 'Unlink from',
    text: (name: string) =>
      html`You can't sign in with ${isolate(name)} then, and your sessions that began there end. You need a password
        or a passkey.`,
    button: 'Unlink',
    kind: 'danger',
  },
} as const

/** Renders how the user signs in through the company's provider; nothing if it has none in use. */
async function renderProviderLink(services: PageServices, user: UserRecord, companyId: string) {
  const provider = await findUsedProvider(services, companyId)
  if (!provider) return html``
  const { name } = provider.settings
  return html`<h2>${isolate(name)}</h2>
    ${
      isLinked(user, provider)
        ? html`<p>You sign in with the account ${renderCode(user.identity?.subject)} at ${isolate(name)}.</p>
            ${renderActions(renderButton(PATH, 'Unlink…'))}`
        : html`<p>You are not linked to an account at ${isolate(name)} yet.</p>
            ${renderActions(renderButton(PATH, 'Link…'))}`
    }`
}

async function findUsedProvider({ providers }: PageServices, companyId: string) {
  const provider = await readProvider(providers.pool, companyId)
  return provider?.use.use === 'off' ? null : provider
}

async function requireUsedProvider(services: PageServices, companyId: string) {
  const provider = await findUsedProvider(services, companyId)
  if (!provider) throw new ProblemError(NO_PROVIDER)
  return provider
}

function isLinked({ identity }: UserRecord, { settings }: StoredProvider) {
  return identity?.issuer === settings.issuer
}

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
function renderPasswordForm(forms: PageForms<'password'>, email: string) {
  return html`<h2>Password</h2>
    ${renderForm(forms, 'password', {
      fields: [
        html`<input type="email" name="username" value="${email}" autocomplete="username" readonly hidden />`,
        CURRENT_PASSWORD,
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
async function renderSessions({ db, sessions }: PageServices, forms: PageForms<'sessions'>, request: FastifyRequest) {
  const viewer = getViewer(request)
  const limits = { idleMinutes: sessions.idleMinutes, limit: SESSIONS_SHOWN }
  const action = forms.actionOf('sessions')
  const renderTimeOf = (time: string) => renderTime(time, viewer.timeZone)
  const end = (value: 'others' | 'all', text: string) => {
    const label = `Sign out ${value === 'all' ? 'all' : 'other'} sessions`
    return renderConfirmedAction({ label, text, action, field: { name: 'end', value } })
  }
  return html`<h2 id="sessions">Sessions</h2>
    ${renderTable({
      caption: 'Your sessions',
      columns: {
        Browser: ({ userAgent, isThis }) =>
          html`${renderBrowser(userAgent)} ${isThis && html`<strong>(this session)</strong>`}`,
        Address: ({ address }) => (isIPv4(address) ? html`<span class="unbroken">${address}</span>` : address),
        'Signed in': ({ createdAt }) => renderTimeOf(createdAt),
        'Last active': ({ lastUsed }) => renderTimeOf(lastUsed),
        Expires: ({ expiresAt }) => renderTimeOf(expiresAt),
        Actions: { isHeadingHidden: true, cell: (session) => (session.isThis ? '' : renderSignOut(action, session)) },
      },
      rows: await listSessions(db, viewer, sessionCookie(request, sessions) ?? '', limits),
    })}
    <div class="actions">
      ${end('others', 'All your sessions except this one end immediately.')}
      ${end('all', 'All your sessions end immediately, including this one.')}
    </div>`
}

function renderBrowser(userAgent: string) {
  const name = findBrowserName(userAgent)
  if (name !== null) return html`${name}`
  return userAgent === '' ? html`unknown` : isolate(userAgent)
}

function renderSignOut(action: string, { id, userAgent, address }: ShownSession) {
  return renderConfirmedAction({
    label: 'Sign out',
    of: html`${renderBrowser(userAgent)} at ${address}`,
    text: 'This session ends immediately.',
    action,
    field: { name: 'session', value: id },
  })
}

/** `/account`: the user's own name, password, passkeys, tokens and sessions, for every role. */
export function addAccountPage(app: FastifyInstance, services: PageServices) {
  addFormPage(app, {
    path: ACCOUNT_PATH,
    load: (request) => requireOwnUser(services, request),
    render: async (user, forms, request) => ({
      title: 'Your account',
      body: html`${renderFacts({
        Name: isolate(user.name),
        Email: isolate(user.email),
        Role: user.role,
        Company: isolate(getViewer(request).companyName),
      })}
        ${await renderAlerts(services, forms, request)} ${user.hasPassword && renderPasswordForm(forms, user.email)}
        ${await renderProviderLink(services, user, getViewer(request).companyId)}
        ${await renderPasskeys(services, request, user)} ${await renderTokens(services, forms, request, user.version)}
        ${await renderSessions(services, forms, request)}
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
        config: { isHeavyRead: true },
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
async function renderAlerts({ db, company }: PageServices, forms: PageForms<'alerts'>, request: FastifyRequest) {
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
      buttons: isOn
        ? html`<button name="alerts" value="off">Stop alerts</button>`
        : html`<button name="alerts" value="on">Email me alerts</button>`,
    })}`
}
