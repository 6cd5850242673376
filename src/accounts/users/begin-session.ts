import { prefixOfSecret } from '../../domain/accounts/secrets.ts'
import type { Pool } from 'pg'
import type { SignInMethod } from '../../domain/accounts/sign-in.ts'
import { insertSessionEvents } from '../session-events.ts'
import { insertSession, renewSession, type NewSession, type SessionProof, type SessionUser } from './sessions.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { hashSecret, generateSecret } from './new-secret.ts'
import { storeLastSignIn } from './sign-in-records.ts'
import type { UserRef } from './users.ts'

/**
 * Starts a session after something was proved; null if that does not belong to the user any more. Unless the session
 * replaces another one, this is a sign-in.
 */
export async function beginSession(
  pool: Pool,
  { companyId, userId }: UserRef,
  proof: SessionProof,
  session: NewSession,
): Promise<string | null> {
  const cookie = generateSecret(prefixOfSecret('session', companyId))
  const hasBegun = await inTransaction(pool, async (client) => {
    const isStarted = await insertSession(client, { companyId, userId }, proof, {
      ...session,
      hash: hashSecret(cookie),
    })
    const method = getSignInMethod(proof)
    if (!isStarted || method === null) return isStarted
    const sender = { address: session.address, userAgent: session.userAgent || null }
    await storeLastSignIn(client, { companyId, userId }, method, sender)
    const by = { companyId, actor: userId, client: sender }
    await insertSessionEvents(client, by, [{ userId, type: 'UserSignedIn', data: { method } }])
    return true
  })
  return hasBegun ? cookie : null
}

/** With what someone signs in; null if the session replaces another one. */
function getSignInMethod(proof: SessionProof): SignInMethod | null {
  if (proof.method !== 'password') return proof.method
  if (proof.beside === 'session') return null
  return proof.beside === 'recovery code' ? 'recovery_code' : 'password'
}

/**
 * Replaces the cookie of a session after its user's role has changed, so that a cookie stolen earlier does not gain new
 * rights. Null if the role has not changed, or if a concurrent request has replaced the cookie.
 */
export async function renewForRole(db: LedgerDb, user: SessionUser, cookie: string): Promise<string | null> {
  if (user.role === user.sessionRole) return null
  const next = generateSecret(prefixOfSecret('session', user.companyId))
  return (await renewSession(db, user, { cookie, next })) ? next : null
}
