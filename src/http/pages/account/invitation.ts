import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { acceptInvitation } from '../../../accounts/users/accept-invitation.ts'
import type { CompanyServices } from '../../../accounts/users/change-company.ts'
import { RefusedCredentialsError } from '../../../accounts/refused-credentials-error.ts'
import { problem } from '../../../domain/errors.ts'
import { companyOfLinkToken } from '../../../domain/accounts/secrets.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '../../../domain/accounts/user-lifecycle.ts'
import { AcceptBody } from '../../admin/user-schemas.ts'
import { fieldError, invalidFields } from '../../server/body-faults.ts'
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

/** The page that an invitation's one-time link leads to. */
export const INVITATION_PATH = '/invitation'

const USED_UP = problem(
  'invalid_credentials',
  'This link is unknown, has been used, or is too old. Ask an administrator for a new one.',
)

/** `/invitation?token=…`: sets a password by a one-time link. Opening the page uses nothing up: previews open links too. */
export function addInvitationPage(app: FastifyInstance, company: CompanyServices, failureLimit: number): void {
  app.get(INVITATION_PATH, (request, reply) =>
    sendSetPasswordForm(reply, readFormFields(request.query)['token'] ?? '', null),
  )

  const accept = limitFailures(app, failureLimit, async (request: FastifyRequest) => {
    const { token = '', password = '', repeated = '' } = readFormFields(request.body)
    const body = checkForm(AcceptBody, { token, password })
    if (password !== repeated)
      throw new ProblemError(invalidFields([fieldError('/repeated', 'invalid_value', 'the two passwords differ')]))
    await acceptInvitation(company, body).catch((error: unknown) => {
      throw error instanceof RefusedCredentialsError ? new ProblemError(USED_UP) : error
    })
  })
  app.post(INVITATION_PATH, async (request, reply) => {
    try {
      await accept(request, reply)
    } catch (error) {
      const refusal = toFormProblem(error)
      return sendSetPasswordForm(reply.code(refusal.status), readFormFields(request.body)['token'] ?? '', refusal)
    }
    return sendPlainPage(reply, {
      title: 'Your password is set',
      body: html`<h1>Your password is set</h1>
        <p>The link has served its time.</p>
        <p><a class="button primary" href="/sign-in">Sign in</a></p>`,
    })
  })
}

function sendSetPasswordForm(reply: FastifyReply, token: string, problem: FormProblem): Promise<FastifyReply> {
  // What cannot be a link needs no form; whether it is still good is told when it is used.
  if (companyOfLinkToken(token) === null) {
    return sendPlainPage(reply.code(404), {
      title: 'This link is not complete',
      body: html`<h1>This link is not complete</h1>
        <p>Copy the whole link, or ask an administrator for a new one.</p>`,
    })
  }
  return sendPlainPage(reply, {
    title: 'Set your password',
    body: html`<h1>Set your password</h1>
      ${renderFormAlert(problem)}
      <form method="post" action="${INVITATION_PATH}" class="stack">
        <input type="hidden" name="token" value="${token}" />
        ${renderField({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', maxLength: MAX_PASSWORD_CHARACTERS, hint: `At least ${MIN_PASSWORD_CHARACTERS} characters. It may be pasted from a password manager.`, hasFocus: true }, problem)}
        ${renderField({ name: 'repeated', label: 'The same again', type: 'password', autocomplete: 'new-password', maxLength: MAX_PASSWORD_CHARACTERS }, problem)}
        <button class="primary">Set the password</button>
      </form>`,
  })
}
