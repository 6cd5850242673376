import type { FastifyInstance, FastifyReply } from 'fastify'
import { findSignInPlace } from '#accounts/sign-in/known-users'
import { signIn, type SignInOutcome } from '#accounts/sign-in/sign-in-with-password'
import { MAX_EMAIL_CHARACTERS, readEmailAddress } from '#domain/attributes'
import { problem } from '#domain/errors'
import { MAX_PASSWORD_CHARACTERS } from '#domain/accounts/user-lifecycle'
import { type KnownBrowser, recognizeBrowser } from '#http/access/known-browser'
import { describeSession, findSessionUser } from '#http/access/session'
import { readFormFields, toFormProblem } from '../parts/form.ts'
import { companyPath, readOwnPath, findHome } from '#wording/navigation'
import type { PageServices } from '../parts/context.ts'
import { createAuthorizationRequests, keepAuthorizationRequest } from './provider-sign-in.ts'
import { finishSignIn, readCompany, readDestination, sendSignInForm, type SignInForm } from './sign-in-form.ts'
import { askSecondStep } from './passkey-sign-in.ts'
import { trimBlanks } from '#text/normalize-text'

/** Far more than the limits of failed sign-ins allow. */
const MAX_TRIES = 1_000

/**
 * `/sign-in`: asks for the email and the password. Without a password, it leads to the provider of the user's company if
 * there is one. Everyone else is asked for the password again, strangers too.
 */
export function addSignInPage(app: FastifyInstance, services: PageServices): void {
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
async function chooseWay(services: PageServices, reply: FastifyReply, form: SentForm): Promise<FastifyReply> {
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
function askForPassword(
  services: PageServices,
  reply: FastifyReply,
  form: SentForm,
  place: 'several' | 'here',
): Promise<FastifyReply> {
  const fields = readFormFields(reply.request.body)
  const wantsProvider = fields['way'] === 'provider'
  const isMissing = 'password' in fields && !wantsProvider
  const notFound = place === 'several' ? 'one provider' : wantsProvider ? 'nothing' : null
  return sendSignInForm(services, reply, { ...form, step: 'password', notFound }, isMissing ? NO_PASSWORD : null)
}

async function trySignIn(services: PageServices, reply: FastifyReply, form: SentForm): Promise<FastifyReply> {
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
