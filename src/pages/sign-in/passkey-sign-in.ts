import { databaseTime } from '../../postgres/database-clock.ts'
import type { FastifyInstance } from 'fastify'
import { type Challenge, signInWithPasskey } from '../../accounts/sign-in/sign-in-with-passkey.ts'
import { makeRequestOptions, readAssertion } from '../../accounts/passkeys/webauthn.ts'
import { type Problem, problem } from '../../domain/errors.ts'
import { recognizeBrowser } from '../../http/access/known-browser.ts'
import { createSealedCookie } from '../../http/access/sealed-cookie.ts'
import { describeSession } from '../../http/access/session.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { companyPath } from '../../wording/navigation.ts'
import { readFormFields, toFormProblem } from '../parts/form.ts'
import type { PageServices } from '../parts/page-services.ts'
import { finishSignIn, readDestination } from './destination.ts'
import { findSupport, PASSKEY_PATH } from './passkey-form.ts'
import { sendSignInForm } from './sign-in-form.ts'

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
        check: async () => {
          const used = { company, pool, failures, session: describeSession(request, sessions) }
          const outcome = await signInWithPasskey(used, party, challenge, assertion)
          return { outcome, hasFailed: ['refused', 'copied'].includes(outcome.outcome) }
        },
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
