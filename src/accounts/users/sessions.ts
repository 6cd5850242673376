import { CompiledQuery, sql } from 'kysely'
import type { Pool } from 'pg'
import type { Client } from '#domain/call-sources'
import type { Role, SignInMethod } from '#domain/accounts/roles'
import { fromUuid, toUuid } from '#domain/ids'
import { companyOfSecret, prefixOfSecret } from '#domain/accounts/secrets'
import { enterCompany } from '#postgres/company-scope'
import { inTransaction } from '#postgres/pipeline'
import type { LedgerDb, Row } from '#ledger/tables'
import type { Transaction, Acting } from '../change-company.ts'
import { insertSessionEvents, type SessionEvent, endSessions } from '../session-events.ts'
import { hashSecret, generateSecret } from './new-secret.ts'
import { type SignedInUser, type UserRef, hasPasskey, requiresProvider } from './users.ts'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import type { Queryable } from '#postgres/pool'
import { storeLastSignIn } from './sign-in-records.ts'

/*
 * Sessions of signed-in users. Only that they began and ended is in the ledger. A change that ends a user's sessions
 * deletes them in its own transaction (endSessions).
 */

/**
 * The precision of the last use, in seconds, so that not every page rewrites the row. A session may end too early by
 * this much, so it is at most a tenth of the idle time.
 */
function getLastUseStep(idleMinutes: number) {
  return Math.min(60, idleMinutes * 6)
}

export interface SessionUser extends SignedInUser {
  name: string
  email: string
  companyName: string
  /** IANA name of the company's time zone. */
  timeZone: string
  /** The user's role when the cookie was issued. */
  sessionRole: Role
  /** The database's time when the session was found, RFC 3339 UTC. */
  now: string
}

/** Finds the user of a session. Below CASE, Citus knows the company only from the parameter. */
const USER_OF_SESSION = `
  select u.user_id, u.role, u.name, u.email, s.role as "sessionRole", c.name as "companyName",
    c.time_zone as "timeZone", clock_timestamp() as now,
    s.last_used < clock_timestamp() - make_interval(secs => $3::integer) as is_stale
  from sessions s
  join users u on u.company_id = s.company_id and u.user_id = s.user_id
  join companies c on c.company_id = s.company_id
  where s.company_id = $1 and s.session_hash = $2 and u.removed_at is null
    and s.expires_at > clock_timestamp()
    and s.last_used > clock_timestamp() - make_interval(mins => $4::integer)
    and case when s.method = 'provider'
      then exists (select from identity_providers p
        where p.company_id = $1 and p.use <> 'off' and p.issuer = u.issuer)
      else not ${requiresProvider('$1', 'u.user_id')} end`

/** What a session is started with. */
export interface NewSession {
  hours: number
  /** The beginning of the browser's `User-Agent`. */
  userAgent: string
  /** The IP address. */
  address: string
}

/** What the person who starts a session has proved. */
type SessionProof =
  | {
      method: 'password'
      passwordHash: string
      /**
       * What has been proved beside the password, which alone is not enough for a user with passkeys: nothing, a recovery
       * code, or a session that the new one replaces.
       */
      beside: 'nothing' | 'recovery code' | 'session'
    }
  | { method: 'passkey'; credentialId: Buffer }
  | {
      method: 'provider'
      issuer: string
      subject: string
      /** The provider's id of its session, if it has one. */
      providerSession: string | null
      /** Encrypted; the provider wants it back when the session ends. Null if it is too long to be kept. */
      idToken: Buffer | null
    }

/** Starts a session if what was proved still belongs to the user. Returns whether it did. */
async function insertSession(
  client: Queryable,
  { companyId, userId }: UserRef,
  proof: SessionProof,
  session: NewSession & { hash: Buffer },
) {
  const { providerSession = null, idToken = null } = proof.method === 'provider' ? proof : {}
  const proved = ownsProof(proof)
  const { rowCount } = await client.query(
    `insert into sessions
       (company_id, session_hash, user_id, role, created_at, last_used, expires_at, user_agent, address, method,
         provider_session, id_token)
     select company_id, $3, user_id, role, clock_timestamp(), clock_timestamp(),
       clock_timestamp() + make_interval(hours => $4::integer), $5, $6, $7, $8, $9
     from users where company_id = $1 and user_id = $2 and removed_at is null and ${proved.condition} for share`,
    [
      toUuid(companyId),
      toUuid(userId),
      session.hash,
      session.hours,
      session.userAgent,
      session.address,
      proof.method,
      providerSession,
      idToken,
      ...proved.values,
    ],
  )
  return rowCount === 1
}

