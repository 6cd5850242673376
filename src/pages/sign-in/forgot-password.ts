import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestPasswordReset, RESET_LIFE_MINUTES } from '../../accounts/users/set-password.ts'
import { createBudget } from '../../admission/budget.ts'
import { MAX_EMAIL_CHARACTERS, readEmailAddress } from '../../domain/attributes.ts'
import { problem, fieldError, invalidFields } from '../../domain/errors.ts'
import type { PasswordScope } from '../../accounts/users/password-users.ts'
import type { Outbox } from '../../accounts/mail/outbox.ts'
import { clientOf } from '../../http/access/session.ts'
import { networkOf } from '../../domain/networks.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { type FormProblem, readFormFields, renderField, toFormProblem } from '../parts/form.ts'
import { html } from '../parts/html.ts'
import { sendCardPage } from '../parts/layout.ts'
import type { PageServices } from '../parts/page-services.ts'
import { readCompany } from './destination.ts'
import { trimBlanks } from '../../text/normalize-text.ts'

export const FORGOT_PASSWORD_PATH = '/sign-in/forgot-password'

/** Requests that wait until the one before has been carried out; those of a network are a quarter at most. */
const WAITING = 400
const MAX_WAIT_MS = 60_000

/**
 * `/sign-in/forgot-password`: sends links to set a new password, where the service sends email. The answer is the same
 * whether or not a user has the address, and so is the time it takes: the search begins after the answer. If the process
 * ends in between, the person asks again.
 */
export function addForgotPassword(app: FastifyInstance, services: PageServices): void {
  // One at a time: signing in needs the other connections.
  const turns = createBudget({ total: 1, maxWaiting: WAITING, maxWaitMs: MAX_WAIT_MS })
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => void (await Promise.all(running)))

  /** Prepares what is done after the answer. */
  function prepare(request: FastifyRequest, scope: PasswordScope): () => void {
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

function requireOutbox({ company: { outbox } }: PageServices): Outbox {
  if (!outbox) throw new ProblemError(NO_PAGE)
  return outbox
}

const NO_PAGE = problem('route_not_found', 'There is no page at this address')
const NO_EMAIL = invalidFields([fieldError('/email', 'invalid_format', 'Enter an email address')])

/** `company` is the one whose password is meant; empty for all of them. */
function sendForm(reply: FastifyReply, email: string, company: string, problem: FormProblem): Promise<FastifyReply> {
  return sendCardPage(reply, {
    title: 'Forgot your password?',
    problem,
    body: html`<p>Enter the email address with which you sign in. You'll get a link to set a new password.</p>
      <form method="post" action="${FORGOT_PASSWORD_PATH}" class="stack">
        <input type="hidden" name="company" value="${company}" />
        ${renderField({ name: 'email', label: 'Email', value: email, type: 'email', autocomplete: 'username', hasFocus: true }, problem)}
        <div class="actions"><button class="primary">Send link</button><a class="button" href="/sign-in">Cancel</a></div>
      </form>`,
  })
}

function sendAnswer(reply: FastifyReply, email: string): Promise<FastifyReply> {
  return sendCardPage(reply, {
    title: 'Check your email',
    body: html`<p>
        If you sign in with <bdi>${email}</bdi> and a password, you'll get a message with a link to set a new one. The link
        works once, for ${RESET_LIFE_MINUTES} minutes. Until you use it, your password stays as it is.
      </p>
      <p>No message? Look in your spam folder, or ask an administrator of your company for a link.</p>
      <p><a class="button" href="/sign-in">Back to sign-in</a></p>`,
  })
}
