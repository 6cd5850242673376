import type { FastifyInstance, FastifyReply } from 'fastify'
import { databaseTime } from '#postgres/database-clock'
import { type Challenge, signInWithPasskey } from '#accounts/sign-in/sign-in-with-passkey'
import { makeRequestOptions, readAssertion } from '#accounts/passkeys/webauthn'
import { type Problem, problem } from '#domain/errors'
import { recognizeBrowser, type KnownBrowser } from '#http/access/known-browser'
import { createSealedCookie, type SealedCookie } from '#http/access/sealed-cookie'
import { describeSession, findSessionUser } from '#http/access/session'
import { ProblemError, problemError } from '#http/server/problem'
import { companyPath, readOwnPath, findHome } from '#wording/navigation'
import { readFormFields, toFormProblem, type FormProblem, renderField } from '#pages/parts/form'
import type { PageServices } from '#pages/parts/context'
import type { PasswordUser } from '#accounts/users/password'
import { html } from '#pages/parts/elements'
import { sendCardPage } from '#pages/parts/layout'
import { findSignInPlace } from '#accounts/sign-in/known-users'
import {
  signIn,
  type SignInOutcome,
  beginSecondStep,
  type SecondStep,
  signInWithRecoveryCode,
} from '#accounts/sign-in/sign-in-with-password'
import { MAX_EMAIL_CHARACTERS, readEmailAddress } from '#domain/attributes'
import { MAX_PASSWORD_CHARACTERS } from '#domain/accounts/user-lifecycle'
import { trimBlanks } from '#text/normalize-text'
import {
  finishSignIn,
  readDestination,
  type Destination,
  renderDestination,
  findSupport,
  PASSKEY_PATH,
  renderPasskeyForm,
  sendSignInForm,
  readCompany,
  type SignInForm,
} from './sign-in-form.ts'
import { createAuthorizationRequests, keepAuthorizationRequest } from './provider-sign-in.ts'

const LIFE_SECONDS = 5 * 60

const OUTDATED = problem('invalid_credentials', 'That took too long, or you began again in another tab. Try again.')
const REFUSED_PASSKEY = problem(
  'invalid_credentials',
  'This passkey does not sign you in. It may have been removed. Sign in another way.',
)

/** `/sign-in/passkey`: signing in with a passkey alone, without an email and a password. */
export function addPasskeySignIn(app: FastifyInstance, services: PageServices) {
  const { accessPool: pool, company, failures, sessions, signIns } = services
  const challenges = createSealedCookie<Challenge>(services, 'passkey-challenge', LIFE_SECONDS)

  app.post(`${PASSKEY_PATH}/options`, async (_request, reply) => {
    const { party, reason } = findSupport(services)
    if (party === null) throw problemError('unavailable', `Passkeys are unavailable. ${reason}`)
    const options = await makeRequestOptions(party)
    challenges.set(reply, { challenge: options.challenge, challengedAt: databaseTime() })
    return reply.header('cache-control', 'no-store').send(options)
  })

  app.post(PASSKEY_PATH, async (request, reply) => {
    const fields = readFormFields(request.body)
    const destination = readDestination(fields)
    const refuse = (refusal: Problem) => sendSignInForm(services, reply, destination, refusal)
    const challenge = challenges.read(request)
    challenges.clear(reply)
    if (challenge === null) return refuse(OUTDATED)
    const { party } = findSupport(services)
    const assertion = readAssertion(fields['response'] ?? '')
    if (party === null || assertion === null) return refuse(REFUSED_PASSKEY)
    const { owner, credentialId } = assertion
    try {
      // Counted by passkey: whoever knows only whose it is cannot keep that person out.
      const tried = await signIns.attempt(reply, {
        kind: 'sign-in',
        whose: `passkey ${credentialId.toString('hex')}`,
        recognize: () => recognizeBrowser(services, request, owner),
        check: () => {
          const used = { company, pool, failures, session: describeSession(request, sessions) }
          return signInWithPasskey(used, party, challenge, assertion)
        },
        hasFailed: ({ outcome }) => ['refused', 'copied'].includes(outcome),
      })
      if (tried.outcome === 'copied')
        request.log.warn(
          { ...owner, passkeyId: tried.passkeyId },
          'a passkey may have been copied: its counter went back',
        )
      if (tried.outcome === 'provider required') return await reply.redirect(companyPath(owner.companyId), 303)
      if (tried.outcome === 'outdated') return await refuse(OUTDATED)
      if (tried.outcome !== 'signed in') return await refuse(REFUSED_PASSKEY)
      return await finishSignIn(services, reply, { ...destination, ...owner, cookie: tried.cookie })
    } catch (error) {
      return refuse(toFormProblem(error))
    }
  })
}

