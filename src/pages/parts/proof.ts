import type { FastifyReply, FastifyRequest } from 'fastify'
import { findNeededProof, RECENT_MINUTES } from '#accounts/passkeys/prove-again'
import { checkProof, type ProofServices } from '#http/access/authorize-user'
import { sessionCookie } from '#http/access/session'
import { refuseField } from '#http/server/problem'
import { type FormProblem, readFormFields, renderField } from './form.ts'
import { html, renderWarning } from './elements.ts'
import { getViewer } from './context.ts'

/** The field of the password that somebody has. */
export const CURRENT_PASSWORD = {
  name: 'current',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
} as const

/**
 * Renders what proves again that it is the user: a field for the current password or, for those who have none that they
 * may use and did not sign in recently, a button that signs out and, after signing in, leads to the page `next`. `id` is
 * that of the field.
 */
export async function renderProof(
  { company, sessions }: ProofServices,
  request: FastifyRequest,
  { next, problem, id = 'current' }: { next: string; problem: FormProblem; id?: string },
) {
  const viewer = getViewer(request)
  const needed = await findNeededProof(company.pool, viewer, sessionCookie(request, sessions))
  switch (needed) {
    case 'nothing':
      return html``
    case 'password':
      return html`<input type="email" name="username" value="${viewer.email}" autocomplete="username" readonly hidden />
        ${renderField({ ...CURRENT_PASSWORD, id }, problem)}`
    case 'new session':
      return html`${renderWarning(`You signed in more than ${RECENT_MINUTES} minutes ago. Sign in again to do this.`)}
        <div class="actions">
          <button formaction="/sign-out" formnovalidate name="next" value="${next}">Sign in again</button>
        </div>`
  }
}

/** Checks that proof, within the limits of signing in. Throws a problem if it is missing. */
export async function requireProof(services: ProofServices, reply: FastifyReply) {
  const { request } = reply
  const password = readFormFields(request.body)['current'] ?? ''
  const proof = await checkProof(services, reply, getViewer(request), password)
  if (proof === 'wrong password') throw wrongPassword()
  if (proof === 'old session') throw refuseField('', 'Nothing was changed. Sign in again first')
}

/** The problem of a field `current` that does not hold the user's password. */
export function wrongPassword() {
  return refuseField('/current', 'This is not your current password')
}
