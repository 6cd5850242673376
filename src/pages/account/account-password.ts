import { changeOwnPassword } from '../../accounts/users/change-own-password.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '../../domain/accounts/user-lifecycle.ts'
import { OwnPasswordBody } from '../../api/admin/user-schemas.ts'
import { fieldError, invalidFields } from '../../domain/field-errors.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { rememberUser } from '../../http/access/known-browser.ts'
import { clearSessionCookie, describeSession, sessionCookie, setSessionCookie } from '../../http/access/session.ts'
import { html, type Html } from '../parts/html.ts'
import { wrongPassword } from '../parts/proof.ts'
import { checkForm, renderField, type FormFields } from '../parts/form.ts'
import { renderForm, type Form, type PageForms } from '../parts/form-page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

/** Makes the form that changes the user's own password. All sessions end; this browser gets a new one. */
export function makePasswordForm(services: PageServices): Form<unknown, 'password'> {
  const { accessPool, company, sessions, signIns } = services
  return {
    path: '/password',
    async run(request, fields, reply) {
      const { companyId, userId, email } = getViewer(request)
      const { current, password: next } = readPasswords(fields)
      const account = { company, pool: accessPool, session: describeSession(request, sessions) }
      const former = sessionCookie(request, sessions)
      const check = async () => {
        const outcome = await changeOwnPassword(account, getActing(request), { email, current, next, cookie: former })
        return { outcome, hasFailed: outcome.outcome === 'wrong password' }
      }
      const attempt = { kind: 'proof in a session', whose: userId, check } as const
      const changed = await signIns.attempt(reply, attempt)
      if (changed.outcome === 'wrong password') throw wrongPassword()
      if (changed.cookie === null) clearSessionCookie(reply, sessions)
      else setSessionCookie(reply, sessions, changed.cookie)
      await rememberUser(services, reply, { companyId, userId })
      return { done: 'password' }
    },
  }
}

function readPasswords({ current = '', password = '', repeated = '' }: FormFields) {
  const body = checkForm(OwnPasswordBody, { current, password })
  if (password !== repeated)
    throw new ProblemError(invalidFields([fieldError('/repeated', 'invalid_value', 'The passwords do not match')]))
  return body
}

/** Renders the form that changes the user's own password. */
export function renderPasswordForm(forms: PageForms<'password'>, email: string): Html {
  const hint = `At least ${MIN_PASSWORD_CHARACTERS} characters; you can paste from a password manager.`
  const fresh = { type: 'password', autocomplete: 'new-password', maxLength: MAX_PASSWORD_CHARACTERS } as const
  return html`<h2>Password</h2>
    ${renderForm(forms, 'password', {
      fields: (_, problem) =>
        html`<input type="email" name="username" value="${email}" autocomplete="username" readonly hidden />
          ${renderField({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' }, problem)}
          ${renderField({ name: 'password', label: 'New password', ...fresh, hint }, problem)}
          ${renderField({ name: 'repeated', label: 'Confirm new password', ...fresh }, problem)}`,
      buttons: html`<button class="primary">Change password</button>`,
    })}`
}
