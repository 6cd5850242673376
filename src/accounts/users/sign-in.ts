import { sessionPrefix } from '../../domain/accounts/secrets.ts'
import type { SignInCandidate } from './sessions.ts'
import { deleteEndedSessions, endSession, findSignInCandidates, insertSession, renewSession } from './sessions.ts'
import type { SessionUser } from './sessions.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { hashOf, newSecret } from './new-secret.ts'
import { NOBODYS_HASH, verifyPassword } from './password.ts'

/** Sessions that have ended and are swept out when one begins: each makes room for more than itself. */
const SWEPT_AT_ONCE = 100

export interface Credentials {
  /** Normalised. */
  email: string
  password: string
  /** Which company is meant, when the person is a user of several. */
  companyId: string | null
}

/** A session has begun, or the company has to be chosen, or the credentials are not good. */
export type SignInOutcome =
  | { outcome: 'signed in'; cookie: string; candidate: SignInCandidate }
  | { outcome: 'choose'; candidates: SignInCandidate[] }
  | { outcome: 'refused' }

/**
 * Begins a session for who knows the e-mail address and the password of a user. The cookie is shown once; only its hash
 * is kept. Who is unknown costs the time of one password as well. Throws UnavailableError when too many sign in at once.
 */
export async function signIn(
  db: LedgerDb,
  { email, password, companyId }: Credentials,
  sessionHours: number,
): Promise<SignInOutcome> {
  const candidates = await findSignInCandidates(db, email, companyId)
  if (candidates.length === 0) await verifyPassword(password, NOBODYS_HASH)
  const good: SignInCandidate[] = []
  for (const candidate of candidates) {
    if (await verifyPassword(password, candidate.passwordHash)) good.push(candidate)
  }
  const [candidate] = good
  if (!candidate) return { outcome: 'refused' }
  if (good.length > 1) return { outcome: 'choose', candidates: good }
  const cookie = await beginSession(db, candidate, sessionHours)
  return cookie === null ? { outcome: 'refused' } : { outcome: 'signed in', cookie, candidate }
}

/** Begins a session for a user whose password was checked, or has just been set; null when it is another one by now. */
export async function beginSession(
  db: LedgerDb,
  user: Pick<SignInCandidate, 'companyId' | 'userId' | 'passwordHash'>,
  sessionHours: number,
): Promise<string | null> {
  const cookie = newSecret(sessionPrefix(user.companyId))
  await deleteEndedSessions(db, SWEPT_AT_ONCE)
  const hasBegun = await insertSession(db, user, { hash: hashOf(cookie), hours: sessionHours })
  return hasBegun ? cookie : null
}

/**
 * Gives a session a new cookie once its user has another role, so that nobody goes on with one that was made for less.
 * Null when that has been done by a request beside this one, or nothing is to be done.
 */
export async function renewForRole(db: LedgerDb, user: SessionUser, cookie: string): Promise<string | null> {
  if (user.role === user.sessionRole) return null
  const next = newSecret(sessionPrefix(user.companyId))
  return (await renewSession(db, cookie, { hash: hashOf(next), role: user.role })) ? next : null
}

/** Ends the session of a cookie, if there is one. */
export async function signOut(db: LedgerDb, cookie: string): Promise<void> {
  await endSession(db, cookie)
}
