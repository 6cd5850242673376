import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { changeUserRole, NO_SUCH_USER, removeUser, resetUserPassword } from '../../../accounts/users/change-user.ts'
import { isId } from '../../../domain/ids.ts'
import { LINK_LIFE_DAYS } from '../../../domain/accounts/user-lifecycle.ts'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { findUser } from '../../../accounts/users/users.ts'
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
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import { sendOneTimeLink } from './one-time-link.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { isErased, renderRoleChoice, formatUserName, renderUserStatus } from './user-facts.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.users

export interface UserRoute {
  Params: { id: string }
}
export type UserRequest = FastifyRequest<UserRoute>

const DONE = {
  role: 'The role is changed. It counts from the next request on.',
  erased: 'The user is erased. It cannot be undone.',
  removed: 'The user is removed: password, link, sessions and tokens have ended.',
}

/** `/settings/users/{id}`: one user, and all that may be done with the user. */
export function addUserPage(app: FastifyInstance, services: PageServices): void {
  const { company, sessions } = services
  app.get<UserRoute>(`${PATH}/:id`, (request, reply) => sendUser(services, request, reply, null))

  app.post<UserRoute>(`${PATH}/:id/role`, async (request, reply) => {
    const id = readUserId(request)
    try {
      const { role } = checkForm(RoleBody, { role: readFormFields(request.body)['role'] ?? '' })
      await changeUserRole(company, getActing(request), id, role)
    } catch (error) {
      return sendUser(services, request, reply, toFormProblem(error))
    }
    // Who is no administrator any more has no way back to this page.
    return reply.redirect(id === getViewer(request).userId ? '/' : `${PATH}/${id}?done=role`, 303)
  })

  app.get<UserRoute>(`${PATH}/:id/reset-password`, (request, reply) =>
    sendPasswordResetForm(services, request, reply, null),
  )
  app.post<UserRoute>(`${PATH}/:id/reset-password`, async (request, reply) => {
    try {
      const seen = readSeenVersion(readFormFields(request.body))
      const reset = await resetUserPassword(company, getActing(request), readUserId(request), seen)
      return await sendOneTimeLink(request, reply, sessions, 'The password is reset', reset)
    } catch (error) {
      return sendPasswordResetForm(services, request, reply, toFormProblem(error))
    }
  })

  app.get<UserRoute>(`${PATH}/:id/remove`, (request, reply) => sendUserRemovalForm(services, request, reply, null))
  app.post<UserRoute>(`${PATH}/:id/remove`, async (request, reply) => {
    const id = readUserId(request)
    try {
      await removeUser(company, getActing(request), id)
    } catch (error) {
      return sendUserRemovalForm(services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${PATH}/${id}?done=removed`, 303)
  })
}

/** The id in the address. Throws a problem when it can be nobody's. */
export function readUserId({ params }: UserRequest): string {
  if (!isId('usr', params.id)) throw new ProblemError(NO_SUCH_USER)
  return params.id
}

export async function requireUser({ db }: PageServices, request: UserRequest): Promise<UserRecord> {
  const found = await findUser(db, getViewer(request).companyId, readUserId(request))
  if (!found) throw new ProblemError(NO_SUCH_USER)
  return found
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
      <h1>${formatUserName(user)}</h1>
      ${problem ? renderFormAlert(problem) : renderNotice(request, DONE)} ${renderUserFacts(user, viewer.timeZone)}
      ${user.isRemoved ? renderRemovedUser(user) : renderUserActions(user, problem)}`,
  })
}

function renderUserFacts(user: UserRecord, timeZone: string): Html {
  const { linkExpiresAt, removedAt } = user
  return html`<dl class="facts">
    <dt>Status</dt>
    <dd>${renderUserStatus(user)}</dd>
    <dt>E-mail</dt>
    <dd>${user.email || 'erased'}</dd>
    <dt>Role</dt>
    <dd>${user.role}</dd>
    <dt>Created</dt>
    <dd>${renderTime(user.createdAt, timeZone)}</dd>
    ${
      linkExpiresAt === null
        ? ''
        : html`<dt>One-time link</dt>
            <dd>ends ${renderTime(linkExpiresAt, timeZone)}</dd>`
    }
    ${
      removedAt === null
        ? ''
        : html`<dt>Removed</dt>
            <dd>${renderTime(removedAt, timeZone)}</dd>`
    }
    <dt>Id</dt>
    <dd><code>${user.id}</code></dd>
  </dl>`
}

function renderRemovedUser(user: UserRecord): Html {
  if (isErased(user)) return html`<p>Who this was is forgotten. What was done under the id stays.</p>`
  return html`<p>
      A removed user stays here, so that what the person did keeps its name. To let the person in again, invite anew.
    </p>
    <p class="actions"><a class="button danger" href="${PATH}/${user.id}/erase">Erase …</a></p>`
}

function renderUserActions({ id, role, hasPassword }: UserRecord, problem: FormProblem): Html {
  return html`<h2>Role</h2>
    <form method="post" action="${PATH}/${id}/role" class="stack">
      ${renderRoleChoice(role, problem)}
      <button class="primary">Change the role</button>
    </form>
    <h2>Access</h2>
    <p class="actions">
      <a class="button" href="${PATH}/${id}/reset-password"
        >${hasPassword ? 'Reset the password …' : 'Make a new link …'}</a
      >
      <a class="button danger" href="${PATH}/${id}/remove">Remove …</a>
    </p>`
}

async function sendPasswordResetForm(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const user = await requireUser(services, request)
  const isOwn = user.id === viewer.userId
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: `Reset the password of ${user.name}`,
    body: html`<h1>Reset the password of ${user.name}?</h1>
      ${renderFormAlert(problem)}
      <p>
        The password that is, any link before and every session of ${user.email} end at once. You get a new one-time
        link to pass on; it lasts ${LINK_LIFE_DAYS} days. Tokens for the endpoints go on.
      </p>
      ${isOwn ? html`<p class="warning">This is you: you are signed out at once, and the link on the next page is your only way back. To choose another password, use your account page instead.</p>` : ''}
      <form method="post" action="${PATH}/${user.id}/reset-password" class="actions">
        ${renderSeenVersion(user.version)}
        <button class="danger">Reset the password</button>
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
    body: html`<h1>Remove ${user.name}?</h1>
      ${renderFormAlert(problem)}
      <p>
        Password, one-time link, tokens and every session of ${user.email} end at once and for good. What the person did
        keeps its name in the ledger.
      </p>
      ${user.id === viewer.userId ? html`<p class="warning">This is you: you are signed out at once.</p>` : ''}
      <form method="post" action="${PATH}/${user.id}/remove" class="actions">
        <button class="danger">Remove the user</button>
        <a class="button" href="${PATH}/${user.id}">Keep the user</a>
      </form>`,
  })
}
