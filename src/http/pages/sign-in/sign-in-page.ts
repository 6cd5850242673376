import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { SignInOutcome } from '../../../accounts/users/sign-in.ts'
import { signIn, signOut } from '../../../accounts/users/sign-in.ts'
import { readAttribute } from '../../../domain/attributes.ts'
import { type Problem, problem } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { MAX_PASSWORD_CHARACTERS } from '../../../domain/accounts/user-lifecycle.ts'
import type { SignInCandidate } from '../../../accounts/users/sessions.ts'
import { clearSessionCookie, describeSession, findSessionUser, sessionCookie } from '../../access/session.ts'
import {
  toFormProblem,
  renderChoice,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { readOwnPath } from '../parts/addresses.ts'
import { keepForm, readKeptForm } from '../parts/kept-form.ts'
import { sendPlainPage } from '../parts/layout.ts'
import { findHome } from '../parts/navigation.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { type Destination, renderDestination, renderPasskeyForm } from './passkey-form.ts'
import { addPasskeySignIn, findSupport, type SignInServices } from './passkey-sign-in.ts'
import { addSecondStep, type SecondStepPage } from './second-step.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/** The values with which the form is shown. */
interface SignInForm extends Destination {
  email: string
  candidates: SignInCandidate[]
}

const EMPTY: SignInForm = { email: '', next: '', kept: null, candidates: [] }

/** `/sign-in` and `/sign-out`. */
export function addSignInPages(app: FastifyInstance, services: SignInServices, limits: SignInLimits): void {
  const { access, sessions } = services
  app.get('/sign-in', async (request, reply) => {
    const next = readOwnPath(readFormFields(request.query)['next'])
    const user = await findSessionUser(access, request, sessions, true)
    if (user) return reply.redirect(next || findHome(user.role), 303)
    return sendSignInForm(services, reply, { ...EMPTY, next }, null)
  })

  const show = (reply: FastifyReply, destination: Destination, refusal: Problem) =>
    sendSignInForm(services, reply, { ...EMPTY, ...destination }, refusal)
  addPasskeySignIn(app, services, { limits, show })
  const secondStep = addSecondStep(app, services, { limits, show })
  app.post('/sign-in', (request, reply) => trySignIn(services, limits, secondStep, request, reply))

  app.post('/sign-out', async (request, reply) => {
    const cookie = sessionCookie(request, sessions)
    if (cookie !== null && (await findSessionUser(access, request, sessions, false))) await signOut(access, cookie)
    clearSessionCookie(reply, sessions)
    return reply.redirect('/sign-in', 303)
  })
}

/**
 * Answers a request that needs a session. A page is shown after signing in. A form, which has not been carried out, is
 * shown again. `pages` are the routes of the pages.
 */
export function askToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  services: SignInServices,
  pages: ReadonlySet<string>,
): FastifyReply | Promise<FastifyReply> {
  if (request.headers['sec-fetch-mode'] === 'cors') return reply.code(401).send()
  if (request.method !== 'POST') return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303)
  const [path = ''] = request.url.split('?', 1)
  // The path of a form that has no page of its own continues the path of the page.
  const next = pages.has(request.routeOptions.url ?? '') ? path : path.slice(0, path.lastIndexOf('/'))
  const form = { ...EMPTY, next: readOwnPath(next), kept: keepForm(request, sessionCookie(request, services.sessions)) }
  return sendSignInForm(services, reply.code(401), form, form.kept ? ENDED_AND_KEPT : ENDED)
}

const ENDED = problem('invalid_credentials', 'Your session has ended. Nothing was changed. Sign in and try again.')
const ENDED_AND_KEPT = problem(
  'invalid_credentials',
  'Your session has ended. Nothing was changed. Sign in to get back to what you entered.',
)
const REFUSED = problem('invalid_credentials', 'The email or password is incorrect.')

async function trySignIn(
  services: SignInServices,
  limits: SignInLimits,
  secondStep: SecondStepPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { access, sessions } = services
  const fields = readFormFields(request.body)
  const { email: typed = '', password = '', company = '', next } = fields
  const sent = typed.trim()
  const form: SignInForm = {
    email: sent.slice(0, 254),
    next: readOwnPath(next),
    kept: readKeptForm(fields),
    candidates: [],
  }
  const { value, faults } = readAttribute('email', sent, false)
  const email = faults ? sent : (value as string)
  // Counts characters, not UTF-16 code units, as where passwords are set.
  const isPassword = password !== '' && [...password].length <= MAX_PASSWORD_CHARACTERS
  const companyId = isId('com', company) ? company : null
  const check = async () => {
    const outcome: SignInOutcome =
      faults || !isPassword
        ? { outcome: 'refused' }
        : await signIn(access, { email, password, companyId }, describeSession(request, sessions))
    return { outcome, hasFailed: outcome.outcome === 'refused' }
  }
  let tried: SignInOutcome
  try {
    tried = await limits.attempt(request, reply, email, check)
  } catch (error) {
    if (reply.metLimit !== 'sign-in') throw error
    return sendSignInForm(services, reply.code(429), form, toFormProblem(error))
  }
  switch (tried.outcome) {
    case 'refused':
      return sendSignInForm(services, reply.code(401), form, REFUSED)
    case 'choose':
      return sendSignInForm(services, reply, { ...form, candidates: tried.candidates }, null)
    case 'second step':
      return secondStep.ask(reply, tried.candidate, form)
    case 'signed in': {
      const { companyId, role } = tried.candidate
      const next = form.next || findHome(role)
      return finishSignIn(services, request, reply, { cookie: tried.cookie, companyId, next, kept: form.kept })
    }
  }
}

function sendSignInForm(
  services: SignInServices,
  reply: FastifyReply,
  form: SignInForm,
  problem: FormProblem,
): Promise<FastifyReply> {
  const companies = form.candidates.map(({ companyId, companyName }) => ({ value: companyId, label: companyName }))
  const hasChoice = companies.length > 0
  const hasPasskeys = findSupport(services).party !== null
  return sendPlainPage(reply, {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      ${renderFormAlert(problem)}
      <form method="post" action="/sign-in" class="stack">
        ${renderDestination(form)}
        ${renderField({ name: 'email', label: 'Email', value: form.email, type: 'email', autocomplete: hasPasskeys ? 'username webauthn' : 'username', hasFocus: !hasChoice }, null)}
        ${hasChoice ? renderChoice({ name: 'company', label: 'Company', value: '', options: companies, hint: 'You belong to several companies. Choose one and enter your password again.' }, null) : ''}
        ${renderField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: hasChoice }, null)}
        <button class="primary">Sign in</button>
      </form>
      ${hasPasskeys ? renderPasskeyForm(form) : ''}
      <p class="hint">Forgot your password? Ask an administrator of your company for a link to set a new one.</p>`,
  })
}
