import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { SignInOutcome } from '../../../accounts/users/sign-in.ts'
import { signIn, signOut } from '../../../accounts/users/sign-in.ts'
import { readAttribute } from '../../../domain/attributes.ts'
import { problem } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { MAX_PASSWORD_CHARACTERS } from '../../../domain/accounts/user-lifecycle.ts'
import type { SignInCandidate } from '../../../accounts/users/sessions.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import type { SessionSettings } from '../../access/session.ts'
import { clearSessionCookie, findSessionUser, sessionCookie, setSessionCookie } from '../../access/session.ts'
import {
  toFormProblem,
  renderChoice,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendPlainPage } from '../parts/layout.ts'
import { findHome } from '../parts/navigation.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/** The values with which the form is shown. */
interface SignInForm {
  email: string
  /** Where to go after signing in: a path of this service. */
  next: string
  candidates: SignInCandidate[]
}

interface SignInServices {
  access: LedgerDb
  sessions: SessionSettings
}

/** `/sign-in` and `/sign-out`. */
export function addSignInPages(app: FastifyInstance, services: SignInServices, limits: SignInLimits): void {
  const { access, sessions } = services
  app.get('/sign-in', async (request, reply) => {
    const next = readNextPath(readFormFields(request.query)['next'])
    const user = await findSessionUser(access, request, sessions, true)
    if (user) return reply.redirect(next || findHome(user.role), 303)
    return sendSignInForm(reply, { email: '', next, candidates: [] }, null)
  })

  app.post('/sign-in', (request, reply) => trySignIn(services, limits, request, reply))

  app.post('/sign-out', async (request, reply) => {
    const cookie = sessionCookie(request, sessions)
    if (cookie !== null && (await findSessionUser(access, request, sessions, false))) await signOut(access, cookie)
    clearSessionCookie(reply, sessions)
    return reply.redirect('/sign-in', 303)
  })
}

const REFUSED = problem('invalid_credentials', 'The email or password is incorrect.')

async function trySignIn(
  { access, sessions }: SignInServices,
  limits: SignInLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { email: typed = '', password = '', company = '', next } = readFormFields(request.body)
  const sent = typed.trim()
  const form: SignInForm = { email: sent.slice(0, 254), next: readNextPath(next), candidates: [] }
  const { value, faults } = readAttribute('email', sent, false)
  const email = faults ? sent : (value as string)
  // Counts characters, not UTF-16 code units, as where passwords are set.
  const isPassword = password !== '' && [...password].length <= MAX_PASSWORD_CHARACTERS
  const companyId = isId('com', company) ? company : null
  const check = async () => {
    const outcome: SignInOutcome =
      faults || !isPassword
        ? { outcome: 'refused' }
        : await signIn(access, { email, password, companyId }, sessions.hours)
    return { outcome, hasFailed: outcome.outcome === 'refused' }
  }
  let tried: SignInOutcome
  try {
    tried = await limits.attempt(request, reply, email, check)
  } catch (error) {
    if (reply.metLimit !== 'sign-in') throw error
    return sendSignInForm(reply.code(429), form, toFormProblem(error))
  }
  switch (tried.outcome) {
    case 'refused':
      return sendSignInForm(reply.code(401), form, REFUSED)
    case 'choose':
      return sendSignInForm(reply, { ...form, candidates: tried.candidates }, null)
    case 'signed in':
      await endPreviousSession({ access, sessions }, request)
      setSessionCookie(reply, sessions, tried.cookie)
      return reply.redirect(form.next || findHome(tried.candidate.role), 303)
  }
}

/** Ends the browser's previous session: a browser has one. */
async function endPreviousSession({ access, sessions }: SignInServices, request: FastifyRequest): Promise<void> {
  const former = sessionCookie(request, sessions)
  if (former !== null && (await findSessionUser(access, request, sessions, false))) await signOut(access, former)
}

/** Returns `next` if it is a path of the pages, otherwise an empty string: never another site. */
function readNextPath(next: string | undefined): string {
  return next !== undefined && /^\/(?:settings|account)(?:[/?][\x21-\x7e]*)?$/.test(next) ? next : ''
}

function sendSignInForm(reply: FastifyReply, form: SignInForm, problem: FormProblem): Promise<FastifyReply> {
  const companies = form.candidates.map(({ companyId, companyName }) => ({ value: companyId, label: companyName }))
  const hasChoice = companies.length > 0
  return sendPlainPage(reply, {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      ${renderFormAlert(problem)}
      <form method="post" action="/sign-in" class="stack">
        <input type="hidden" name="next" value="${form.next}" />
        ${renderField({ name: 'email', label: 'Email', value: form.email, type: 'email', autocomplete: 'username', hasFocus: !hasChoice }, null)}
        ${hasChoice ? renderChoice({ name: 'company', label: 'Company', value: '', options: companies, hint: 'You belong to several companies. Choose one and enter your password again.' }, null) : ''}
        ${renderField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: hasChoice }, null)}
        <button class="primary">Sign in</button>
      </form>
      <p class="hint">Forgot your password? Ask an administrator of your company for a link to set a new one.</p>`,
  })
}
