import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { acceptInvitation, findInvitedUser } from '../../../accounts/users/accept-invitation.ts'
import type { CompanyServices } from '../../../accounts/users/change-company.ts'
import { RefusedCredentialsError } from '../../../accounts/refused-credentials-error.ts'
import { problem } from '../../../domain/errors.ts'
import { companyOfLinkToken } from '../../../domain/accounts/secrets.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '../../../domain/accounts/user-lifecycle.ts'
import { AcceptBody } from '../../admin/user-schemas.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { ProblemError } from '../../server/problem.ts'
import { limitFailures } from '../../access/rate-limits.ts'
import {
  toFormProblem,
  checkForm,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendPlainPage } from '../parts/layout.ts'
import { companyPath } from '../parts/addresses.ts'

/** The page that an invitation's one-time link leads to. */
export const INVITATION_PATH = '/invitation'

const USED_UP = problem(
  'invalid_credentials',
  'This link is invalid, has expired, or was already used. Ask an administrator for a new one.',
)

/** `/invitation?token=…`: sets a password with a one-time link. Opening the page does not use up the link. */
export function addInvitationPage(app: FastifyInstance, company: CompanyServices, failureLimit: number): void {
  app.get(INVITATION_PATH, (request, reply) =>
    sendSetPasswordForm(company, reply, readFormFields(request.query)['token'] ?? '', null),
  )

  const accept = limitFailures(app, failureLimit, async (request: FastifyRequest) => {
    const { token = '', password = '', repeated = '' } = readFormFields(request.body)
    const body = checkForm(AcceptBody, { token, password })
    if (password !== repeated)
      throw new ProblemError(invalidFields([fieldError('/repeated', 'invalid_value', 'The passwords do not match')]))
    await acceptInvitation(company, body).catch((error: unknown) => {
      throw error instanceof RefusedCredentialsError ? new ProblemError(USED_UP) : error
    })
  })
  app.post(INVITATION_PATH, async (request, reply) => {
    try {
      await accept(request, reply)
    } catch (error) {
      const refusal = toFormProblem(error)
      return sendSetPasswordForm(
        company,
        reply.code(refusal.status),
        readFormFields(request.body)['token'] ?? '',
        refusal,
      )
    }
    return sendPlainPage(reply, {
      title: 'Password set',
      body: html`<h1>Password set</h1>
        <p>This link can't be used again.</p>
        <p><a class="button primary" href="/sign-in">Sign in</a></p>`,
    })
  })
}

async function sendSetPasswordForm(
  company: CompanyServices,
  reply: FastifyReply,
  token: string,
  problem: FormProblem,
): Promise<FastifyReply> {
  // Only the form of the token is checked here; whether the link still works is checked when the form is sent.
  const companyId = companyOfLinkToken(token)
  if (companyId === null) {
    return sendPlainPage(reply.code(404), {
      title: 'Incomplete link',
      body: html`<h1>Incomplete link</h1>
        <p>Copy the whole link, or ask an administrator for a new one.</p>`,
    })
  }
  const invited = await findInvitedUser(company.pool, token)
  if (invited && invited.requiredProvider !== null) return sendToProvider(reply, companyId, invited.requiredProvider)
  return sendPlainPage(reply, {
    title: 'Set your password',
    body: html`<h1>Set your password</h1>
      ${renderFormAlert(problem)}
      <form method="post" action="${INVITATION_PATH}" class="stack">
        <input type="hidden" name="token" value="${token}" />
        ${invited === null ? '' : renderField({ name: 'username', label: 'Email', type: 'email', value: invited.email, autocomplete: 'username', isReadOnly: true }, null)}
        ${renderField({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', maxLength: MAX_PASSWORD_CHARACTERS, hint: `At least ${MIN_PASSWORD_CHARACTERS} characters; you can paste from a password manager.`, hasFocus: true }, problem)}
        ${renderField({ name: 'repeated', label: 'Confirm new password', type: 'password', autocomplete: 'new-password', maxLength: MAX_PASSWORD_CHARACTERS }, problem)}
        <button class="primary">Set password</button>
      </form>`,
  })
}

/** Says that a password would be of no use. */
function sendToProvider(reply: FastifyReply, companyId: string, provider: string): Promise<FastifyReply> {
  return sendPlainPage(reply, {
    title: 'No password needed',
    body: html`<h1>No password needed</h1>
      <p>Your company signs in with <bdi>${provider}</bdi>. You don't need this link or a password.</p>
      <p><a class="button primary" href="${companyPath(companyId)}">Sign in with <bdi>${provider}</bdi></a></p>`,
  })
}
