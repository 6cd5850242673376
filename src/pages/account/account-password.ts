import { changeOwnPassword } from '#accounts/users/set-password'
import { OwnPasswordBody } from '#api/admin/user-schemas'
import { rememberUser } from '#http/access/known-browser'
import { clearSessionCookie, describeSession, sessionCookie, setSessionCookie } from '#http/access/session'
import { html, type Html } from '../parts/html.ts'
import { wrongPassword } from '../parts/proof.ts'
import { checkForm } from '../parts/form.ts'
import { renderForm, type Form, type PageForms } from '../parts/form-page.ts'
import { NEW_PASSWORD, requireRepeated } from '../parts/new-password.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

/** Makes the form that changes the user's own password. All sessions end; this browser gets a new one. */
export function makePasswordForm(services: PageServices): Form<unknown, 'password'> {
  const { accessPool, company, sessions, signIns } = services
  return {
    path: '/password',
    async run(request, fields, reply) {
      const { companyId, userId, email } = getViewer(request)
      const { current = '', password = '' } = fields
      const { password: next } = checkForm(OwnPasswordBody, { current, password })
      requireRepeated(fields)
      const account = { company, pool: accessPool, session: describeSession(request, sessions) }
      const former = sessionCookie(request, sessions)
      const changed = await signIns.attempt(reply, {
        kind: 'proof in a session',
        whose: userId,
        check: () => changeOwnPassword(account, getActing(request), { email, current, next, cookie: former }),
        hasFailed: ({ outcome }) => outcome === 'wrong password',
      })
      if (changed.outcome === 'wrong password') throw wrongPassword()
      if (changed.cookie === null) clearSessionCookie(reply, sessions)
      else setSessionCookie(reply, sessions, changed.cookie)
      await rememberUser(services, reply, { companyId, userId })
      return { done: 'password' }
    },
  }
}

/** Renders the form that changes the user's own password. */
export function renderPasswordForm(forms: PageForms<'password'>, email: string): Html {
  return html`<h2>Password</h2>
    ${renderForm(forms, 'password', {
      fields: [
        html`<input type="email" name="username" value="${email}" autocomplete="username" readonly hidden />`,
        { name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' },
        ...NEW_PASSWORD,
      ],
      buttons: html`<button class="primary">Change password</button>`,
    })}`
}
