import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { recordSessionEvents } from '../../../accounts/record-session-events.ts'
import { endOtherSessions, endOwnSession } from '../../../accounts/users/own-sessions.ts'
import { clearSessionCookie, sessionCookie } from '../../access/session.ts'
import { addAlertsRoute, renderAlerts } from './account-alerts.ts'
import { type PasswordRoute, renderPasswordForm, addPasswordRoute } from './account-password.ts'
import { addAccountProvider, renderProviderLink } from './account-provider.ts'
import { renderPasskeys } from './account-passkeys.ts'
import { renderReportForm, sendReportFile } from '../parts/report-download.ts'
import { renderSessions } from './account-sessions.ts'
import { addTokenRoutes, renderTokens } from './account-tokens.ts'
import { requireOwnUser } from './own-user.ts'
import { addPasskeyAddition } from './passkey-addition.ts'
import { addPasskeyRemoval } from './passkey-removal.ts'
import { addRecoveryCodesPage } from './recovery-codes-page.ts'
import { renderFormAlert, readFormFields } from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import type { PageServices } from '../parts/page-services.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import type { AccountProblem } from './account-problem.ts'
import { reportUser } from '../../../personal-data/report-user.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'

const DONE = {
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
  revoked: 'Token revoked.',
}

/** `/account`: the user's own name, password, passkeys, tokens and sessions, for every role. */
export function addAccountPage(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  const { accessPool, company, sessions } = services
  const show: PasswordRoute['show'] = (request, reply, wrong) => sendAccount(services, request, reply, wrong)
  app.get(ACCOUNT_PATH, (request, reply) => show(request, reply, null))
  addPasswordRoute(app, services, { limits, show })
  addAccountProvider(app, services, limits)
  addPasskeyAddition(app, services, limits)
  addPasskeyRemoval(app, services, limits)
  addRecoveryCodesPage(app, services, limits)
  addTokenRoutes(app, services, { limits, show })
  addAlertsRoute(app, services)
  addAccountReport(app, services)
  app.post(`${ACCOUNT_PATH}/sessions`, async (request, reply) => {
    const acting = getActing(request)
    const { end = '', session } = readFormFields(request.body)
    if (session !== undefined) {
      const hasEnded = await endOwnSession(accessPool, acting, session)
      await recordSessionEvents(company, acting.companyId)
      return reply.redirect(`${ACCOUNT_PATH}?done=${hasEnded ? 'session' : 'gone'}`, 303)
    }
    const isThisKept = end !== 'all'
    await endOtherSessions(accessPool, acting, isThisKept ? sessionCookie(request, sessions) : null)
    await recordSessionEvents(company, acting.companyId)
    if (isThisKept) return reply.redirect(`${ACCOUNT_PATH}?done=others`, 303)
    clearSessionCookie(reply, sessions)
    return reply.redirect('/sign-in', 303)
  })
}

async function sendAccount(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  wrong: AccountProblem | null,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const user = await requireOwnUser(services, request)
  const problemOf = (form: AccountProblem['form']) => (wrong?.form === form ? wrong.problem : null)
  if (wrong?.problem) void reply.code(wrong.problem.status)
  return sendUserPage(request, reply, viewer, {
    title: 'Your account',
    body: html`<h1>Your account</h1>
      ${wrong ? renderFormAlert(wrong.problem) : renderNotice(request, DONE)}
      <dl class="facts">
        <dt>Name</dt>
        <dd><bdi>${user.name}</bdi></dd>
        <dt>Email</dt>
        <dd><bdi>${user.email}</bdi></dd>
        <dt>Role</dt>
        <dd>${user.role}</dd>
        <dt>Company</dt>
        <dd><bdi>${viewer.companyName}</bdi></dd>
      </dl>
      ${await renderAlerts(services, viewer)} ${user.hasPassword ? renderPasswordForm(user.email, problemOf('password')) : ''}
      ${await renderProviderLink(services, user, viewer.companyId)} ${await renderPasskeys(services, request, user)}
      ${await renderTokens(services, request, user.version, problemOf('token'))}
      ${await renderSessions(services, request)} ${renderReportForm(`${ACCOUNT_PATH}/personal-data`, 'Your data', 'Everything that the service stores about you as a user.')}`,
  })
}

/** Adds the route with which users download what is held about them. */
function addAccountReport(app: FastifyInstance, services: PageServices): void {
  app.post(`${ACCOUNT_PATH}/personal-data`, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const acting = getActing(request)
    return sendReportFile(services, request, reply, await reportUser(services.company, acting, acting.actor))
  })
}
