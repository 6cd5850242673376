import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { Role } from '../../domain/company.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { companyOfSession } from '../../domain/accounts/secrets.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { SignedInUser } from './users.ts'

/*
 * Sessions of users who have signed in. They are not in the ledger: a session is no fact about the company. A change that
 * ends a user's sessions ends them in its own transaction.
 */

/**
 * How exactly the last use of a session is kept: a row is not rewritten by every page. It is also by how much a session
 * may end too early, so it is at most a tenth of the time after which one ends.
 */
function lastUseStepSeconds(idleMinutes: number): number {
  return Math.min(60, idleMinutes * 6)
}

/** With how many companies one e-mail address can sign in. */
const MAX_COMPANIES = 10

export interface SessionUser extends SignedInUser {
  name: string
  email: string
  companyName: string
  /** IANA name of the time zone in which the company reads times. */
  timeZone: string
  /** The role that the cookie was made for. */
  sessionRole: Role
}

/** One who may be signing in: a user with a password. */
export interface SignInCandidate {
  companyId: string
  companyName: string
  userId: string
  role: Role
  passwordHash: string
}

/** The users with this e-mail address, normalised, who have a password: of one company, or of at most ten. */
export async function findSignInCandidates(
  db: LedgerDb,
  email: string,
  companyId: string | null,
): Promise<SignInCandidate[]> {
  let query = db
    .selectFrom('users as u')
    .innerJoin('companies as c', 'c.company_id', 'u.company_id')
    .select(['u.company_id', 'c.name', 'u.user_id', 'u.role', 'u.password_hash'])
    .where('u.email', '=', email)
    .where('u.removed_at', 'is', null)
    .where('u.password_hash', 'is not', null)
  if (companyId !== null) query = query.where('u.company_id', '=', toUuid(companyId))
  const rows = await query.orderBy('u.company_id').limit(MAX_COMPANIES).execute()
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    companyName: row.name,
    userId: fromUuid('usr', row.user_id),
    role: row.role,
    passwordHash: row.password_hash!,
  }))
}

