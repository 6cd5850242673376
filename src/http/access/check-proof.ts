import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CompanyServices } from '../../accounts/change-company.ts'
import { type Proof, proveAgain } from '../../accounts/passkeys/prove-again.ts'
import type { UserRef } from '../../accounts/users/users.ts'
import { sessionCookie, type SessionSettings } from './session.ts'
import type { SignInLimits } from './sign-in-limits.ts'

export interface ProofServices {
  company: Pick<CompanyServices, 'pool'>
  sessions: SessionSettings
}

/** A request in a session of a user, and the password that came with it. */
interface GivenProof {
  request: FastifyRequest
  reply: FastifyReply
  owner: UserRef
  password: string
}

/** Checks whether the session of a request and a password prove who somebody is, within the limits of signing in. */
export function checkProof(
  { company, sessions }: ProofServices,
  limits: SignInLimits,
  { request, reply, owner, password }: GivenProof,
): Promise<Proof> {
  const check = async () => {
    const outcome = await proveAgain(company.pool, owner, { password, cookie: sessionCookie(request, sessions) })
    return { outcome, hasFailed: outcome === 'wrong password' }
  }
  return limits.attempt(request, reply, { kind: 'proof in a session', whose: owner.userId, check })
}
