import type { FastifyInstance } from 'fastify'
import { removePasskey } from '../../../accounts/passkeys/change-passkeys.ts'
import { listPasskeys, type Passkey } from '../../../accounts/passkeys/passkey-rows.ts'
import { problem } from '../../../domain/errors.ts'
import { sessionCookie } from '../../access/session.ts'
import { ProblemError } from '../../server/problem.ts'
import { readSeenVersion, renderButtons } from '../parts/form.ts'
import { addFormPage, renderForm, type PageRequest } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import { ACCOUNT, ACCOUNT_PATH } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { PASSKEYS_PATH } from './account-passkeys.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { requireOwnUser } from './own-user.ts'

type PasskeyRequest = PageRequest<{ id: string }>

/** `/account/passkeys/{id}/remove`: removes one of the user's own passkeys. */
export function addPasskeyRemoval(app: FastifyInstance, services: PageServices): void {
  const { company, sessions } = services
  addFormPage(app, {
    path: `${PASSKEYS_PATH}/:id/remove`,
    load: async (request: PasskeyRequest) => ({
      user: await requireOwnUser(services, request),
      ...(await findOwnPasskey(services, request)),
    }),
    render: async ({ user, passkey, isLast }, forms, request) => {
      const asked = { next: forms.actionOf('remove'), problem: forms.problemOf('remove') }
      const proof = await renderProof(services, request, asked)
      return {
        title: `Remove ${passkey.name}`,
        trail: [ACCOUNT],
        heading: html`Remove “<bdi>${passkey.name}</bdi>”?`,
        body: html`<p>
            This passkey no longer signs you in. Your sessions that began with a passkey end, except this one. Delete the
            passkey on your device as well, so that it is not offered again.
          </p>
          ${isLast && user.hasPassword ? html`<p class="warning">This is your last passkey: your password alone signs you in again, and your recovery codes are deleted.</p>` : ''}
          ${renderForm(forms, 'remove', {
            version: user.version,
            fields: () => proof,
            buttons: renderButtons('Remove passkey', ACCOUNT_PATH, 'danger'),
          })}`,
      }
    },
    forms: {
      remove: {
        async run(request, fields, reply) {
          const { id: passkeyId } = (await findOwnPasskey(services, request)).passkey
          await requireProof(services, request, reply)
          const seen = readSeenVersion(fields)
          const keptCookie = sessionCookie(request, sessions)
          await removePasskey(company, getActing(request), { passkeyId, seen, keptCookie })
          return { goTo: `${ACCOUNT_PATH}?done=passkey-removed` }
        },
      },
    },
  })
}

const NO_SUCH_PASSKEY = problem('route_not_found', 'You have no such passkey')

/** Finds the passkey in the path. Throws a problem if it is not one of the user's own. */
async function findOwnPasskey({ company }: PageServices, request: PasskeyRequest) {
  const passkeys = await listPasskeys(company.pool, getViewer(request))
  const passkey: Passkey | undefined = passkeys.find(({ id }) => id === request.params.id)
  if (!passkey) throw new ProblemError(NO_SUCH_PASSKEY)
  return { passkey, isLast: passkeys.length === 1 }
}
