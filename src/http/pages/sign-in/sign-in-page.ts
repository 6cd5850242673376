import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSignInPlace } from '../../../accounts/sign-in/find-sign-in-place.ts'
import { signIn, type SignInOutcome } from '../../../accounts/sign-in/sign-in-with-password.ts'
import { MAX_EMAIL_CHARACTERS, readEmailAddress } from '../../../domain/attributes.ts'
import { type Problem, problem } from '../../../domain/errors.ts'
import { MAX_PASSWORD_CHARACTERS } from '../../../domain/accounts/user-lifecycle.ts'
import type { PasswordUser } from '../../../accounts/users/password-users.ts'
import { type KnownBrowser, recognizeBrowser } from '../../access/known-browser.ts'
import type { SealedCookie } from '../../access/sealed-cookie.ts'
import { describeSession, findSessionUser, sessionCookie } from '../../access/session.ts'
import {
  type FormProblem,
  readFormFields,
  renderChoice,
  renderField,
  renderFormAlert,
  toFormProblem,
} from '../parts/form.ts'
import { buildUrl, companyPath, readOwnPath } from '../parts/addresses.ts'
import { html, type Html } from '../parts/html.ts'
import { keepForm } from '../parts/kept-form.ts'
import { sendCardPage } from '../parts/layout.ts'
import { findHome } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { type Destination, readDestination, renderDestination } from './destination.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { FORGOT_PASSWORD_PATH } from './forgot-password.ts'
import { keepAuthorizationRequest, type AuthorizationRequest } from './authorization-request.ts'
import { findSupport, renderPasskeyForm } from './passkey-form.ts'
import { readCompany } from './named-company.ts'
import { addPasskeySignIn } from './passkey-sign-in.ts'
import { addSecondStep, type SecondStepPage } from './second-step.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'

/** The values with which the form is shown. */
interface SignInForm extends Destination {
  email: string
  /** The first step may lead to the provider of a company; the second wants the password. */
  step: 'email' | 'password'
  /** The company to sign in to; empty if none is named. */
  company: string
  /** How often the form was refused. */
  tries: number
  /** The users to choose from. */
  choices: PasswordUser[]
  /** What single sign-on could not find. */
  notFound: 'nothing' | 'one provider' | null
}

interface SignInOptions {
  limits: SignInLimits
  authorizationRequests: SealedCookie<AuthorizationRequest>
}

const EMPTY: SignInForm = {
  email: '',
  next: '',
  kept: null,
  step: 'email',
  company: '',
  tries: 0,
  choices: [],
  notFound: null,
}
/** Far more than the limits of failed sign-ins allow. */
const MAX_TRIES = 1_000

/**
 * `/sign-in`: asks for the email and the password. Without a password, it leads to the provider of the user's company if
 * there is one. Everyone else is asked for the password again, strangers too.
 */
export function addSignInPage(app: FastifyInstance, services: PageServices, options: SignInOptions): void {
  const { access, sessions } = services
  app.get('/sign-in', async (request, reply) => {
    const fields = readFormFields(request.query)
    const next = readOwnPath(fields['next'])
    const company = readCompany(fields)
    const user = await findSessionUser(access, request, sessions, 'touch')
    if (user) return reply.redirect(next || findHome(user.role), 303)
    if (fields['with'] !== 'password') return sendSignInForm(services, reply, { ...EMPTY, next, company }, null)
    // From the page of a company with a provider: with the email that was typed before.
    const authorizationRequest = options.authorizationRequests.read(request)
    const typed = authorizationRequest && {
      email: authorizationRequest.email ?? '',
      next: authorizationRequest.next,
      kept: authorizationRequest.kept,
    }
    return sendSignInForm(services, reply, { ...EMPTY, next, ...typed, company, step: 'password' }, null)
  })

  const show = (reply: FastifyReply, destination: Destination, refusal: Problem) =>
    sendSignInForm(services, reply, { ...EMPTY, ...destination }, refusal)
  addPasskeySignIn(app, services, { limits: options.limits, show })
  const secondStep = addSecondStep(app, services, { limits: options.limits, show })

  app.post('/sign-in', async (request, reply) => {
    const fields = readFormFields(request.body)
    const email = (fields['email'] ?? '').trim().slice(0, MAX_EMAIL_CHARACTERS)
    const step = (fields['password'] ?? '') === '' || fields['way'] === 'provider' ? 'email' : 'password'
    const tries = Math.min(MAX_TRIES, Math.trunc(Number(fields['tries'])) || 0)
    const named = { company: readCompany(fields), tries: Math.max(0, tries) }
    const form: SignInForm = { ...EMPTY, email, step, ...named, ...readDestination(fields) }
    try {
      return await (step === 'email' ? chooseWay : trySignIn)(
        services,
        { ...options, secondStep },
        { request, reply, form },
      )
    } catch (error) {
      if (reply.metLimit !== 'sign-in') throw error
      return sendSignInForm(services, reply.code(429), form, toFormProblem(error))
    }
  })
}

