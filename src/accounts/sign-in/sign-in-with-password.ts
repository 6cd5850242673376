import type { Pool } from 'pg'
import type { SignInCandidate } from '../users/sessions.ts'
import { findSignInCandidates } from '../users/sessions.ts'
import type { NewSession } from '../users/sessions.ts'
import { NOBODYS_HASH, verifyPassword } from '../users/password.ts'
import { beginSession } from '../users/begin-session.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'

interface Credentials {
  /** Normalized. */
  email: string
  password: string
  /** The chosen company, if the person is a user of several. */
  companyId: string | null
}

/**
 * `choose`: the credentials are valid in several companies, and the person must choose one. `second step`: the person has
 * passkeys, so the password is not enough.
 */
export type SignInOutcome =
  | { outcome: 'second step'; candidate: SignInCandidate }
  | { outcome: 'signed in'; cookie: string; candidate: SignInCandidate }
  | { outcome: 'choose'; candidates: SignInCandidate[] }
  | { outcome: 'refused' }

/**
 * Starts a session for a user with this email and password. Returns its cookie, of which only a hash is stored. An
 * unknown email takes as long as a wrong password, so that timing does not reveal which emails exist. Throws
 * UnavailableError if too many passwords are being checked. On a cluster, only someone who is not found fails because a
 * machine does not answer.
 */
export async function signIn(
  { pool, failures }: { pool: Pool; failures: FailedSignIns },
  { email, password, companyId }: Credentials,
  session: NewSession,
): Promise<SignInOutcome> {
  const { candidates, failure } = await findSignInCandidates(pool, email, companyId)
  if (candidates.length === 0) await verifyPassword(password, NOBODYS_HASH)
  const matching: SignInCandidate[] = []
  for (const candidate of candidates) {
    if (await verifyPassword(password, candidate.passwordHash)) matching.push(candidate)
  }
  const [candidate] = matching
  // The user may be on a machine that does not answer.
  if (!candidate && failure !== null) throw failure
  if (!candidate) {
    // Nobody waits for this: it must not take longer than for an unknown email.
    for (const attacked of candidates) failures.count(attacked, 'password', session)
    return { outcome: 'refused' }
  }
  if (matching.length > 1) return { outcome: 'choose', candidates: matching }
  if (candidate.hasPasskeys) return { outcome: 'second step', candidate }
  const proof = { method: 'password', passwordHash: candidate.passwordHash, beside: 'nothing' } as const
  const cookie = await beginSession(pool, candidate, proof, session)
  return cookie === null ? { outcome: 'refused' } : { outcome: 'signed in', cookie, candidate }
}
