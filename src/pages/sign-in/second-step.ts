import type { FastifyInstance, FastifyReply } from 'fastify'
import { beginSecondStep, type SecondStep, signInWithRecoveryCode } from '../../accounts/sign-in/second-step.ts'
import type { PasswordUser } from '../../accounts/users/password-users.ts'
import { problem } from '../../domain/errors.ts'
import { recognizeBrowser } from '../../http/access/known-browser.ts'
import { createSealedCookie, type SealedCookie } from '../../http/access/sealed-cookie.ts'
import { describeSession } from '../../http/access/session.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { type FormProblem, readFormFields, renderField, toFormProblem } from '../parts/form.ts'
import { html } from '../parts/html.ts'
import { sendCardPage } from '../parts/layout.ts'
import type { PageServices } from '../parts/page-services.ts'
import { type Destination, finishSignIn, readDestination, renderDestination } from './destination.ts'
import { findSupport, renderPasskeyForm } from './passkey-form.ts'
import { sendSignInForm } from './sign-in-form.ts'

const PATH = '/sign-in/recovery-code'
const LIFE_SECONDS = 10 * 60

const NO_KEY = problem(
  'secrets_key_missing',
  'You have passkeys, and this service cannot ask for them. Tell its operator to set SECRETS_KEY',
)
const TOO_LATE = problem('invalid_credentials', 'That took too long. Sign in again.')
const REFUSED = problem('invalid_credentials', 'This is not one of your unused recovery codes')

/** Creates the cookie of those who have given the right password. */
function createSteps(services: PageServices): SealedCookie<SecondStep> {
  return createSealedCookie(services, 'second-step', LIFE_SECONDS)
}

/** Asks someone who has given the right password for a passkey or a recovery code. */
export async function askSecondStep(
  services: PageServices,
  reply: FastifyReply,
  user: PasswordUser,
  destination: Destination,
): Promise<FastifyReply> {
  if (!services.providers.secrets.hasKey) throw new ProblemError(NO_KEY)
  createSteps(services).set(reply, beginSecondStep(user))
  return sendSecondStep(services, reply, destination, null)
}

/** `/sign-in/recovery-code`: the second step of users with passkeys who sign in with a password. */
export function addSecondStep(app: FastifyInstance, services: PageServices): void {
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
        check: async () => {
          const session = describeSession(request, sessions)
          const outcome = await signInWithRecoveryCode({ company, pool, failures, session }, step, fields['code'] ?? '')
          return { outcome, hasFailed: outcome === null }
        },
      })
      if (cookie === null) throw new ProblemError(REFUSED)
      steps.clear(reply)
      return await finishSignIn(services, reply, { ...destination, cookie, companyId, userId })
    } catch (error) {
      return sendSecondStep(services, reply, destination, toFormProblem(error))
    }
  })
}

function sendSecondStep(
  services: PageServices,
  reply: FastifyReply,
  destination: Destination,
  problem: FormProblem,
): Promise<FastifyReply> {
  const code = {
    name: 'code',
    label: 'Recovery code',
    autocomplete: 'off',
    maxLength: 100,
    hint: 'Each code works once.',
  }
  return sendCardPage(reply, {
    title: 'Sign in',
    heading: 'One more step',
    problem,
    body: html`<p>Your password is right. You have passkeys, so use one of them now, or a recovery code.</p>
      ${findSupport(services).party === null ? '' : renderPasskeyForm(destination)}
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
