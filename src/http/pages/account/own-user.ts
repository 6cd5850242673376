import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { isSessionRecent, proveAgain, RECENT_MINUTES } from '../../../accounts/passkeys/prove-again.ts'
import { NO_SUCH_USER } from '../../../accounts/users/change-user.ts'
import { findUser, type UserRecord } from '../../../accounts/users/users.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { sessionCookie } from '../../access/session.ts'
import { ProblemError } from '../../server/problem.ts'
import { type FormProblem, readFormFields, renderField } from '../parts/form.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'
import type { SignInLimits } from '../sign-in/sign-in-limits.ts'

/** Finds the user of a page behind `requireViewer`. */
export async function requireOwnUser({ db }: Pick<PageServices, 'db'>, request: FastifyRequest): Promise<UserRecord> {
  const viewer = getViewer(request)
  const user = await findUser(db, viewer.companyId, viewer.userId)
  if (!user) throw new ProblemError(NO_SUCH_USER)
  return user
}

/**
 * Renders what proves again that it is the user: a field for the current password or, for those who have none and did not
 * sign in recently, a button that signs out and, after signing in, leads to the page `next`.
 */
export async function renderProof(
  { company, sessions }: Pick<PageServices, 'company' | 'sessions'>,
  request: FastifyRequest,
  { user, next, problem }: { user: UserRecord; next: string; problem: FormProblem },
): Promise<Html> {
  if (user.hasPassword)
    return html`<input type="email" name="username" value="${user.email}" autocomplete="username" readonly hidden />
      ${renderField({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' }, problem)}`
  if (await isSessionRecent(company.pool, getViewer(request), sessionCookie(request, sessions))) return html``
  return html`<p class="warning">You signed in more than ${RECENT_MINUTES} minutes ago. Sign in again to do this.</p>
    <div class="actions">
      <button formaction="/sign-out" formnovalidate name="next" value="${next}">Sign in again</button>
    </div>`
}

/** Checks that proof, within the limits of signing in. Throws a problem if it is missing. */
export async function requireProof(
  { company, sessions }: Pick<PageServices, 'company' | 'sessions'>,
  limits: SignInLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const viewer = getViewer(request)
  const given = { password: readFormFields(request.body)['current'] ?? '', cookie: sessionCookie(request, sessions) }
  const proof = await limits.attempt(request, reply, viewer.userId, async () => {
    const outcome = await proveAgain(company.pool, viewer, given)
    return { outcome, hasFailed: outcome === 'wrong password' }
  })
  if (proof === 'wrong password') throw wrongPassword()
  if (proof === 'old session') throw new ProblemError(OLD_SESSION)
}

const OLD_SESSION = invalidFields([fieldError('', 'invalid_value', 'Nothing was changed. Sign in again first')])

/** The problem of a field `current` that does not hold the user's password. */
export function wrongPassword(): ProblemError {
  return new ProblemError(invalidFields([fieldError('/current', 'invalid_value', 'This is not your current password')]))
}
