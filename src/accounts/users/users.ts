import { sql } from 'kysely'
import type { Role, TokenScope } from '../../domain/accounts/roles.ts'
import { fromUuid, isId, toUuid } from '../../domain/ids.ts'
import { companyOfSecret } from '../../domain/accounts/secrets.ts'
import type { UserLife } from '../../domain/accounts/user-lifecycle.ts'
import { enterCompany } from '../../postgres/company-scope.ts'
import type { LedgerDb, Row } from '../../ledger/tables.ts'
import { hashSecret } from './new-secret.ts'
import { hasPasskey } from './sign-in-conditions.ts'

/** A user of a company. */
export interface UserRef {
  companyId: string
  userId: string
}

export interface SignedInUser extends UserRef {
  role: Role
}

/** The precision of the last use, in milliseconds, so that not every request rewrites the row. */
const LAST_USE_STEP_MS = 60_000

/** Finds the user and the scope of a token; null if it is malformed, unknown, expired or revoked. Caches nothing. */
export async function findUserOfToken(
  db: LedgerDb,
  token: string,
): Promise<{ user: SignedInUser; scope: TokenScope | null } | null> {
  const companyId = companyOfSecret('token', token)
  if (companyId === null) return null
  enterCompany(companyId)
  const company = toUuid(companyId)
  const row = await db
    .selectFrom('user_tokens as t')
    .innerJoin('users as u', (on) => on.onRef('u.company_id', '=', 't.company_id').onRef('u.user_id', '=', 't.user_id'))
    .select(['u.user_id', 'u.role', 't.token_id', 't.scope', 't.last_used', sql<string>`clock_timestamp()`.as('now')])
    .where('t.company_id', '=', company)
    .where('t.token_hash', '=', hashSecret(token))
    .where('t.expires_at', '>', sql<string>`clock_timestamp()`)
    .where('t.revoked_at', 'is', null)
    .where('u.removed_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  if (row.last_used === null || Date.parse(row.now) - Date.parse(row.last_used) >= LAST_USE_STEP_MS) {
    const used = db.updateTable('user_tokens').set({ last_used: row.now })
    await used.where('company_id', '=', company).where('token_id', '=', row.token_id).execute()
  }
  return { user: { companyId, userId: fromUuid('usr', row.user_id), role: row.role }, scope: row.scope }
}

/** A user as shown to administrators. Times are RFC 3339 UTC. */
export interface UserRecord extends UserLife {
  createdAt: string
  removedAt: string | null
  /** When the unused one-time link expires or expired; null if there is none. */
  linkExpiresAt: string | null
  hasPasskeys: boolean
  /** Null if there was none, or it was before version 1.1.0. */
  lastSignInAt: string | null
}

export type UserRow = Row<
  'users',
  | 'user_id'
  | 'version'
  | 'email'
  | 'name'
  | 'role'
  | 'issuer'
  | 'subject'
  | 'created_at'
  | 'removed_at'
  | 'link_expires_at'
> & { has_password: boolean; has_passkeys: boolean; last_sign_in_at: string | null }

const HAS_PASSKEYS = hasPasskey('users.company_id', 'users.user_id')

export const SELECT_USERS = `select user_id, version, email, name, role, password_hash is not null as has_password,
  ${HAS_PASSKEYS} as has_passkeys,
  issuer, subject, created_at, removed_at, link_expires_at,
  (select l.signed_in_at from last_sign_ins l where l.company_id = users.company_id and l.user_id = users.user_id)
    as last_sign_in_at from users`

export const USER_STATUSES = ['pending', 'active', 'removed'] as const
export type UserStatus = (typeof USER_STATUSES)[number]

const OF_STATUS: Record<UserStatus, string> = {
  pending: `removed_at is null and password_hash is null and subject is null and not ${HAS_PASSKEYS}`,
  active: `removed_at is null and (password_hash is not null or subject is not null or ${HAS_PASSKEYS})`,
  removed: 'removed_at is not null',
}

/** Returns the status of a user. One who is pending has no way to sign in yet. */
export function getUserStatus({ isRemoved, hasPassword, hasPasskeys, identity }: UserRecord): UserStatus {
  if (isRemoved) return 'removed'
  return hasPassword || hasPasskeys || identity !== null ? 'active' : 'pending'
}

/** Lists a company's users before an id, newest first; without a status, all except removed ones. */
export async function listUsers(
  db: LedgerDb,
  companyId: string,
  page: { status?: UserStatus; before?: string; limit: number },
): Promise<UserRecord[]> {
  const { status, before, limit } = page
  const { rows } = await sql<UserRow>`${sql.raw(SELECT_USERS)}
    where company_id = ${toUuid(companyId)}
      and ${sql.raw(status === undefined ? 'removed_at is null' : OF_STATUS[status])}
      ${before === undefined ? sql`` : sql`and user_id < ${toUuid(before)}`}
    order by user_id desc limit ${limit}`.execute(db)
  return rows.map(toUserRecord)
}

/** Lists users of a company who are not removed, by id or by a part of the name or email, in any case; newest first. */
export async function searchUsers(db: LedgerDb, companyId: string, text: string, limit: number): Promise<UserRecord[]> {
  const id = isId('usr', text) ? toUuid(text) : null
  const { rows } = await sql<UserRow>`${sql.raw(SELECT_USERS)}
    where company_id = ${toUuid(companyId)} and removed_at is null
      and (user_id = ${id} or strpos(lower(name), lower(${text})) > 0 or strpos(email, lower(${text})) > 0)
    order by user_id desc limit ${limit}`.execute(db)
  return rows.map(toUserRecord)
}

/** Finds a user of a company, removed or not; null if it does not exist. */
export async function findUser(db: LedgerDb, companyId: string, userId: string): Promise<UserRecord | null> {
  const { rows } = await sql<UserRow>`${sql.raw(SELECT_USERS)}
    where company_id = ${toUuid(companyId)} and user_id = ${toUuid(userId)}`.execute(db)
  return rows[0] ? toUserRecord(rows[0]) : null
}

/** Converts a row of `users`. */
export function toUserRecord(row: UserRow): UserRecord {
  return {
    id: fromUuid('usr', row.user_id),
    version: row.version,
    email: row.email,
    name: row.name,
    role: row.role,
    hasPassword: row.has_password,
    isRemoved: row.removed_at !== null,
    identity: row.issuer === null || row.subject === null ? null : { issuer: row.issuer, subject: row.subject },
    createdAt: row.created_at,
    removedAt: row.removed_at,
    linkExpiresAt: row.link_expires_at,
    hasPasskeys: row.has_passkeys,
    lastSignInAt: row.last_sign_in_at,
  }
}
