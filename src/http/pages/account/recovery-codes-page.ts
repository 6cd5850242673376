import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { issueRecoveryCodes } from '../../../accounts/passkeys/change-passkeys.ts'
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
import { renderCopyable } from '../parts/once.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { RECOVERY_CODES_PATH } from './account-passkeys.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { requireOwnUser } from './own-user.ts'

/** `/account/recovery-codes`: replaces the user's recovery codes. */
export function addRecoveryCodesPage(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  app.get(RECOVERY_CODES_PATH, (request, reply) => sendCodesForm(services, request, reply, null))
  app.post(RECOVERY_CODES_PATH, async (request, reply) => {
    try {
      await requireProof(services, limits, request, reply)
      const seen = readSeenVersion(readFormFields(request.body))
      const codes = await issueRecoveryCodes(services.company, getActing(request), seen)
      return await sendRecoveryCodes(request, reply, 'New recovery codes', codes)
    } catch (error) {
      return sendCodesForm(services, request, reply, toFormProblem(error))
    }
  })
}

async function sendCodesForm(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const user = await requireOwnUser(services, request)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: 'New recovery codes',
    body: html`<h1>Make new recovery codes?</h1>
      ${renderFormAlert(problem)}
      <p>Your earlier recovery codes stop working immediately.</p>
      <form method="post" action="${RECOVERY_CODES_PATH}" class="stack">
        ${renderSeenVersion(user.version)} ${await renderProof(services, request, { next: RECOVERY_CODES_PATH, problem })}
        <div class="actions">
          <button class="primary">Make new codes</button><a class="button" href="${ACCOUNT_PATH}">Cancel</a>
        </div>
      </form>`,
  })
}

/** Sends the page that shows recovery codes, once. */
export function sendRecoveryCodes(
  request: FastifyRequest,
  reply: FastifyReply,
  title: string,
  codes: string[],
): Promise<FastifyReply> {
  return sendUserPage(request, reply, getViewer(request), {
    title,
    body: html`<h1>${title}</h1>
      <p class="warning">Print or copy these recovery codes now. You won't see them again.</p>
      <h2>Recovery codes for ${getViewer(request).email}</h2>
      <p>
        Without your passkeys, your password and one of these codes sign you in. Each code works once. Keep them where
        you would keep a key, apart from your password.
      </p>
      ${renderCopyable('codes', codes.join('\n'), 'Copy codes')}
      <p class="actions"><a class="button" href="${ACCOUNT_PATH}">Go to your account</a></p>`,
  })
}