/** Begins a session, if the user's password is still the one that was checked. Returns whether it did. */
export async function insertSession(
  db: LedgerDb,
  user: Pick<SignInCandidate, 'companyId' | 'userId' | 'passwordHash'>,
  session: { hash: Buffer; hours: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into sessions (company_id, session_hash, user_id, role, created_at, last_used, expires_at)
    select company_id, ${session.hash}, user_id, role, clock_timestamp(), clock_timestamp(),
      clock_timestamp() + make_interval(hours => ${session.hours}::integer)
    from users where company_id = ${toUuid(user.companyId)} and user_id = ${toUuid(user.userId)}
      and removed_at is null and password_hash = ${user.passwordHash} for share`.execute(db)
  return numAffectedRows === 1n
}

/**
 * The user of a session; null when the cookie is malformed or unknown, the session has ended, or nothing was done in it
 * for too long. Nothing of it is cached. With `isUse` this is something done in it.
 */
export async function findUserOfSession(
  db: LedgerDb,
  cookie: string,
  { idleMinutes, isUse }: { idleMinutes: number; isUse: boolean },
): Promise<SessionUser | null> {
  const companyId = companyOfSession(cookie)
  if (companyId === null) return null
  const ids = { company: toUuid(companyId), hash: hash('sha256', cookie, 'buffer') }
  const { rows } = await sql<SessionRow>`
    select u.user_id, u.role, u.name, u.email, s.role as session_role, c.name as company_name, c.time_zone,
      s.last_used < clock_timestamp() - make_interval(secs => ${lastUseStepSeconds(idleMinutes)}::integer) as is_stale
    from sessions s
    join users u on u.company_id = s.company_id and u.user_id = s.user_id
    join companies c on c.company_id = s.company_id
    where s.company_id = ${ids.company} and s.session_hash = ${ids.hash} and u.removed_at is null
      and s.expires_at > clock_timestamp()
      and s.last_used > clock_timestamp() - make_interval(mins => ${idleMinutes}::integer)`.execute(db)
  const row = rows[0]
  if (!row) return null
  if (isUse && row.is_stale) {
    await sql`update sessions set last_used = greatest(last_used, statement_timestamp())
      where company_id = ${ids.company} and session_hash = ${ids.hash}`.execute(db)
  }
  return {
    companyId,
    userId: fromUuid('usr', row.user_id),
    role: row.role,
    name: row.name,
    email: row.email,
    companyName: row.company_name,
    timeZone: row.time_zone,
    sessionRole: row.session_role,
  }
}

interface SessionRow {
  user_id: string
  role: Role
  name: string
  email: string
  session_role: Role
  company_name: string
  time_zone: string
  is_stale: boolean
}

/** Gives a session another cookie, made for the role that its user has now. Returns false when somebody else has done so. */
export async function renewSession(db: LedgerDb, cookie: string, next: { hash: Buffer; role: Role }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ session_hash: next.hash, role: next.role })
    .where('company_id', '=', companyUuid(cookie))
    .where('session_hash', '=', hash('sha256', cookie, 'buffer'))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Ends one session. */
export async function endSession(db: LedgerDb, cookie: string): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('company_id', '=', companyUuid(cookie))
    .where('session_hash', '=', hash('sha256', cookie, 'buffer'))
    .execute()
}

/** Ends all sessions of a user, but for the one whose cookie is given. */
export async function endOtherSessions(
  db: LedgerDb,
  { companyId, userId }: SignedInUser,
  cookie: string | null,
): Promise<void> {
  let query = db
    .deleteFrom('sessions')
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
  if (cookie !== null) query = query.where('session_hash', '<>', hash('sha256', cookie, 'buffer'))
  await query.execute()
}

/** Ends all sessions of a user, in the transaction of what takes the user's rights or password. */
export async function endSessionsOf(client: ClientBase, companyId: string, userId: string): Promise<void> {
  await client.query('delete from sessions where company_id = $1 and user_id = $2', [toUuid(companyId), toUuid(userId)])
}

/** A session as its user may see it. Times are RFC 3339 UTC. */
export interface ShownSession {
  createdAt: string
  lastUsed: string
  expiresAt: string
  /** Whether it is the session of this cookie. */
  isThis: boolean
}

/** A user's sessions that have not ended, newest first, at most so many. */
export async function listSessions(
  db: LedgerDb,
  { companyId, userId }: SignedInUser,
  cookie: string,
  limits: { idleMinutes: number; limit: number },
): Promise<ShownSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['created_at', 'last_used', 'expires_at', 'session_hash'])
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .where('last_used', '>', sql<string>`clock_timestamp() - make_interval(mins => ${limits.idleMinutes}::integer)`)
    .orderBy('created_at', 'desc')
    .limit(limits.limit)
    .execute()
  const own = hash('sha256', cookie, 'buffer')
  return rows.map((row) => ({
    createdAt: row.created_at,
    lastUsed: row.last_used,
    expiresAt: row.expires_at,
    isThis: row.session_hash.equals(own),
  }))
}

/** Deletes sessions that have ended by their age. Returns how many; at most so many at once. */
export async function deleteEndedSessions(db: LedgerDb, limit: number): Promise<number> {
  // Each deletion names its company, for on Citus that is where it runs.
  const ended = await db
    .selectFrom('sessions')
    .select(['company_id', 'session_hash'])
    .where('expires_at', '<=', sql<string>`now()`)
    .limit(limit)
    .execute()
  let deleted = 0n
  for (const [company, sessions] of Map.groupBy(ended, ({ company_id: companyId }) => companyId)) {
    const hashes = sessions.map(({ session_hash: sessionHash }) => sessionHash)
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where('company_id', '=', company)
      .where('session_hash', 'in', hashes)
      .executeTakeFirstOrThrow()
    deleted += numDeletedRows
  }
  return Number(deleted)
}

function companyUuid(cookie: string): string {
  const companyId = companyOfSession(cookie)
  if (companyId === null) throw new Error('this is no cookie of a session')
  return toUuid(companyId)
}
