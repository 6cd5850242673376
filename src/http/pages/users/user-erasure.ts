import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'hono/html'
import { eraseUser } from '../../../accounts/users/erase-user.ts'
import { asFormProblem, confirmation, confirmed, formAlert, formFields, type FormProblem } from '../parts/form.ts'
import { sendUserPage, trail } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { shownName } from './user-facts.ts'
import { foundUser, type OfUser, userId, type UserRequest } from './user-page.ts'
import { actingOf, viewerOf } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.users

/** `/settings/users/{id}/erase`: forgets a removed user. */
export function userErasure(app: FastifyInstance, services: PageServices): void {
  app.get<OfUser>(`${PATH}/:id/erase`, (request, reply) => sendForm(services, request, reply, null))
  app.post<OfUser>(`${PATH}/:id/erase`, async (request, reply) => {
    const id = userId(request)
    try {
      confirmed(formFields(request.body))
      await eraseUser(services.company, actingOf(request), id)
    } catch (error) {
      return sendForm(services, request, reply, asFormProblem(error))
    }
    return reply.redirect(`${PATH}/${id}?done=erased`, 303)
  })
}

async function sendForm(
  services: PageServices,
  request: UserRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const user = await foundUser(services, request)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewerOf(request), {
    title: `Erase ${shownName(user)}`,
    body: html`${trail(NAVIGATION.users, [{ label: 'The user', path: `${PATH}/${user.id}` }])}
      <h1>Erase ${shownName(user)}?</h1>
      ${formAlert(problem)}
      <p class="warning">It cannot be undone.</p>
      <p>
        The name, the e-mail address and the names of the tokens are gone, from the ledger as well. What was done under
        the id <code>${user.id}</code> stays, and so do the roles that it had; only, nobody can say any more who that
        was.
      </p>
      <form method="post" action="${PATH}/${user.id}/erase" class="stack">
        ${confirmation('Erase the user for ever', problem)}
        <div class="actions">
          <button class="danger">Erase the user</button><a class="button" href="${PATH}/${user.id}">Keep the name</a>
        </div>
      </form>`,
  })
}
