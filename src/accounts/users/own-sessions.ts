import { sql } from 'kysely'
import { toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
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
    .select(['created_at', 'last_used', 'expires_at', 'session_hash', 'user_agent', 'address'])
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .where('last_used', '>', sql<string>`clock_timestamp() - make_interval(mins => ${limits.idleMinutes}::integer)`)
    .orderBy('created_at', 'desc')
    .limit(limits.limit)
    .execute()
  const ownHash = hashSecret(cookie)
  return rows.map((row) => ({
    id: row.session_hash.toString('hex'),
    userAgent: row.user_agent,
    address: row.address,
    createdAt: row.created_at,
    lastUsed: row.last_used,
    expiresAt: row.expires_at,
    isThis: row.session_hash.equals(ownHash),
  }))
}

/** Ends one of a user's own sessions, by the id that `listSessions` returns. Returns false if there is no such session. */
export async function endOwnSession(db: LedgerDb, { companyId, userId }: SignedInUser, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
    .where('session_hash', '=', Buffer.from(id, 'hex'))
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** Ends all sessions of a user except the one of this cookie. */
export async function endOtherSessions(
  db: LedgerDb,
  { companyId, userId }: SignedInUser,
  cookie: string | null,
): Promise<void> {
  let query = db
    .deleteFrom('sessions')
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
  if (cookie !== null) query = query.where('session_hash', '<>', hashSecret(cookie))
  await query.execute()
}