/**
 * Answers a request that needs a session. A page is shown after signing in. A form, which has not been carried out, is
 * shown again. `pages` are the routes of the pages.
 */
export function askToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  services: PageServices,
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
const NO_PASSWORD = problem('invalid_credentials', 'Enter your password.')
const NO_EMAIL = problem('invalid_credentials', 'Enter your email address.')

interface StepOptions extends SignInOptions {
  secondStep: SecondStepPage
}

interface Sent {
  request: FastifyRequest
  reply: FastifyReply
  form: SignInForm
}

/** Leads to the provider of the user's company, or asks for the password. Strangers are asked for one too. */
async function chooseWay(
  services: PageServices,
  { limits, authorizationRequests }: StepOptions,
  { request, reply, form }: Sent,
): Promise<FastifyReply> {
  const { value, errors } = readEmailAddress(form.email)
  if (errors) return sendSignInForm(services, reply.code(401), form, NO_EMAIL)
  limits.countQuestion(request, reply)
  const email = value
  const known = await recognizeBrowser(services, request, { email })
  const place = await findSignInPlace(services.accessPool, email, known?.users ?? [])
  if (place.at !== 'provider') return askForPassword(services, { request, reply, form }, place.at)
  const { companyId } = place
  const { next, kept } = form
  const authorizationRequest: AuthorizationRequest = {
    companyId,
    email,
    purpose: { to: 'sign in' },
    flow: null,
    next,
    kept,
  }
  // Without a key, the company's page says what is missing.
  if (services.providers.secrets.hasKey) keepAuthorizationRequest(authorizationRequests, reply, authorizationRequest)
  return reply.redirect(companyPath(companyId), 303)
}

/** Asks for the password: says that it is missing or, after single sign-on was chosen, what was not found. */
function askForPassword(
  services: PageServices,
  { request, reply, form }: Sent,
  place: 'several' | 'here',
): Promise<FastifyReply> {
  const fields = readFormFields(request.body)
  const wantsProvider = fields['way'] === 'provider'
  const isMissing = 'password' in fields && !wantsProvider
  if (isMissing) void reply.code(NO_PASSWORD.status)
  const notFound = place === 'several' ? 'one provider' : wantsProvider ? 'nothing' : null
  return sendSignInForm(services, reply, { ...form, step: 'password', notFound }, isMissing ? NO_PASSWORD : null)
}

