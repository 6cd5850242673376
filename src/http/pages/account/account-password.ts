import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { changeOwnPassword } from '../../../accounts/users/change-own-password.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '../../../domain/accounts/user-lifecycle.ts'
import { OwnPasswordBody } from '../../admin/user-schemas.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { ProblemError } from '../../server/problem.ts'
import { rememberUser } from '../../access/known-browser.ts'
import { clearSessionCookie, describeSession, sessionCookie, setSessionCookie } from '../../access/session.ts'
import type { AccountProblem } from './account-problem.ts'
import { wrongPassword } from '../parts/proof.ts'
import { toFormProblem, checkForm, renderField, readFormFields, type FormProblem } from '../parts/form.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

export interface PasswordRoute {
  limits: SignInLimits
  /** Shows the account page, with the problem of a form that was sent. */
  show(request: FastifyRequest, reply: FastifyReply, wrong: AccountProblem | null): Promise<FastifyReply>
}

/** Adds the route that changes the user's own password. All sessions end; this browser gets a new one. */
export function addPasswordRoute(app: FastifyInstance, services: PageServices, { limits, show }: PasswordRoute): void {
  const { accessPool, company, sessions } = services
  app.post(`${ACCOUNT_PATH}/password`, async (request, reply) => {
    const { companyId, userId, email } = getViewer(request)
    let cookie: string | null
    try {
      const { current, password: next } = readPasswords(request)
      const account = { company, pool: accessPool, session: describeSession(request, sessions) }
      const former = sessionCookie(request, sessions)
      const check = async () => {
        const outcome = await changeOwnPassword(account, getActing(request), { email, current, next, cookie: former })
        return { outcome, hasFailed: outcome.outcome === 'wrong password' }
      }
      const attempt = { kind: 'proof in a session', whose: userId, check } as const
      const changed = await limits.attempt(request, reply, attempt)
      if (changed.outcome === 'wrong password') throw wrongPassword()
      cookie = changed.cookie
    } catch (error) {
      return show(request, reply, { form: 'password', problem: toFormProblem(error) })
    }
    if (cookie === null) clearSessionCookie(reply, sessions)
    else setSessionCookie(reply, sessions, cookie)
    await rememberUser(services, request, reply, { companyId, userId })
    return reply.redirect(`${ACCOUNT_PATH}?done=password`, 303)
  })
}

function readPasswords(request: FastifyRequest) {
  const { current = '', password = '', repeated = '' } = readFormFields(request.body)
  const body = checkForm(OwnPasswordBody, { current, password })
  if (password !== repeated)
    throw new ProblemError(invalidFields([fieldError('/repeated', 'invalid_value', 'The passwords do not match')]))
  return body
}

/** Renders the form that changes the user's own password. */
export function renderPasswordForm(email: string, problem: FormProblem): Html {
  const hint = `At least ${MIN_PASSWORD_CHARACTERS} characters; you can paste from a password manager.`
  const fresh = { type: 'password', autocomplete: 'new-password', maxLength: MAX_PASSWORD_CHARACTERS } as const
  return html`<h2>Password</h2>
    <form method="post" action="${ACCOUNT_PATH}/password" class="stack">
      <input type="email" name="username" value="${email}" autocomplete="username" readonly hidden />
      ${renderField({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' }, problem)}
      ${renderField({ name: 'password', label: 'New password', ...fresh, hint }, problem)}
      ${renderField({ name: 'repeated', label: 'Confirm new password', ...fresh }, problem)}
      <button class="primary">Change password</button>
    </form>`
}
