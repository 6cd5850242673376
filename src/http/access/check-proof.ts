import type { FastifyReply } from 'fastify'
import type { Pool } from 'pg'
import { type Proof, proveAgain } from '#accounts/passkeys/prove-again'
import type { UserRef } from '#accounts/users/users'
import { sessionCookie, type SessionSettings } from './session.ts'
import type { SignInLimits } from './sign-in-limits.ts'

export interface ProofServices {
  company: { pool: Pool }
  sessions: SessionSettings
  signIns: SignInLimits
}

/** Checks whether the session of a request and a password prove who somebody is, within the limits of signing in. */
export function checkProof(
  { company, sessions, signIns }: ProofServices,
  reply: FastifyReply,
  owner: UserRef,
  password: string,
): Promise<Proof> {
  return signIns.attempt(reply, {
    kind: 'proof in a session',
    whose: owner.userId,
    check: () => proveAgain(company.pool, owner, { password, cookie: sessionCookie(reply.request, sessions) }),
    hasFailed: (proof) => proof === 'wrong password',
  })
}
