import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { provesPassword } from '../../../accounts/passkeys/change-passkeys.ts'
import { NO_SUCH_USER } from '../../../accounts/users/change-user.ts'
import { findUser, type UserRecord } from '../../../accounts/users/users.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { ProblemError } from '../../server/problem.ts'
import { type FormProblem, readFormFields, renderField } from '../parts/form.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import type { SignInLimits } from '../sign-in/sign-in-limits.ts'

/** Finds the user of a page behind `requireViewer`. */
export async function requireOwnUser({ db }: Pick<PageServices, 'db'>, request: FastifyRequest): Promise<UserRecord> {
  const viewer = getViewer(request)
  const user = await findUser(db, viewer.companyId, viewer.userId)
  if (!user) throw new ProblemError(NO_SUCH_USER)
  return user
}

/** Renders the field in which users give their current password again; nothing for those who have none. */
export function renderOwnPassword({ email, hasPassword }: UserRecord, problem: FormProblem): Html {
  if (!hasPassword) return html``
  return html`<input type="email" name="username" value="${email}" autocomplete="username" readonly hidden />
    ${renderField({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' }, problem)}`
}

/** Checks that field, within the limits of signing in. Throws a problem if it holds another password. */
export async function requireOwnPassword(
  { company }: Pick<PageServices, 'company'>,
  limits: SignInLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const acting = getActing(request)
  const { current = '' } = readFormFields(request.body)
  const isRight = await limits.attempt(request, reply, acting.actor, async () => {
    const outcome = await provesPassword(company, acting, current)
    return { outcome, hasFailed: !outcome }
  })
  if (!isRight) throw wrongPassword()
}

/** The problem of a field `current` that does not hold the user's password. */
export function wrongPassword(): ProblemError {
  return new ProblemError(invalidFields([fieldError('/current', 'invalid_value', 'This is not your current password')]))
}
