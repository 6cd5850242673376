import type { FastifyReply } from 'fastify'
import { findPasskeySupport } from '#accounts/passkeys/webauthn'
import { recordSessionEvents } from '#accounts/record-session-events'
import { endSession } from '#accounts/users/sessions'
import { isId } from '#domain/ids'
import { clientOf, findSessionUser, sessionCookie, setSessionCookie, findSessionCompany } from '#http/access/session'
import { rememberUser } from '#http/access/known-browser'
import { readOwnPath, buildUrl } from '#wording/navigation'
import type { PasswordUser } from '#accounts/users/password'
import { problem } from '#domain/errors'
import { assetUrl } from '#pages/assets/assets'
import { html, renderHint } from '#pages/parts/elements'
import type { PageServices } from '#pages/parts/context'
import { type FormFields, renderHidden, type FormProblem, renderChoice, renderField } from '#pages/parts/form'
import { type KeptForm, readKeptForm, renderKeptForm, sendWayBack, keepForm } from '#pages/parts/kept-form'
import { sendCardPage } from '#pages/parts/layout'

export const PASSKEY_PATH = '/sign-in/passkey'
export const FORGOT_PASSWORD_PATH = '/sign-in/forgot-password'

/** Finds out whether passkeys work at the address of this service. */
export function findSupport({ sessions, providers }: Pick<PageServices, 'sessions' | 'providers'>) {
  return findPasskeySupport(sessions.publicUrl, providers.secrets.hasKey)
}

/** Renders the button that signs in with a passkey. It is shown only where scripts run and the browser has passkeys. */
export function renderPasskeyForm(destination: Destination) {
  return html`<p class="alert" role="alert" data-passkey-fault hidden></p>
    <form method="post" action="${PASSKEY_PATH}" class="stack" data-passkey="use" hidden>
      ${renderDestination(destination)}
      <input type="hidden" name="response" />
      <p class="or" aria-hidden="true">or</p>
      <button>Sign in with a passkey</button>
    </form>
    <script src="${assetUrl('passkeys.js')}" type="module"></script>`
}

/** Where a sign-in leads to. */
export interface Destination {
  /** A path of this service; empty for the home page. */
  next: string
  /** The form to go back to, if one was sent without a session. */
  kept: KeptForm | null
}

/** Renders the destination as hidden inputs. */
export function renderDestination({ next, kept }: Destination) {
  return html`${renderHidden('next', next)}${renderKeptForm(kept)}`
}

/** Reads the hidden inputs of `renderDestination`. */
export function readDestination(sent: FormFields) {
  return { next: readOwnPath(sent['next']), kept: readKeptForm(sent) }
}

/** Reads the company that a link or a form names, so that only its user signs in; empty if none is named. */
export function readCompany({ company = '' }: FormFields) {
  return isId('com', company) ? company : ''
}

interface Finished extends Destination {
  /** The cookie of the new session. */
  cookie: string
  companyId: string
  userId: string
}

/** Gives the browser its new session, ends the previous one, remembers the user, and goes where the person wants to. */
export async function finishSignIn(
  services: PageServices,
  reply: FastifyReply,
  { cookie, companyId, userId, next, kept }: Finished,
) {
  const { access, accessPool, company, sessions } = services
  const { request } = reply
  const former = sessionCookie(request, sessions)
  const formerUser = await findSessionUser(access, request, sessions, 'peek')
  if (former !== null && formerUser) {
    await endSession(accessPool, formerUser, { cookie: former, client: clientOf(request), why: 'signed in again' })
    if (formerUser.companyId !== companyId) await recordSessionEvents(company, formerUser.companyId)
  }
  await recordSessionEvents(company, companyId)
  setSessionCookie(reply, sessions, cookie)
  await rememberUser(services, reply, { companyId, userId })
  return kept?.companyId === companyId ? sendWayBack(reply, kept) : reply.redirect(next || '/', 303)
}

