import { sql } from 'kysely'
import type { Pool } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import type { Acting } from '../change-company.ts'
import { endSessions } from '../session-events.ts'
import { hashSecret } from './new-secret.ts'
import type { SignedInUser } from './users.ts'

/** A session as shown to its user. Times are RFC 3339 UTC. */
export interface ShownSession {
  /** The hash of the cookie, in hexadecimal. */
  id: string
  userAgent: string
  address: string
  createdAt: string
  lastUsed: string
  expiresAt: string
  /** Whether this is the session of the request. */
  isThis: boolean
}

/** Lists a user's active sessions, newest first. */
export async function listSessions(
  db: LedgerDb,
  { companyId, userId }: SignedInUser,
  cookie: string,
  limits: { idleMinutes: number; limit: number },
): Promise<ShownSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['session_hash', 'user_agent as userAgent', 'address'])
    .select(['created_at as createdAt', 'last_used as lastUsed', 'expires_at as expiresAt'])
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .where('last_used', '>', sql<string>`clock_timestamp() - make_interval(mins => ${limits.idleMinutes}::integer)`)
    .orderBy('created_at', 'desc')
    .limit(limits.limit)
    .execute()
  const ownHash = hashSecret(cookie)
  return rows.map(({ session_hash: hash, ...session }) => {
    return { ...session, id: hash.toString('hex'), isThis: hash.equals(ownHash) }
  })
}

/** Ends one of the actor's own sessions, by the id that `listSessions` returns. Returns false if there is none. */
export async function endOwnSession(pool: Pool, acting: Acting, id: string): Promise<boolean> {
  const condition = sql`user_id = ${toUuid(acting.actor)} and session_hash = ${Buffer.from(id, 'hex')}`
  const count = await inTransaction(pool, (client) => endSessions(client, acting, 'ended_by_user', condition))
  return count === 1
}

/** Ends all sessions of the actor except the one of this cookie. */
export async function endOtherSessions(pool: Pool, acting: Acting, cookie: string | null): Promise<void> {
  const condition = sql`user_id = ${toUuid(acting.actor)} and session_hash <> ${hashSecret(cookie ?? '')}`
  await inTransaction(pool, (client) => endSessions(client, acting, 'ended_by_user', condition))
}
