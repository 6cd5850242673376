import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { unlinkIdentity } from '../../../accounts/sign-in/link-identity.ts'
import { changeUserRole, NO_SUCH_USER, removeUser, resetUserPassword } from '../../../accounts/users/change-user.ts'
import { isId } from '../../../domain/ids.ts'
import { LINK_LIFE_DAYS } from '../../../domain/accounts/user-lifecycle.ts'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { findUser } from '../../../accounts/users/users.ts'
import { reportUser } from '../../../personal-data/report-user.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { RoleBody } from '../../admin/user-schemas.ts'
import { ProblemError } from '../../server/problem.ts'
import {
  toFormProblem,
  checkForm,
  renderFormAlert,
  readFormFields,
  type FormProblem,
  renderSeenVersion,
  readSeenVersion,
} from '../parts/form.ts'
import { addTokenRevocation, renderTokenList } from '../account/token-list.ts'
import { renderConfirmedAction } from '../parts/confirm.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { ACCOUNT_PATH, NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import { sendOneTimeLink } from './one-time-link.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { renderSignIns } from './user-sign-ins.ts'
import { isErased, listWaysIn, renderRoleChoice, formatUserName, renderUserStatus } from './user-facts.ts'
import { renderReportForm, sendReportFile } from '../parts/report-download.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.users

export interface UserRoute {
  Params: { id: string }
}
export type UserRequest = FastifyRequest<UserRoute>

const DONE = {
  unlinked: 'User unlinked. The sessions that began at the identity provider have ended.',
  role: 'Role changed. It applies from the next request.',
  revoked: 'Token revoked.',
  erased: "User erased. This can't be undone.",
  removed: 'User removed. The password, link, sessions and tokens no longer work.',
}

/** `/settings/users/{id}`: one user, with the role, password reset and removal. */
export function addUserPage(app: FastifyInstance, services: PageServices): void {
  const { company } = services
  app.get<UserRoute>(`${PATH}/:id`, (request, reply) => sendUser(services, request, reply, null))

  app.post<UserRoute>(`${PATH}/:id/role`, async (request, reply) => {
    const id = readUserId(request.params)
    try {
      const { role } = checkForm(RoleBody, { role: readFormFields(request.body)['role'] ?? '' })
      await changeUserRole(company, getActing(request), id, role)
    } catch (error) {
      return sendUser(services, request, reply, toFormProblem(error))
    }
    // Someone who just gave up the administrator role may not open this page again.
    return reply.redirect(id === getViewer(request).userId ? '/' : `${PATH}/${id}?done=role`, 303)
  })

  app.get<UserRoute>(`${PATH}/:id/reset-password`, (request, reply) =>
    sendPasswordResetForm(services, request, reply, null),
  )
  app.post<UserRoute>(`${PATH}/:id/reset-password`, async (request, reply) => {
    try {
      const seen = readSeenVersion(readFormFields(request.body))
      const reset = await resetUserPassword(company, getActing(request), readUserId(request.params), seen)
      return await sendOneTimeLink(request, reply, services, 'Password reset', reset)
    } catch (error) {
      return sendPasswordResetForm(services, request, reply, toFormProblem(error))
    }
  })

  app.post<UserRoute>(`${PATH}/:id/unlink`, async (request, reply) => {
    const id = readUserId(request.params)
    try {
      await unlinkIdentity(company, getActing(request), id)
    } catch (error) {
      return sendUser(services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${PATH}/${id}?done=unlinked`, 303)
  })

  app.post<UserRoute>(`${PATH}/:id/personal-data`, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const report = await reportUser(company, getActing(request), readUserId(request.params))
    return sendReportFile(services, request, reply, report)
  })

  addTokenRevocation(app, services, `${PATH}/:id`, ({ params }) => {
    const userId = readUserId(params)
    return { userId, path: `${PATH}/${userId}` }
  })

  app.get<UserRoute>(`${PATH}/:id/remove`, (request, reply) => sendUserRemovalForm(services, request, reply, null))
  app.post<UserRoute>(`${PATH}/:id/remove`, async (request, reply) => {
    const id = readUserId(request.params)
    try {
      await removeUser(company, getActing(request), id)
    } catch (error) {
      return sendUserRemovalForm(services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${PATH}/${id}?done=removed`, 303)
  })
}

/** Reads the user id in the path. Throws a problem when it is not a user id. */
export function readUserId({ id = '' }: { id?: string }): string {
  if (!isId('usr', id)) throw new ProblemError(NO_SUCH_USER)
  return id
}

/** Finds the user in the path. Throws `user_not_found`. */
export async function requireUser({ db }: PageServices, request: UserRequest): Promise<UserRecord> {
  const user = await findUser(db, getViewer(request).companyId, readUserId(request.params))
  if (!user) throw new ProblemError(NO_SUCH_USER)
  return user
}

async function sendUser(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const user = await requireUser(services, request)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: formatUserName(user),
    body: html`${renderBreadcrumb(NAVIGATION.users)}
      <h1><bdi>${formatUserName(user)}</bdi></h1>
      ${problem ? renderFormAlert(problem) : renderNotice(request, DONE)} ${renderUserFacts(user, viewer.timeZone)}
      ${await renderSignIns(services, viewer, user)}
      ${user.isRemoved ? renderRemovedUser(user) : renderUserActions(services, user, viewer.userId, problem)}
      <h2 id="tokens">Tokens</h2>
      ${await renderTokenList(services.db, request, { userId: user.id, path: `${PATH}/${user.id}` }, 'This user has no tokens.')}
      ${renderReportForm(`${PATH}/${user.id}/personal-data`, 'Personal data', 'Everything that the service stores about this user.')}`,
  })
}