const PATH = '/sign-in/recovery-code'
const STEP_SECONDS = 10 * 60

const NO_KEY = problem(
  'secrets_key_missing',
  'You have passkeys, and this service cannot ask for them. Tell its operator to set SECRETS_KEY',
)
const TOO_LATE = problem('invalid_credentials', 'That took too long. Sign in again.')
const UNKNOWN_CODE = problem('invalid_credentials', 'This is not one of your unused recovery codes')

/** Creates the cookie of those who have given the right password. */
function createSteps(services: PageServices): SealedCookie<SecondStep> {
  return createSealedCookie(services, 'second-step', STEP_SECONDS)
}

/** Asks someone who has given the right password for a passkey or a recovery code. */
async function askSecondStep(
  services: PageServices,
  reply: FastifyReply,
  user: PasswordUser,
  destination: Destination,
) {
  if (!services.providers.secrets.hasKey) throw new ProblemError(NO_KEY)
  createSteps(services).set(reply, beginSecondStep(user))
  return sendSecondStep(services, reply, destination, null)
}

/** `/sign-in/recovery-code`: the second step of users with passkeys who sign in with a password. */
export function addSecondStep(app: FastifyInstance, services: PageServices) {
  const { accessPool: pool, company, failures, sessions, signIns } = services
  const steps = createSteps(services)
  app.post(PATH, async (request, reply) => {
    const fields = readFormFields(request.body)
    const destination = readDestination(fields)
    const step = steps.read(request)
    if (step === null) return sendSignInForm(services, reply, destination, TOO_LATE)
    try {
      const { companyId, userId } = step
      const cookie = await signIns.attempt(reply, {
        kind: 'sign-in',
        whose: `recovery code ${userId}`,
        recognize: () => recognizeBrowser(services, request, step),
        check: () => {
          const session = describeSession(request, sessions)
          return signInWithRecoveryCode({ company, pool, failures, session }, step, fields['code'] ?? '')
        },
        hasFailed: (cookie) => cookie === null,
      })
      if (cookie === null) throw new ProblemError(UNKNOWN_CODE)
      steps.clear(reply)
      return await finishSignIn(services, reply, { ...destination, cookie, companyId, userId })
    } catch (error) {
      return sendSecondStep(services, reply, destination, toFormProblem(error))
    }
  })
}

function sendSecondStep(services: PageServices, reply: FastifyReply, destination: Destination, problem: FormProblem) {
  const code = {
    name: 'code',
    label: 'Recovery code',
    maxLength: 100,
    hint: 'Each code works once.',
  }
  return sendCardPage(reply, {
    title: 'Sign in',
    heading: 'One more step',
    problem,
    body: html`<p>Your password is right. You have passkeys, so use one of them now, or a recovery code.</p>
      ${findSupport(services).party !== null && renderPasskeyForm(destination)}
      <form method="post" action="${PATH}" class="stack">
        ${renderDestination(destination)}
        ${renderField(code, problem)}
        <button class="primary">Continue</button>
      </form>
      <p class="hint">
        No passkey and no recovery code? Ask an administrator of your company to reset your password.
        <a href="/sign-in">Sign in as someone else</a>
      </p>`,
  })
}

/** Far more than the limits of failed sign-ins allow. */
const MAX_TRIES = 1_000

/**
 * `/sign-in`: asks for the email and the password. Without a password, it leads to the provider of the user's company if
 * there is one. Everyone else is asked for the password again, strangers too.
 */
export function addSignInPage(app: FastifyInstance, services: PageServices) {
  const { access, sessions } = services
  const authorizationRequests = createAuthorizationRequests(services)
  app.get('/sign-in', async (request, reply) => {
    const fields = readFormFields(request.query)
    const next = readOwnPath(fields['next'])
    const company = readCompany(fields)
    const user = await findSessionUser(access, request, sessions, 'touch')
    if (user) return reply.redirect(next || findHome(user.role), 303)
    if (fields['with'] !== 'password') return sendSignInForm(services, reply, { next, company })
    // From the page of a company with a provider: with the email that was typed before.
    const pending = authorizationRequests.read(request) ?? { email: null, next, kept: null }
    const typed = { email: pending.email ?? '', next: pending.next, kept: pending.kept }
    return sendSignInForm(services, reply, { ...typed, company, step: 'password' })
  })

  app.post('/sign-in', async (request, reply) => {
    const fields = readFormFields(request.body)
    const email = trimBlanks(fields['email'] ?? '').slice(0, MAX_EMAIL_CHARACTERS)
    const step = (fields['password'] ?? '') === '' || fields['way'] === 'provider' ? 'email' : 'password'
    const tries = Math.min(MAX_TRIES, Math.trunc(Number(fields['tries'])) || 0)
    const named = { company: readCompany(fields), tries: Math.max(0, tries) }
    const form = { email, step, ...named, ...readDestination(fields) } as const
    try {
      return await (step === 'email' ? chooseWay : trySignIn)(services, reply, form)
    } catch (error) {
      if (reply.metLimit !== 'sign-in') throw error
      return sendSignInForm(services, reply, form, toFormProblem(error))
    }
  })
}

