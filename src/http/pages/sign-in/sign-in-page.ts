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
import {
  clearSessionCookie,
  describeSession,
  findSessionUser,
  sessionCookie,
  setSessionCookie,
} from '../../access/session.ts'
import {
  toFormProblem,
  renderChoice,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { readOwnPath } from '../parts/addresses.ts'
import { type KeptForm, keepForm, readKeptForm, renderKeptForm, sendWayBack } from '../parts/kept-form.ts'
import { sendPlainPage } from '../parts/layout.ts'
import { findHome } from '../parts/navigation.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/** The values with which the form is shown. */
interface SignInForm {
  email: string
  /** Where to go after signing in: a path of this service. */
  next: string
  /** The form to go back to after signing in, if one was sent without a session. */
  kept: KeptForm | null
  candidates: SignInCandidate[]
}

interface SignInServices {
  access: LedgerDb
  sessions: SessionSettings
}

const EMPTY: SignInForm = { email: '', next: '', kept: null, candidates: [] }

/** `/sign-in` and `/sign-out`. */
export function addSignInPages(app: FastifyInstance, services: SignInServices, limits: SignInLimits): void {
  const { access, sessions } = services
  app.get('/sign-in', async (request, reply) => {
    const next = readOwnPath(readFormFields(request.query)['next'])
    const user = await findSessionUser(access, request, sessions, true)
    if (user) return reply.redirect(next || findHome(user.role), 303)
    return sendSignInForm(reply, { ...EMPTY, next }, null)
  })

  app.post('/sign-in', (request, reply) => trySignIn(services, limits, request, reply))

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
  sessions: SessionSettings,
  pages: ReadonlySet<string>,
): FastifyReply | Promise<FastifyReply> {
  if (request.headers['sec-fetch-mode'] === 'cors') return reply.code(401).send()
  if (request.method !== 'POST') return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303)
  const [path = ''] = request.url.split('?', 1)
  // The path of a form that has no page of its own continues the path of the page.
  const next = pages.has(request.routeOptions.url ?? '') ? path : path.slice(0, path.lastIndexOf('/'))
  const form = { ...EMPTY, next: readOwnPath(next), kept: keepForm(request, sessionCookie(request, sessions)) }
  return sendSignInForm(reply.code(401), form, form.kept ? ENDED_AND_KEPT : ENDED)
}

const ENDED = problem('invalid_credentials', 'Your session has ended. Nothing was changed. Sign in and try again.')
const ENDED_AND_KEPT = problem(
  'invalid_credentials',
  'Your session has ended. Nothing was changed. Sign in to get back to what you entered.',
)
const REFUSED = problem('invalid_credentials', 'The email or password is incorrect.')

async function trySignIn(
  { access, sessions }: SignInServices,
  limits: SignInLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
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
      return form.kept?.companyId === tried.candidate.companyId
        ? sendWayBack(reply, form.kept)
        : reply.redirect(form.next || findHome(tried.candidate.role), 303)
  }
}

/** Ends the browser's previous session: a browser has one. */
async function endPreviousSession({ access, sessions }: SignInServices, request: FastifyRequest): Promise<void> {
  const former = sessionCookie(request, sessions)
  if (former !== null && (await findSessionUser(access, request, sessions, false))) await signOut(access, former)
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
        ${renderKeptForm(form.kept)}
        ${renderField({ name: 'email', label: 'Email', value: form.email, type: 'email', autocomplete: 'username', hasFocus: !hasChoice }, null)}
        ${hasChoice ? renderChoice({ name: 'company', label: 'Company', value: '', options: companies, hint: 'You belong to several companies. Choose one and enter your password again.' }, null) : ''}
        ${renderField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: hasChoice }, null)}
        <button class="primary">Sign in</button>
      </form>
      <p class="hint">Forgot your password? Ask an administrator of your company for a link to set a new one.</p>`,
  })
}