/** The values with which the form is shown. */
export interface SignInForm extends Destination {
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

/**
 * Answers a request that needs a session. A page is shown after signing in. A form, which has not been carried out, is
 * shown again. `pages` are the routes of the pages.
 */
export function askToSignIn(reply: FastifyReply, services: PageServices, pages: ReadonlySet<string>) {
  const { request } = reply
  if (request.headers['sec-fetch-mode'] === 'cors') return reply.code(401).send()
  if (request.method !== 'POST') return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303)
  const [path = ''] = request.url.split('?', 1)
  // The path of a form that has no page of its own continues the path of the page.
  const next = pages.has(request.routeOptions.url ?? '') ? path : path.slice(0, path.lastIndexOf('/'))
  const form = { next: readOwnPath(next), kept: keepForm(request, findSessionCompany(request, services.sessions)) }
  return sendSignInForm(services, reply, form, form.kept ? ENDED_AND_KEPT : ENDED)
}

const ENDED = problem('invalid_credentials', 'Your session has ended. Nothing was changed. Sign in and try again.')
const ENDED_AND_KEPT = problem(
  'invalid_credentials',
  'Your session has ended. Nothing was changed. Sign in to get back to what you entered.',
)

/** Sends the sign-in form with the values that are given. One that was refused says why. */
export function sendSignInForm(
  services: PageServices,
  reply: FastifyReply,
  given: Partial<SignInForm>,
  problem: FormProblem = null,
) {
  const { next = '', kept = null, email = '', step = 'email', company = '', tries = 0, notFound = null } = given
  const destination = { next, kept }
  const companies = (given.choices ?? []).map(({ companyId: value, companyName: label }) => ({ value, label }))
  const hasChoice = companies.length > 0
  const isPasswordStep = step === 'password'
  const hasEmail = email !== ''
  const hasPasskeys = findSupport(services).party !== null
  // Where a provider may be behind an email.
  const hasProvider = !isPasswordStep && services.providers.secrets.hasKey && services.sessions.publicUrl !== null
  const emailField = {
    name: 'email',
    label: 'Email',
    value: email,
    type: 'email',
    autocomplete: hasPasskeys ? 'username webauthn' : 'username',
    hasFocus: !hasEmail,
  } as const
  const companyField = {
    name: 'company',
    label: 'Company',
    value: '',
    options: companies,
    hint: 'You belong to several companies. Choose one and enter your password again.',
  }
  const passwordField = {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    isRequired: !hasProvider,
    hasFocus: hasEmail,
  } as const
  const ofOneCompany = renderHint(html`This page signs you in to one company. <a href="/sign-in">Use another one</a>`)
  return sendCardPage(reply, {
    title: 'Sign in',
    problem,
    body: html`${notFound !== null && html`<p>${NOT_FOUND[notFound]}</p>`}
      <form method="post" action="/sign-in" class="stack">
        ${renderDestination(destination)}
        ${tries !== 0 && renderHidden('tries', tries)}
        ${!(hasChoice || company === '') && renderHidden('company', company)}
        ${renderField(emailField, null)} ${hasChoice && renderChoice(companyField, null)}
        ${renderField(passwordField, null)}
        <button class="primary">Sign in</button>
        ${hasProvider && html`<button name="way" value="provider">Continue with single sign-on</button>`}
      </form>
      ${hasPasskeys && renderPasskeyForm(destination)}
      <p class="hint">${renderForgotten(services, company)}</p>
      ${company !== '' && ofOneCompany}`,
  })
}

/** The same for everybody: it does not tell whether anybody has the email. */
const NOT_FOUND: Record<NonNullable<SignInForm['notFound']>, string> = {
  nothing:
    'Single sign-on is not set up for this email, or you have not used it yet. Open the sign-in link of your ' +
    'company, or enter a password.',
  'one provider':
    'Several companies use single sign-on for this email. Open the sign-in link of the one you want, or enter a ' +
    'password.',
}

function renderForgotten({ company: { outbox } }: PageServices, company: string) {
  return outbox
    ? html`<a href="${buildUrl(FORGOT_PASSWORD_PATH, { company })}">Forgot your password?</a>`
    : html`Forgot your password? Ask an administrator of your company for a link to set a new one.`
}
