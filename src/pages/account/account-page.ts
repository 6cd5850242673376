import type { FastifyInstance, FastifyRequest } from 'fastify'
import { changeAlerts, wantsAlerts } from '#accounts/attention/change-alerts'
import { reportUser } from '#personal-data/report-user'
import { ALWAYS } from '#http/access/heavy-reads'
import { TOKEN_ACTIONS } from '#api/admin/user-actions'
import { listNotices } from '../parts/actions.ts'
import { renderFacts } from '../parts/facts.ts'
import { addFormPage, type PageForms, renderForm } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { ACCOUNT, ACCOUNT_PATH } from '#wording/navigation'
import type { PageServices } from '../parts/page-services.ts'
import { renderReportForm, sendReportFile } from '../parts/report-download.ts'
import { getActing, getViewer, requireOwnUser } from '../parts/viewer.ts'
import { addPasskeyRemoval, addRecoveryCodesPage, renderPasskeys } from './account-passkeys.ts'
import { makePasswordForm, renderPasswordForm } from './account-password.ts'
import { addAccountProvider, renderProviderLink } from './account-provider.ts'
import { makeSessionsForm, renderSessions } from './account-sessions.ts'
import { makeTokenForm, renderTokens } from './account-tokens.ts'
import { addTokenRevocation } from './token-list.ts'
import { addPasskeyAddition, makePasskeyForm } from './passkey-addition.ts'

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