function renderUserFacts(user: UserRecord, timeZone: string): Html {
  const { linkExpiresAt, removedAt } = user
  return html`<dl class="facts">
    <dt>Status</dt>
    <dd>${renderUserStatus(user)}</dd>
    <dt>Email</dt>
    <dd><bdi>${user.email || 'Erased'}</bdi></dd>
    <dt>Role</dt>
    <dd>${user.role}</dd>
    ${
      user.hasPasskeys
        ? html`<dt>Passkeys</dt>
            <dd>Yes</dd>`
        : ''
    }
    <dt>Signs in with</dt>
    <dd>${listWaysIn(user).join(', ') || 'Nothing yet'}</dd>
    ${
      user.identity === null
        ? ''
        : html`<dt>Account</dt>
            <dd><code>${user.identity.subject}</code> at <bdi>${user.identity.issuer}</bdi></dd>`
    }
    <dt>Created</dt>
    <dd>${renderTime(user.createdAt, timeZone)}</dd>
    ${
      linkExpiresAt === null
        ? ''
        : html`<dt>One-time link</dt>
            <dd>Expires ${renderTime(linkExpiresAt, timeZone)}</dd>`
    }
    ${
      removedAt === null
        ? ''
        : html`<dt>Removed</dt>
            <dd>${renderTime(removedAt, timeZone)}</dd>`
    }
    <dt>ID</dt>
    <dd><code>${user.id}</code></dd>
  </dl>`
}

function renderRemovedUser(user: UserRecord): Html {
  if (isErased(user)) return html`<p>The name and email were erased. Past actions stay recorded under the ID.</p>`
  return html`<p>
      Removed users stay listed so that their past actions keep a name. To restore access, invite the person again.
    </p>
    <p class="actions"><a class="button danger" href="${PATH}/${user.id}/erase">Erase…</a></p>`
}

function renderUserActions(
  { company: { outbox } }: PageServices,
  { id, role, hasPassword, identity }: UserRecord,
  viewerId: string,
  problem: FormProblem,
): Html {
  return html`<h2>Role</h2>
    ${id === viewerId ? html`<p class="warning">This is you: only another administrator can give you this role back.</p>` : ''}
    <form method="post" action="${PATH}/${id}/role" class="stack">
      ${renderRoleChoice(role, problem)}
      <button class="primary">Change role</button>
    </form>
    <h2>Access</h2>
    <p class="actions">
      ${id === viewerId ? '' : html`<a class="button" href="${PATH}/${id}/reset-password">${hasPassword ? 'Reset password…' : outbox ? 'Send new link…' : 'Create new link…'}</a>`}
      <a class="button danger" href="${PATH}/${id}/remove">Remove…</a>
    </p>
    ${identity === null ? '' : renderConfirmedAction({ label: 'Unlink', text: 'The account at the identity provider no longer signs this user in. With a verified email, the next sign-in there links it again.', action: `${PATH}/${id}/unlink` })}`
}

async function sendPasswordResetForm(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const user = await requireUser(services, request)
  if (user.id === viewer.userId) return reply.redirect(ACCOUNT_PATH, 303)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: `Reset password for ${user.name}`,
    body: html`<h1>Reset password for <bdi>${user.name}</bdi>?</h1>
      ${renderFormAlert(problem)}
      <p>
        The current password${user.hasPasskeys ? ', the passkeys, the recovery codes' : ''}${user.identity === null ? '' : ', the link to the account at the identity provider'}, earlier one-time links and all sessions of <bdi>${user.email}</bdi> stop working immediately. ${services.company.outbox ? "An email brings a new one-time link, which you'll see too;" : "You'll get a new one-time link to share;"} it works for ${LINK_LIFE_DAYS} days. Tokens keep working.
      </p>
      <form method="post" action="${PATH}/${user.id}/reset-password" class="actions">
        ${renderSeenVersion(user.version)}
        <button class="danger">Reset password</button>
        <a class="button" href="${PATH}/${user.id}">Cancel</a>
      </form>`,
  })
}

async function sendUserRemovalForm(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const user = await requireUser(services, request)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: `Remove ${user.name}`,
    body: html`<h1>Remove <bdi>${user.name}</bdi>?</h1>
      ${renderFormAlert(problem)}
      <p>
        The password${user.hasPasskeys ? ', passkeys' : ''}, one-time link, tokens and all sessions of <bdi>${user.email}</bdi> stop working immediately. Past actions
        keep the person's name in the ledger. To restore access later, invite the person again.
      </p>
      ${user.id === viewer.userId ? html`<p class="warning">This is you: you'll be signed out immediately.</p>` : ''}
      <form method="post" action="${PATH}/${user.id}/remove" class="actions">
        <button class="danger">Remove user</button>
        <a class="button" href="${PATH}/${user.id}">Cancel</a>
      </form>`,
  })
}
