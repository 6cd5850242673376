import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CompanyServices } from '#accounts/change-company'
import {
  acceptInvitation,
  findInvitedUser,
  requestPasswordReset,
  RESET_LIFE_MINUTES,
} from '#accounts/users/set-password'
import { INVITATION_PATH } from '#accounts/users/email-user'
import { hashSecret } from '#accounts/users/new-secret'
import { RefusedCredentialsError, type Problem, problem, fieldError, invalidFields } from '#domain/errors'
import { companyOfSecret } from '#domain/accounts/secrets'
import { AcceptBody } from '#api/admin/user-schemas'
import { ProblemError } from '#http/server/problem'
import { clientOf } from '#http/access/session'
import { limitFailures } from '#http/access/rate-limits'
import {
  toFormProblem,
  checkForm,
  renderFields,
  readFormFields,
  type FormProblem,
  renderField,
  renderHidden,
  NEW_PASSWORD,
  requireRepeated,
} from '#pages/parts/form'
import type { UserOfLink } from '#accounts/users/user-rows'
import { readNames } from '#ledger/read/read-names'
import { html, type Html, isolate, renderActions, renderButton } from '#pages/parts/elements'
import { sendCardPage } from '#pages/parts/layout'
import { companyPath, passwordPath } from '#wording/navigation'
import type { PageServices } from '#pages/parts/context'
import { findOperatorSettings } from '#pages/providers/provider-facts'
import { keepAuthorizationRequest } from './provider-sign-in.ts'
import { createBudget } from '#admission/budget'
import { MAX_EMAIL_CHARACTERS, readEmailAddress } from '#domain/attributes'
import type { PasswordScope } from '#accounts/users/password'
import { networkOf } from '#domain/networks'
import { FORGOT_PASSWORD_PATH, readCompany } from './sign-in-form.ts'
import { trimBlanks } from '#text/normalize-text'

function describeUsedUp({ outbox }: CompanyServices): Problem {
  const remedy = outbox
    ? 'Use “Forgot your password?” on the sign-in page, or ask an administrator for a new one.'
    : 'Ask an administrator for a new one.'
  return problem('invalid_credentials', `This link is invalid, has expired, or was already used. ${remedy}`)
}

/**
 * `/invitation?token=…`: sets a password with a one-time link or, where the company requires its provider, links the user
 * to an account there. Opening the page does not use up the link.
 */
export function addInvitationPage(app: FastifyInstance, services: PageServices) {
  const { company, failureLimit } = services
  app.get(INVITATION_PATH, (request, reply) =>
    sendSetPasswordForm(services, reply, readFormFields(request.query)['token'] ?? '', null),
  )

  const accept = limitFailures(failureLimit, async (request: FastifyRequest) => {
    const fields = readFormFields(request.body)
    const { token = '', password = '' } = fields
    const body = checkForm(AcceptBody, { token, password })
    requireRepeated(fields)
    await acceptInvitation(company, { ...body, client: clientOf(request) }).catch((error: unknown) => {
      throw error instanceof RefusedCredentialsError ? new ProblemError(describeUsedUp(company)) : error
    })
  })
  app.post(INVITATION_PATH, async (request, reply) => {
    const { token = '' } = readFormFields(request.body)
    try {
      await accept(request, reply)
    } catch (error) {
      return sendSetPasswordForm(services, reply, token, toFormProblem(error))
    }
    return sendCardPage(reply, {
      title: 'Password set',
      body: html`<p>This link can't be used again.</p>
        <p>${renderButton(passwordPath(companyOfSecret('link', token)!), 'Sign in', 'primary')}</p>`,
    })
  })
}

const OWNER = {
  name: 'username',
  label: 'Email',
  type: 'email',
  autocomplete: 'username',
  isReadOnly: true,
} as const
const [PASSWORD, REPEATED] = NEW_PASSWORD

async function sendSetPasswordForm(services: PageServices, reply: FastifyReply, token: string, problem: FormProblem) {
  // Only the form of the token is checked here; whether the link still works is checked when the form is sent.
  const companyId = companyOfSecret('link', token)
  if (companyId === null) {
    return sendCardPage(reply.code(404), {
      title: 'Incomplete link',
      body: html`<p>Copy the whole link, or ask an administrator for a new one.</p>`,
    })
  }
  const invited = await findInvitedUser(services.company.pool, token)
  const invitation = invited ? await renderInvitation(services, companyId, invited) : html``
  if (invited && invited.requiredProvider !== null)
    return sendToProvider(services, reply, { ...invited, companyId, token }, invitation)
  const owner = invited ? [{ ...OWNER, value: invited.email }] : []
  return sendCardPage(reply, {
    title: 'Set your password',
    problem,
    body: html`${invitation}
      <form method="post" action="${INVITATION_PATH}" class="stack">
        ${renderHidden('token', token)}
        ${renderFields([...owner, { ...PASSWORD, hasFocus: true }, REPEATED], {}, problem)}
        <button class="primary">Set password</button>
      </form>`,
  })
}