/** The condition that a row in `users` still has what was proved, whose parameters begin with $10. */
function ownsProof(proof: SessionProof): { condition: string; values: unknown[] } {
  switch (proof.method) {
    case 'password': {
      const noPasskey = proof.beside === 'nothing' ? ` and not ${hasPasskey('$1', '$2')}` : ''
      return { condition: `password_hash = $10${noPasskey}`, values: [proof.passwordHash] }
    }
    case 'passkey':
      return {
        condition: `exists (select from passkeys p
          where p.company_id = $1 and p.user_id = $2 and p.credential_id = $10)`,
        values: [proof.credentialId],
      }
    case 'provider':
      return { condition: 'issuer = $10 and subject = $11', values: [proof.issuer, proof.subject] }
  }
}

/**
 * Finds the user of a session; null if the cookie is malformed or unknown, or the session has ended or was idle for too
 * long. Caches nothing. `isUse` counts this as a use of the session.
 */
export async function findUserOfSession(
  db: LedgerDb,
  cookie: string,
  { idleMinutes, isUse }: { idleMinutes: number; isUse: boolean },
): Promise<SessionUser | null> {
  const companyId = companyOfSecret('session', cookie)
  if (companyId === null) return null
  enterCompany(companyId)
  const ids = { company: toUuid(companyId), hash: hashSecret(cookie) }
  const values = [ids.company, ids.hash, getLastUseStep(idleMinutes), idleMinutes]
  const { rows } = await db.executeQuery<SessionRow>(CompiledQuery.raw(USER_OF_SESSION, values))
  if (!rows[0]) return null
  const { user_id: userUuid, is_stale: isStale, ...user } = rows[0]
  if (isUse && isStale) {
    await sql`update sessions set last_used = greatest(last_used, statement_timestamp())
      where company_id = ${ids.company} and session_hash = ${ids.hash}`.execute(db)
  }
  return { ...user, companyId, userId: fromUuid('usr', userUuid) }
}

type SessionRow = Omit<SessionUser, keyof UserRef> & Row<'users', 'user_id'> & { is_stale: boolean }

/** Replaces the cookie of a session, for the user's current role. Returns false if another request has done so. */
async function renewSession(
  db: LedgerDb,
  { companyId, role }: SessionUser,
  { cookie, next }: { cookie: string; next: string },
) {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ session_hash: hashSecret(next), role })
    .where('company_id', '=', toUuid(companyId))
    .where('session_hash', '=', hashSecret(cookie))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** A session that began at the identity provider and has ended here. */
export interface EndedSession {
  userId: string
  /** Encrypted; null if it was too long to be kept. */
  idToken: Buffer | null
}

/**
 * Ends the session of a cookie, because its user signed out or its browser signed in again. Returns what is kept for
 * ending it at the identity provider too; null if it did not begin there.
 */
export async function endSession(
  pool: Pool,
  { userId, companyId }: SignedInUser,
  { cookie, client: sender, why }: { cookie: string; client: Client; why: 'signed out' | 'signed in again' },
): Promise<EndedSession | null> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<Row<'sessions', 'method' | 'id_token'>>(
      'delete from sessions where company_id = $1 and session_hash = $2 returning method, id_token',
      [toUuid(companyId), hashSecret(cookie)],
    )
    const [ended] = rows
    if (!ended) return null
    const event: SessionEvent =
      why === 'signed out'
        ? { userId, type: 'UserSignedOut', data: {} }
        : { userId, type: 'UserSessionsEnded', data: { reason: 'signed_in_again', count: 1 } }
    await insertSessionEvents(client, { companyId, actor: userId, client: sender }, [event])
    return ended.method === 'provider' ? { userId, idToken: ended.id_token } : null
  })
}

/** Deletes the session of a cookie, in the transaction after which another one replaces it: it has not ended. */
export async function deleteReplacedSession(tx: Transaction, cookie: string) {
  await tx.connection.query('delete from sessions where company_id = $1 and session_hash = $2', [
    toUuid(tx.companyId),
    hashSecret(cookie),
  ])
}

/** Deletes the sessions that have exceeded their lifetime, by the database's clock. Returns how many. */
export function expireSessions(pool: Pool): Promise<number> {
  return deleteInPieces(pool, 'sessions', ['company_id', 'session_hash'], sql`expires_at <= statement_timestamp()`)
}

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