const REFUSED = problem('invalid_credentials', 'The email or password is incorrect.')
const NO_PASSWORD = problem('invalid_credentials', 'Enter your password.')
const NO_EMAIL = problem('invalid_credentials', 'Enter your email address.')

/** The values that every form that was sent has. */
type SentForm = Omit<SignInForm, 'choices' | 'notFound'>

/** Leads to the provider of the user's company, or asks for the password. Strangers are asked for one too. */
async function chooseWay(services: PageServices, reply: FastifyReply, form: SentForm) {
  const { value, errors } = readEmailAddress(form.email)
  if (errors) return sendSignInForm(services, reply, form, NO_EMAIL)
  services.signIns.count(reply, 'question', null)
  const email = value
  const known = await recognizeBrowser(services, reply.request, { email })
  const place = await findSignInPlace(services.accessPool, email, known?.users ?? [])
  if (place.at !== 'provider') return askForPassword(services, reply, form, place.at)
  const { companyId } = place
  const { next, kept } = form
  const authorizationRequest = { companyId, email, purpose: { to: 'sign in' }, flow: null, next, kept } as const
  // Without a key, the company's page says what is missing.
  if (services.providers.secrets.hasKey) keepAuthorizationRequest(services, reply, authorizationRequest)
  return reply.redirect(companyPath(companyId), 303)
}

/** Asks for the password: says that it is missing or, after single sign-on was chosen, what was not found. */
function askForPassword(services: PageServices, reply: FastifyReply, form: SentForm, place: 'several' | 'here') {
  const fields = readFormFields(reply.request.body)
  const wantsProvider = fields['way'] === 'provider'
  const isMissing = 'password' in fields && !wantsProvider
  const notFound = place === 'several' ? 'one provider' : wantsProvider ? 'nothing' : null
  return sendSignInForm(services, reply, { ...form, step: 'password', notFound }, isMissing ? NO_PASSWORD : null)
}

async function trySignIn(services: PageServices, reply: FastifyReply, form: SentForm) {
  const { request } = reply
  const { accessPool, failures, sessions, signIns } = services
  const { email: typed = '', password = '' } = readFormFields(request.body)
  const sent = trimBlanks(typed)
  const { value, errors } = readEmailAddress(sent)
  const email = errors ? sent : value
  // Counts characters, not UTF-16 code units, as where passwords are set.
  const isPassword = password !== '' && [...password].length <= MAX_PASSWORD_CHARACTERS
  const { company, tries } = form
  const named = company === '' ? null : [company]
  const tried = await signIns.attempt<SignInOutcome, KnownBrowser>(reply, {
    kind: 'sign-in',
    whose: email,
    async recognize() {
      const known = await recognizeBrowser(services, request, { email })
      const isMeant = company === '' || known?.users.some(({ companyId }) => companyId === company)
      return isMeant ? known : null
    },
    async check(known) {
      if (errors || !isPassword) return { outcome: 'refused' }
      // A browser is known for these users, and not for all who have the email.
      const companyIds = named ?? known?.users.map(({ companyId }) => companyId) ?? null
      const session = describeSession(request, sessions)
      return signIn({ pool: accessPool, failures }, { email, companyIds, password, tries }, session)
    },
    hasFailed: ({ outcome }) => outcome === 'refused',
  })
  switch (tried.outcome) {
    case 'refused':
      return sendSignInForm(services, reply, { ...form, tries: tries + 1 }, REFUSED)
    case 'choose':
      return sendSignInForm(services, reply, { ...form, choices: tried.users })
    case 'second step':
      return askSecondStep(services, reply, tried.user, form)
    case 'signed in': {
      const { companyId, userId, role } = tried.user
      const next = form.next || findHome(role)
      return finishSignIn(services, reply, { cookie: tried.cookie, companyId, userId, next, kept: form.kept })
    }
  }
}