async function trySignIn(
  services: PageServices,
  { limits, secondStep }: StepOptions,
  { request, reply, form }: Sent,
): Promise<FastifyReply> {
  const { accessPool, failures, sessions } = services
  const { email: typed = '', password = '' } = readFormFields(request.body)
  const sent = typed.trim()
  const { value, errors } = readEmailAddress(sent)
  const email = errors ? sent : value
  // Counts characters, not UTF-16 code units, as where passwords are set.
  const isPassword = password !== '' && [...password].length <= MAX_PASSWORD_CHARACTERS
  const { company, tries } = form
  const named = company === '' ? null : [company]
  const tried = await limits.attempt<SignInOutcome, KnownBrowser>(request, reply, {
    kind: 'sign-in',
    whose: email,
    async recognize() {
      const known = await recognizeBrowser(services, request, { email })
      const isMeant = company === '' || known?.users.some(({ companyId }) => companyId === company)
      return isMeant ? known : null
    },
    async check(known) {
      if (errors || !isPassword) return { outcome: { outcome: 'refused' }, hasFailed: true }
      // A browser is known for these users, and not for all who have the email.
      const companyIds = named ?? known?.users.map(({ companyId }) => companyId) ?? null
      const session = describeSession(request, sessions)
      const outcome = await signIn({ pool: accessPool, failures }, { email, companyIds, password, tries }, session)
      return { outcome, hasFailed: outcome.outcome === 'refused' }
    },
  })
  switch (tried.outcome) {
    case 'refused':
      return sendSignInForm(services, reply.code(401), { ...form, tries: tries + 1 }, REFUSED)
    case 'choose':
      return sendSignInForm(services, reply, { ...form, choices: tried.users }, null)
    case 'second step':
      return secondStep.ask(reply, tried.user, form)
    case 'signed in': {
      const { companyId, userId, role } = tried.user
      const next = form.next || findHome(role)
      return finishSignIn(services, request, reply, { cookie: tried.cookie, companyId, userId, next, kept: form.kept })
    }
  }
}

function sendSignInForm(
  services: PageServices,
  reply: FastifyReply,
  form: SignInForm,
  problem: FormProblem,
): Promise<FastifyReply> {
  const companies = form.choices.map(({ companyId, companyName }) => ({ value: companyId, label: companyName }))
  const hasChoice = companies.length > 0
  const isPasswordStep = form.step === 'password'
  const hasEmail = form.email !== ''
  const hasPasskeys = findSupport(services).party !== null
  // Where a provider may be behind an email.
  const hasProvider = !isPasswordStep && services.providers.secrets.hasKey && services.sessions.publicUrl !== null
  return sendCardPage(reply, {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      ${renderFormAlert(problem)}
      ${form.notFound === null ? '' : html`<p>${NOT_FOUND[form.notFound]}</p>`}
      <form method="post" action="/sign-in" class="stack">
        ${renderDestination(form)}
        ${form.tries === 0 ? '' : html`<input type="hidden" name="tries" value="${form.tries}" />`}
        ${hasChoice || form.company === '' ? '' : html`<input type="hidden" name="company" value="${form.company}" />`}
        ${renderField({ name: 'email', label: 'Email', value: form.email, type: 'email', autocomplete: hasPasskeys ? 'username webauthn' : 'username', hasFocus: !hasEmail }, null)}
        ${hasChoice ? renderChoice({ name: 'company', label: 'Company', value: '', options: companies, hint: 'You belong to several companies. Choose one and enter your password again.' }, null) : ''}
        ${renderField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isRequired: !hasProvider, hasFocus: hasEmail }, null)}
        <button class="primary">Sign in</button>
        ${hasProvider ? html`<button name="way" value="provider">Continue with single sign-on</button>` : ''}
      </form>
      ${hasPasskeys ? renderPasskeyForm(form) : ''}
      <p class="hint">${renderForgotten(services, form.company)}</p>
      ${form.company === '' ? '' : html`<p class="hint">This page signs you in to one company. <a href="/sign-in">Use another one</a></p>`}`,
  })
}

/** The same for everybody: it does not tell whether anybody has the email. */
const NOT_FOUND: Record<NonNullable<SignInForm['notFound']>, string> = {
  nothing:
    'Single sign-on is not set up for this email, or you have not used it yet. Open the sign-in link of your company, or enter a password.',
  'one provider':
    'Several companies use single sign-on for this email. Open the sign-in link of the one you want, or enter a password.',
}

function renderForgotten({ company: { outbox } }: PageServices, company: string): Html {
  return outbox
    ? html`<a href="${buildUrl(FORGOT_PASSWORD_PATH, { company })}">Forgot your password?</a>`
    : html`Forgot your password? Ask an administrator of your company for a link to set a new one.`
}
