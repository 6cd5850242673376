import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { removePasskey } from '../../../accounts/passkeys/change-passkeys.ts'
import { listPasskeys, type Passkey } from '../../../accounts/passkeys/passkey-rows.ts'
import { problem } from '../../../domain/errors.ts'
import { sessionCookie } from '../../access/session.ts'
import { ProblemError } from '../../server/problem.ts'
import {
  type FormProblem,
  readFormFields,
  readSeenVersion,
  renderFormAlert,
  renderSeenVersion,
  toFormProblem,
} from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { PASSKEYS_PATH } from './account-passkeys.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { requireOwnUser } from './own-user.ts'

interface PasskeyRoute {
  Params: { id: string }
}
type PasskeyRequest = FastifyRequest<PasskeyRoute>

/** `/account/passkeys/{id}/remove`: removes one of the user's own passkeys. */
export function addPasskeyRemoval(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  const { company, sessions } = services
  const path = `${PASSKEYS_PATH}/:id/remove`
  app.get<PasskeyRoute>(path, (request, reply) => sendRemovalForm(services, request, reply, null))
  app.post<PasskeyRoute>(path, async (request, reply) => {
    try {
      const { id: passkeyId } = (await findOwnPasskeys(services, request)).passkey
      await requireProof(services, limits, request, reply)
      const seen = readSeenVersion(readFormFields(request.body))
      const keptCookie = sessionCookie(request, sessions)
      await removePasskey(company, getActing(request), { passkeyId, seen, keptCookie })
    } catch (error) {
      return sendRemovalForm(services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${ACCOUNT_PATH}?done=passkey-removed`, 303)
  })
}

const NO_SUCH_PASSKEY = problem('route_not_found', 'You have no such passkey')

/** Finds the passkey in the path. Throws a problem if it is not one of the user's own. */
async function findOwnPasskeys({ company }: PageServices, request: PasskeyRequest) {
  const passkeys = await listPasskeys(company.pool, getViewer(request))
  const passkey: Passkey | undefined = passkeys.find(({ id }) => id === request.params.id)
  if (!passkey) throw new ProblemError(NO_SUCH_PASSKEY)
  return { passkey, isLast: passkeys.length === 1 }
}

async function sendRemovalForm(
  services: PageServices,
  request: PasskeyRequest,
  reply: FastifyReply,
  refusal: FormProblem,
): Promise<FastifyReply> {
  const user = await requireOwnUser(services, request)
  const { passkey, isLast } = await findOwnPasskeys(services, request)
  const path = `${PASSKEYS_PATH}/${passkey.id}/remove`
  if (refusal) void reply.code(refusal.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: `Remove ${passkey.name}`,
    body: html`<h1>Remove “<bdi>${passkey.name}</bdi>”?</h1>
      ${renderFormAlert(refusal)}
      <p>
        This passkey no longer signs you in. Your sessions that began with a passkey end, except this one. Delete the
        passkey on your device as well, so that it is not offered again.
      </p>
      ${isLast && user.hasPassword ? html`<p class="warning">This is your last passkey: your password alone signs you in again, and your recovery codes are deleted.</p>` : ''}
      <form method="post" action="${path}" class="stack">
        ${renderSeenVersion(user.version)} ${await renderProof(services, request, { next: path, problem: refusal })}
        <div class="actions">
          <button class="danger">Remove passkey</button><a class="button" href="${ACCOUNT_PATH}">Cancel</a>
        </div>
      </form>`,
  })
}
