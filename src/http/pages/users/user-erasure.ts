import type { FastifyInstance } from 'fastify'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { eraseUser } from '../../../personal-data/erase-user.ts'
import { USER_ACTIONS } from '../../admin/user-actions.ts'
import { renderFacts } from '../parts/facts.ts'
import { renderButtons, renderTypedConfirmation, requireTyped } from '../parts/form.ts'
import { addFormPage, renderForm } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing } from '../parts/viewer.ts'
import { formatUserName } from './user-facts.ts'
import { requireUser, listUpperPages, type UserRequest } from './user-page.ts'

const { path: PATH } = NAVIGATION.users
const { button, done } = USER_ACTIONS.erase

/** `/settings/users/{id}/erase`: forgets a removed user. */
export function addUserErasure(app: FastifyInstance, services: PageServices): void {
  addFormPage(app, {
    path: `${PATH}/:id/erase`,
    load: (request: UserRequest) => requireUser(services, request),
    render: (user, forms) => ({
      title: `Erase ${formatUserName(user)}`,
      heading: html`Erase <bdi>${formatUserName(user)}</bdi>?`,
      trail: listUpperPages(user),
      body: html`${renderFacts([
        ['Name', html`<bdi>${formatUserName(user)}</bdi>`],
        ['Email', html`<bdi>${user.email || 'Erased'}</bdi>`],
      ])}
        <p class="warning">This can't be undone.</p>
        <p>
          The name, email address, and names of tokens and passkeys are deleted, also from the ledger. Actions and roles
          stay recorded under the ID <code>${user.id}</code>, but no one can tell who it was.
        </p>
        ${renderForm(forms, 'erase', {
          fields: (_, problem) => renderTypedConfirmation(getExpectedText(user), problem),
          buttons: renderButtons(button, `${PATH}/${user.id}`, 'danger'),
        })}`,
    }),
    forms: {
      erase: {
        async run(request, fields) {
          const user = await requireUser(services, request)
          requireTyped(fields, getExpectedText(user))
          await eraseUser(services.company, getActing(request), user.id)
          return { goTo: `${PATH}/${user.id}?done=${done}` }
        },
      },
    },
  })
}

/** Returns what an administrator types to confirm. */
function getExpectedText(user: UserRecord): string {
  return user.email || user.id
}
