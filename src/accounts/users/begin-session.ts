import { sessionPrefix } from '../../domain/accounts/secrets.ts'
import type { SignInCandidate } from './sessions.ts'
import { insertSession, renewSession } from './sessions.ts'
import type { NewSession, SessionProof, SessionUser } from './sessions.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { inCompany } from '../../postgres/cluster/company-scope.ts'
import { hashSecret, generateSecret } from './new-secret.ts'

/** Starts a session after something was proved; null if that does not belong to the user any more. */
export async function beginSession(
  db: LedgerDb,
  user: Pick<SignInCandidate, 'companyId' | 'userId'>,
  proof: SessionProof,
  session: NewSession,
): Promise<string | null> {
  const cookie = generateSecret(sessionPrefix(user.companyId))
  const insert = () => insertSession(db, user, proof, { ...session, hash: hashSecret(cookie) })
  const hasBegun = await inCompany(user.companyId, insert)
  return hasBegun ? cookie : null
}

/**
 * Replaces the cookie of a session after its user's role has changed, so that a cookie stolen earlier does not gain new
 * rights. Null if the role has not changed, or if a concurrent request has replaced the cookie.
 */
export async function renewForRole(db: LedgerDb, user: SessionUser, cookie: string): Promise<string | null> {
  if (user.role === user.sessionRole) return null
  const next = generateSecret(sessionPrefix(user.companyId))
  return (await renewSession(db, cookie, { hash: hashSecret(next), role: user.role })) ? next : null
}
