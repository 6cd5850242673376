import type { FastifyReply } from 'fastify'
import type { PasswordUser } from '#accounts/users/password-users'
import { problem } from '#domain/errors'
import { findSessionCompany } from '#http/access/session'
import { buildUrl, readOwnPath } from '#wording/navigation'
import { type FormProblem, renderChoice, renderField, renderHidden } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { keepForm } from '../parts/kept-form.ts'
import { sendCardPage } from '../parts/layout.ts'
import type { PageServices } from '../parts/page-services.ts'
import { type Destination, renderDestination } from './destination.ts'
import { FORGOT_PASSWORD_PATH } from './set-password.ts'
import { findSupport, renderPasskeyForm } from './passkey-form.ts'

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
export function askToSignIn(
  reply: FastifyReply,
  services: PageServices,
  pages: ReadonlySet<string>,
): FastifyReply | Promise<FastifyReply> {
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
): Promise<FastifyReply> {
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
  const ofOneCompany = html`<p class="hint">
    This page signs you in to one company. <a href="/sign-in">Use another one</a>
  </p>`
  return sendCardPage(reply, {
    title: 'Sign in',
    problem,
    body: html`${notFound === null ? '' : html`<p>${NOT_FOUND[notFound]}</p>`}
      <form method="post" action="/sign-in" class="stack">
        ${renderDestination(destination)}
        ${tries === 0 ? '' : renderHidden('tries', tries)}
        ${hasChoice || company === '' ? '' : renderHidden('company', company)}
        ${renderField(emailField, null)} ${hasChoice ? renderChoice(companyField, null) : ''}
        ${renderField(passwordField, null)}
        <button class="primary">Sign in</button>
        ${hasProvider ? html`<button name="way" value="provider">Continue with single sign-on</button>` : ''}
      </form>
      ${hasPasskeys ? renderPasskeyForm(destination) : ''}
      <p class="hint">${renderForgotten(services, company)}</p>
      ${company === '' ? '' : ofOneCompany}`,
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

function renderForgotten({ company: { outbox } }: PageServices, company: string): Html {
  return outbox
    ? html`<a href="${buildUrl(FORGOT_PASSWORD_PATH, { company })}">Forgot your password?</a>`
    : html`Forgot your password? Ask an administrator of your company for a link to set a new one.`
}
