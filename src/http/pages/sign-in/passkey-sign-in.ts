import { databaseTime } from '../../../postgres/database-clock.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Challenge, signInWithPasskey } from '../../../accounts/sign-in/sign-in-with-passkey.ts'
import { makeRequestOptions, readAssertion } from '../../../accounts/passkeys/webauthn.ts'
import { type Problem, problem } from '../../../domain/errors.ts'
import { recognizeBrowser } from '../../access/known-browser.ts'
import { createSealedCookie } from '../../access/sealed-cookie.ts'
import { describeSession } from '../../access/session.ts'
import { ProblemError } from '../../server/problem.ts'
import { companyPath } from '../parts/addresses.ts'
import { readFormFields, toFormProblem } from '../parts/form.ts'
import type { PageServices } from '../parts/page-services.ts'
import { type Destination, readDestination } from './destination.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { findSupport, PASSKEY_PATH } from './passkey-form.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'

const LIFE_SECONDS = 5 * 60

/** Shows the sign-in page again. */
type ShowSignIn = (
  reply: FastifyReply,
  destination: Destination,
  refusal: Problem,
) => FastifyReply | Promise<FastifyReply>

const OUTDATED = problem('invalid_credentials', 'That took too long, or you began again in another tab. Try again.')
const REFUSED = problem(
  'invalid_credentials',
  'This passkey does not sign you in. It may have been removed. Sign in another way.',
)

/** `/sign-in/passkey`: signing in with a passkey alone, without an email and a password. */
export function addPasskeySignIn(
  app: FastifyInstance,
  services: PageServices,
  { limits, show }: { limits: SignInLimits; show: ShowSignIn },
): void {
  const { sessions } = services
  const challenges = createSealedCookie<Challenge>({
    name: 'passkey-challenge',
    secrets: services.providers.secrets,
    settings: sessions,
    lifeSeconds: LIFE_SECONDS,
  })

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
    const challenge = challenges.read(request)
    challenges.clear(reply)
    if (challenge === null) return show(reply.code(OUTDATED.status), destination, OUTDATED)
    try {
      const { cookie, companyId, userId } = await trySignIn(services, limits, { request, reply, challenge })
      if (cookie === null) return await reply.redirect(companyPath(companyId), 303)
      return await finishSignIn(services, request, reply, { ...destination, cookie, companyId, userId })
    } catch (error) {
      const refusal = toFormProblem(error)
      return show(reply.code(refusal.status), destination, refusal)
    }
  })
}

interface Attempt {
  request: FastifyRequest
  reply: FastifyReply
  challenge: Challenge
}

/** Tries to sign in. `cookie` is null if the company requires its identity provider. Throws a problem. */
async function trySignIn(services: PageServices, limits: SignInLimits, attempt: Attempt) {
  const { request, reply, challenge } = attempt
  const { party } = findSupport(services)
  const assertion = readAssertion(readFormFields(request.body)['response'] ?? '')
  if (party === null || assertion === null) throw new ProblemError(REFUSED)
  const { owner, credentialId } = assertion
  // Counted by passkey: whoever knows only whose it is cannot keep that person out.
  const tried = await limits.attempt(request, reply, {
    kind: 'sign-in',
    whose: `passkey ${credentialId.toString('hex')}`,
    recognize: () => recognizeBrowser(services, request, owner),
    check: async () => {
      const session = describeSession(request, services.sessions)
      const { company, accessPool: pool, failures } = services
      const used = { company, pool, failures, session }
      const outcome = await signInWithPasskey(used, party, challenge, assertion)
      return { outcome, hasFailed: ['refused', 'copied'].includes(outcome.outcome) }
    },
  })
  if (tried.outcome === 'copied')
    request.log.warn({ ...owner, passkeyId: tried.passkeyId }, 'a passkey may have been copied: its counter went back')
  if (tried.outcome === 'provider required') return { cookie: null, ...owner }
  if (tried.outcome === 'outdated') throw new ProblemError(OUTDATED)
  if (tried.outcome !== 'signed in') throw new ProblemError(REFUSED)
  return { cookie: tried.cookie, ...owner }
}
