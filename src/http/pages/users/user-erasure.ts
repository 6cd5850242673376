import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'hono/html'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { eraseUser } from '../../../personal-data/erase-user.ts'
import {
  toFormProblem,
  renderTypedConfirmation,
  requireTyped,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { formatUserName } from './user-facts.ts'
import { requireUser, type UserRoute, readUserId, type UserRequest } from './user-page.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.users

/** `/settings/users/{id}/erase`: forgets a removed user. */
export function addUserErasure(app: FastifyInstance, services: PageServices): void {
  app.get<UserRoute>(`${PATH}/:id/erase`, (request, reply) => sendUserErasureForm(services, request, reply, null))
  app.post<UserRoute>(`${PATH}/:id/erase`, async (request, reply) => {
    const id = readUserId(request.params)
    try {
      requireTyped(readFormFields(request.body), getExpectedText(await requireUser(services, request)))
      await eraseUser(services.company, getActing(request), id)
    } catch (error) {
      return sendUserErasureForm(services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${PATH}/${id}?done=erased`, 303)
  })
}

/** Returns what an administrator types to confirm. */
function getExpectedText(user: UserRecord): string {
  return user.email || user.id
}

async function sendUserErasureForm(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const user = await requireUser(services, request)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: `Erase ${formatUserName(user)}`,
    body: html`${renderBreadcrumb(NAVIGATION.users, [{ label: 'User', path: `${PATH}/${user.id}` }])}
      <h1>Erase <bdi>${formatUserName(user)}</bdi>?</h1>
      ${renderFormAlert(problem)}
      <dl class="facts">
        <dt>Name</dt>
        <dd><bdi>${formatUserName(user)}</bdi></dd>
        <dt>Email</dt>
        <dd><bdi>${user.email || 'Erased'}</bdi></dd>
      </dl>
      <p class="warning">This can't be undone.</p>
      <p>
        The name, email address, and names of tokens and passkeys are deleted, also from the ledger. Actions and roles
        stay recorded under the ID <code>${user.id}</code>, but no one can tell who it was.
      </p>
      <form method="post" action="${PATH}/${user.id}/erase" class="stack">
        ${renderTypedConfirmation(getExpectedText(user), problem)}
        <div class="actions">
          <button class="danger">Erase user</button><a class="button" href="${PATH}/${user.id}">Cancel</a>
        </div>
      </form>`,
  })
}
