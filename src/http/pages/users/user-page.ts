import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { changeUserRole, NO_SUCH_USER, removeUser, resetUserPassword } from '../../../accounts/users/change-user.ts'
import { isId } from '../../../domain/ids.ts'
import { LINK_LIFE_DAYS } from '../../../domain/accounts/user-lifecycle.ts'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { findUser } from '../../../accounts/users/users.ts'
import { RoleBody } from '../../admin/user-schemas.ts'
import { ProblemError } from '../../server/problem.ts'
import { asFormProblem, checked, formAlert, formFields, type FormProblem, seenField, seenIn } from '../parts/form.ts'
import { sendUserPage, trail } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { notice } from '../parts/notice.ts'
import { sendLink } from './one-time-link.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { timeShown } from '../parts/times.ts'
import { isErased, roleChoice, shownName, userBadge } from './user-facts.ts'
import { actingOf, viewerOf } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.users

export interface OfUser {
  Params: { id: string }
}
export type UserRequest = FastifyRequest<OfUser>

const DONE = {
  role: 'The role is changed. It counts from the next request on.',
  erased: 'The user is erased. It cannot be undone.',
  removed: 'The user is removed: password, link, sessions and tokens have ended.',
}

/** `/settings/users/{id}`: one user, and all that may be done with the user. */
export function userPage(app: FastifyInstance, services: PageServices): void {
  const { company, sessions } = services
  app.get<OfUser>(`${PATH}/:id`, (request, reply) => sendUser(services, request, reply, null))

  app.post<OfUser>(`${PATH}/:id/role`, async (request, reply) => {
    const id = userId(request)
    try {
      const { role } = checked(RoleBody, { role: formFields(request.body)['role'] ?? '' })
      await changeUserRole(company, actingOf(request), id, role)
    } catch (error) {
      return sendUser(services, request, reply, asFormProblem(error))
    }
    // Who is no administrator any more has no way back to this page.
    return reply.redirect(id === viewerOf(request).userId ? '/' : `${PATH}/${id}?done=role`, 303)
  })

  app.get<OfUser>(`${PATH}/:id/reset-password`, (request, reply) => sendReset(services, request, reply, null))
  app.post<OfUser>(`${PATH}/:id/reset-password`, async (request, reply) => {
    try {
      const seen = seenIn(formFields(request.body))
      const reset = await resetUserPassword(company, actingOf(request), userId(request), seen)
      return await sendLink(request, reply, sessions, 'The password is reset', reset)
    } catch (error) {
      return sendReset(services, request, reply, asFormProblem(error))
    }
  })

  app.get<OfUser>(`${PATH}/:id/remove`, (request, reply) => sendRemoval(services, request, reply, null))
  app.post<OfUser>(`${PATH}/:id/remove`, async (request, reply) => {
    const id = userId(request)
    try {
      await removeUser(company, actingOf(request), id)
    } catch (error) {
      return sendRemoval(services, request, reply, asFormProblem(error))
    }
    return reply.redirect(`${PATH}/${id}?done=removed`, 303)
  })
}

/** The id in the address. Throws a problem when it can be nobody's. */
export function userId({ params }: UserRequest): string {
  if (!isId('usr', params.id)) throw new ProblemError(NO_SUCH_USER)
  return params.id
}

export async function foundUser({ db }: PageServices, request: UserRequest): Promise<UserRecord> {
  const found = await findUser(db, viewerOf(request).companyId, userId(request))
  if (!found) throw new ProblemError(NO_SUCH_USER)
  return found
}

async function sendUser(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = viewerOf(request)
  const user = await foundUser(services, request)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: shownName(user),
    body: html`${trail(NAVIGATION.users)}
      <h1>${shownName(user)}</h1>
      ${problem ? formAlert(problem) : notice(request, DONE)} ${facts(user, viewer.timeZone)}
      ${user.isRemoved ? removed(user) : changes(user, problem)}`,
  })
}

function facts(user: UserRecord, timeZone: string): Html {
  const { linkExpiresAt, removedAt } = user
  return html`<dl class="facts">
    <dt>Status</dt>
    <dd>${userBadge(user)}</dd>
    <dt>E-mail</dt>
    <dd>${user.email || 'erased'}</dd>
    <dt>Role</dt>
    <dd>${user.role}</dd>
    <dt>Created</dt>
    <dd>${timeShown(user.createdAt, timeZone)}</dd>
    ${
      linkExpiresAt === null
        ? ''
        : html`<dt>One-time link</dt>
            <dd>ends ${timeShown(linkExpiresAt, timeZone)}</dd>`
    }
    ${
      removedAt === null
        ? ''
        : html`<dt>Removed</dt>
            <dd>${timeShown(removedAt, timeZone)}</dd>`
    }
    <dt>Id</dt>
    <dd><code>${user.id}</code></dd>
  </dl>`
}

function removed(user: UserRecord): Html {
  if (isErased(user)) return html`<p>Who this was is forgotten. What was done under the id stays.</p>`
  return html`<p>
      A removed user stays here, so that what the person did keeps its name. To let the person in again, invite anew.
    </p>
    <p class="actions"><a class="button danger" href="${PATH}/${user.id}/erase">Erase …</a></p>`
}

function changes({ id, role, hasPassword }: UserRecord, problem: FormProblem): Html {
  return html`<h2>Role</h2>
    <form method="post" action="${PATH}/${id}/role" class="stack">
      ${roleChoice(role, problem)}
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

async function sendReset(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = viewerOf(request)
  const user = await foundUser(services, request)
  const isOwn = user.id === viewer.userId
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: `Reset the password of ${user.name}`,
    body: html`<h1>Reset the password of ${user.name}?</h1>
      ${formAlert(problem)}
      <p>
        The password that is, any link before and every session of ${user.email} end at once. You get a new one-time
        link to pass on; it lasts ${LINK_LIFE_DAYS} days. Tokens for the endpoints go on.
      </p>
      ${isOwn ? html`<p class="warning">This is you: you are signed out at once, and the link on the next page is your only way back. To choose another password, use your account page instead.</p>` : ''}
      <form method="post" action="${PATH}/${user.id}/reset-password" class="actions">
        ${seenField(user.version)}
        <button class="danger">Reset the password</button>
        <a class="button" href="${PATH}/${user.id}">Cancel</a>
      </form>`,
  })
}

async function sendRemoval(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = viewerOf(request)
  const user = await foundUser(services, request)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: `Remove ${user.name}`,
    body: html`<h1>Remove ${user.name}?</h1>
      ${formAlert(problem)}
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
