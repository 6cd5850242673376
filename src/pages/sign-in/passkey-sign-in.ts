import { databaseTime } from '#postgres/database-clock'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Challenge, signInWithPasskey } from '#accounts/sign-in/sign-in-with-passkey'
import { makeRequestOptions, readAssertion } from '#accounts/passkeys/webauthn'
import { type Problem, problem } from '#domain/errors'
import { recognizeBrowser } from '#http/access/known-browser'
import { createSealedCookie, type SealedCookie } from '#http/access/sealed-cookie'
import { describeSession } from '#http/access/session'
import { ProblemError } from '#http/server/problem'
import { companyPath } from '#wording/navigation'
import { readFormFields, toFormProblem, type FormProblem, renderField } from '../parts/form.ts'
import type { PageServices } from '../parts/context.ts'
import {
  finishSignIn,
  readDestination,
  type Destination,
  renderDestination,
  findSupport,
  PASSKEY_PATH,
  renderPasskeyForm,
  sendSignInForm,
} from './sign-in-form.ts'
import { beginSecondStep, type SecondStep, signInWithRecoveryCode } from '#accounts/sign-in/second-step'
import type { PasswordUser } from '#accounts/users/password-users'
import { html } from '../parts/elements.ts'
import { sendCardPage } from '../parts/layout.ts'

const LIFE_SECONDS = 5 * 60

const OUTDATED = problem('invalid_credentials', 'That took too long, or you began again in another tab. Try again.')
const REFUSED = problem(
  'invalid_credentials',
  'This passkey does not sign you in. It may have been removed. Sign in another way.',
)

/** `/sign-in/passkey`: signing in with a passkey alone, without an email and a password. */
export function addPasskeySignIn(app: FastifyInstance, services: PageServices): void {
  const { accessPool: pool, company, failures, sessions, signIns } = services
  const challenges = createSealedCookie<Challenge>(services, 'passkey-challenge', LIFE_SECONDS)

  app.post(`${PASSKEY_PATH}/options`, async (_request, reply) => {
    const { party, reason } = findSupport(services)
    if (party === null) throw new ProblemError(problem('unavailable', `Passkeys are unavailable. ${reason}`))
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
    if (party === null || assertion === null) return refuse(REFUSED)
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
      if (tried.outcome !== 'signed in') return await refuse(REFUSED)
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