/** Says which company the link is for, and to new users, who invited them. */
async function renderInvitation({ access }: PageServices, companyId: string, { companyName, invitedBy }: UserOfLink) {
  const inviter = (await readNames(access, companyId, [invitedBy])).get(invitedBy)
  const company = html`<strong>${isolate(companyName)}</strong>`
  return inviter === undefined
    ? html`<p>For your account at ${company}.</p>`
    : html`<p>${isolate(inviter)} invited you to ${company}.</p>`
}

/** Leads to the provider, to link the user there: a password would be of no use. */
async function sendToProvider(
  services: PageServices,
  reply: FastifyReply,
  { companyId, token, userId, email, requiredProvider }: UserOfLink & { companyId: string; token: string },
  invitation: Html,
) {
  // The company's own page says what the operator must set.
  if (findOperatorSettings(services, companyId).missing) return reply.redirect(companyPath(companyId), 303)
  const purpose = { to: 'link', userId, linkHash: hashSecret(token).toString('base64url') } as const
  const authorizationRequest = { companyId, email, purpose, flow: null, next: '', kept: null }
  keepAuthorizationRequest(services, reply, authorizationRequest)
  return sendCardPage(reply, {
    title: 'No password needed',
    body: html`${invitation}
      <p>
        Your company signs in with ${isolate(requiredProvider)}. Sign in there with your own account. From then on, it
        signs you in here as ${isolate(email)}, and this link can't be used again.
      </p>
      <p>
        <a class="button primary" href="${companyPath(companyId)}/start?link=1">
          Continue to ${isolate(requiredProvider)}</a
        >
      </p>`,
  })
}

/** Requests that wait until the one before has been carried out; those of a network are a quarter at most. */
const WAITING = 400
const MAX_WAIT_MS = 60_000

/**
 * `/sign-in/forgot-password`: sends links to set a new password, where the service sends email. The answer is the same
 * whether or not a user has the address, and so is the time it takes: the search begins after the answer. If the process
 * ends in between, the person asks again.
 */
export function addForgotPassword(app: FastifyInstance, services: PageServices) {
  // One at a time: signing in needs the other connections.
  const turns = createBudget({ total: 1, maxWaiting: WAITING, maxWaitMs: MAX_WAIT_MS })
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => void (await Promise.all(running)))

  /** Prepares what is done after the answer. */
  function prepare(request: FastifyRequest, scope: PasswordScope) {
    const { log } = request
    const resetting = { pool: services.accessPool, outbox: requireOutbox(services) }
    // Once the connection is closed, it has no address.
    const [sender, network] = [clientOf(request), networkOf(request.ip, 48)]
    return () => {
      const done = turns
        .hold(network, 1, undefined, () => requestPasswordReset(resetting, scope, sender))
        .catch((error: unknown) => log.warn({ err: error }, 'could not send a link to set a new password'))
        .finally(() => running.delete(done))
      running.add(done)
    }
  }

  app.get(FORGOT_PASSWORD_PATH, async (request, reply) => {
    requireOutbox(services)
    return sendForm(reply, '', readCompany(readFormFields(request.query)), null)
  })
  app.post(FORGOT_PASSWORD_PATH, async (request, reply) => {
    const fields = readFormFields(request.body)
    const typed = trimBlanks(fields['email'] ?? '').slice(0, MAX_EMAIL_CHARACTERS)
    const company = readCompany(fields)
    const { value, errors } = readEmailAddress(typed)
    if (errors) return sendForm(reply, typed, company, NO_EMAIL)
    const email = value
    const send = prepare(request, { email, companyIds: company === '' ? null : [company] })
    try {
      services.signIns.count(reply, 'password reset', email)
    } catch (error) {
      return sendForm(reply, typed, company, toFormProblem(error))
    }
    reply.raw.once('close', send)
    return sendAnswer(reply, typed)
  })
}

function requireOutbox({ company: { outbox } }: PageServices) {
  if (!outbox) throw new ProblemError(NO_PAGE)
  return outbox
}

const NO_PAGE = problem('route_not_found', 'There is no page at this address')
const NO_EMAIL = invalidFields([fieldError('/email', 'invalid_format', 'Enter an email address')])

const EMAIL = { name: 'email', label: 'Email', type: 'email', autocomplete: 'username', hasFocus: true } as const

/** `company` is the one whose password is meant; empty for all of them. */
function sendForm(reply: FastifyReply, email: string, company: string, problem: FormProblem) {
  return sendCardPage(reply, {
    title: 'Forgot your password?',
    problem,
    body: html`<p>Enter the email address with which you sign in. You'll get a link to set a new password.</p>
      <form method="post" action="${FORGOT_PASSWORD_PATH}" class="stack">
        ${renderHidden('company', company)}
        ${renderField({ ...EMAIL, value: email }, problem)}
        <div class="actions"><button class="primary">Send link</button>${renderButton('/sign-in', 'Cancel')}</div>
      </form>`,
  })
}

function sendAnswer(reply: FastifyReply, email: string) {
  return sendCardPage(reply, {
    title: 'Check your email',
    body: html`<p>
        If you sign in with ${isolate(email)} and a password, you'll get a message with a link to set a
        new one. The link works once, for ${RESET_LIFE_MINUTES} minutes. Until you use it, your password stays as it is.
      </p>
      <p>No message? Look in your spam folder, or ask an administrator of your company for a link.</p>
      ${renderActions(renderButton('/sign-in', 'Back to sign-in'))}`,
  })
}
