import { sql, type InferResult, type RawBuilder } from 'kysely'
import type { Role, TokenScopes, TokenScope } from '#domain/accounts/roles'
import { fromUuid, isId, toUuid } from '#domain/ids'
import { companyOfSecret } from '#domain/accounts/secrets'
import type { UserLife } from '#domain/accounts/user-lifecycle'
import { enterCompany } from '#postgres/company-scope'
import type { LedgerDb } from '#ledger/tables'
import { hashSecret } from './new-secret.ts'

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

/** Finds the user and the scopes of a token; null if it is malformed, unknown, expired or revoked. Caches nothing. */
export async function findUserOfToken(
  db: LedgerDb,
  token: string,
): Promise<{ user: SignedInUser; scopes: TokenScopes } | null> {
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
  return { user: { companyId, userId: fromUuid('usr', row.user_id), role: row.role }, scopes: readScopes(row.scope) }
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

/**
 * Whether the user of a row in `users`, or `u`, has a passkey. Takes the UUID of the only company that is asked about, if
 * there is one: Citus infers none where the condition is selected.
 */
export const selectHasPasskeys = (only: string | null, users: 'users' | 'u' = 'users') => sql<boolean>`exists (
  select from passkeys where passkeys.company_id = ${sql.ref(`${users}.company_id`)}
    and passkeys.user_id = ${sql.ref(`${users}.user_id`)}
    and (${only}::uuid is null or passkeys.company_id = ${only}))`

/** Selects users of a company as `toUserRecord` takes them. */
function selectUsers(db: LedgerDb, companyId: string) {
  const company = toUuid(companyId)
  return db
    .selectFrom('users')
    .where('company_id', '=', company)
    .select(['user_id', 'version', 'email', 'name', 'role', 'issuer', 'subject'])
    .select(['created_at as createdAt', 'removed_at as removedAt', 'link_expires_at as linkExpiresAt'])
    .select([sql<boolean>`password_hash is not null`.as('hasPassword'), selectHasPasskeys(company).as('hasPasskeys')])
    .select(({ selectFrom }) =>
      selectFrom('last_sign_ins as l')
        .select('l.signed_in_at')
        .where('l.company_id', '=', company)
        .whereRef('l.user_id', '=', 'users.user_id')
        .as('lastSignInAt'),
    )
}

type UserRow = InferResult<ReturnType<typeof selectUsers>>[number]

export const USER_STATUSES = ['pending', 'active', 'removed'] as const
type UserStatus = (typeof USER_STATUSES)[number]

const NOT_REMOVED = sql<boolean>`removed_at is null`
const OF_STATUS: Record<UserStatus, (company: string) => RawBuilder<boolean>> = {
  pending: (company) => sql`removed_at is null and password_hash is null and subject is null
    and not ${selectHasPasskeys(company)}`,
  active: (company) => sql`removed_at is null
    and (password_hash is not null or subject is not null or ${selectHasPasskeys(company)})`,
  removed: () => sql`removed_at is not null`,
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
  let query = selectUsers(db, companyId).where(
    status === undefined ? NOT_REMOVED : OF_STATUS[status](toUuid(companyId)),
  )
  if (before !== undefined) query = query.where('user_id', '<', toUuid(before))
  return (await query.orderBy('user_id', 'desc').limit(limit).execute()).map(toUserRecord)
}

/** Lists users of a company who are not removed, by id or by a part of the name or email, in any case; newest first. */
export async function searchUsers(db: LedgerDb, companyId: string, text: string, limit: number): Promise<UserRecord[]> {
  const id = isId('usr', text) ? toUuid(text) : null
  const rows = await selectUsers(db, companyId)
    .where('removed_at', 'is', null)
    .where(
      sql<boolean>`(user_id = ${id} or strpos(lower(name), lower(${text})) > 0 or strpos(email, lower(${text})) > 0)`,
    )
    .orderBy('user_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toUserRecord)
}

/** Finds a user of a company, removed or not; null if it does not exist. */
export async function findUser(db: LedgerDb, companyId: string, userId: string): Promise<UserRecord | null> {
  const row = await selectUsers(db, companyId).where('user_id', '=', toUuid(userId)).executeTakeFirst()
  return row ? toUserRecord(row) : null
}

function toUserRecord({ user_id: uuid, issuer, subject, ...user }: UserRow): UserRecord {
  return {
    ...user,
    id: fromUuid('usr', uuid),
    isRemoved: user.removedAt !== null,
    identity: issuer === null || subject === null ? null : { issuer, subject },
  }
}

/** A user's token without its secret. Times are RFC 3339 UTC. */
export interface TokenRecord {
  id: string
  userId: string
  name: string
  /** The last four characters of the token; null if they are not stored. */
  lastFour: string | null
  scopes: TokenScopes
  createdAt: string
  expiresAt: string
  lastUsed: string | null
  revokedAt: string | null
}

/** Selects tokens of a company as `toSeenToken` takes them. */
export function selectTokens(db: LedgerDb, companyId: string) {
  return db
    .selectFrom('user_tokens')
    .where('company_id', '=', toUuid(companyId))
    .select(['token_id', 'user_id', 'name', 'scope', 'last_four as lastFour', 'created_at as createdAt'])
    .select(['expires_at as expiresAt', 'last_used as lastUsed', 'revoked_at as revokedAt'])
    .select(sql<string>`clock_timestamp()`.as('now'))
}

type TokenRow = InferResult<ReturnType<typeof selectTokens>>[number]

/** A token, and the database's time when it was read (RFC 3339 UTC). */
export interface SeenToken {
  token: TokenRecord
  now: string
}

/** Finds a token of any user of a company; null if it does not exist. */
export async function findUserToken(db: LedgerDb, companyId: string, tokenId: string): Promise<SeenToken | null> {
  const row = await selectTokens(db, companyId).where('token_id', '=', toUuid(tokenId)).executeTakeFirst()
  return row ? toSeenToken(row) : null
}

/** Lists a user's tokens before an id, newest first. */
export async function listUserTokens(
  db: LedgerDb,
  companyId: string,
  page: { userId: string; before?: string; limit: number },
): Promise<SeenToken[]> {
  const { userId, before, limit } = page
  let query = selectTokens(db, companyId).where('user_id', '=', toUuid(userId))
  if (before !== undefined) query = query.where('token_id', '<', toUuid(before))
  return (await query.orderBy('token_id', 'desc').limit(limit).execute()).map(toSeenToken)
}

/** Converts such a row. */
export function toSeenToken({ token_id: tokenUuid, user_id: userUuid, scope, now, ...token }: TokenRow): SeenToken {
  const [id, userId] = [fromUuid('tok', tokenUuid), fromUuid('usr', userUuid)]
  return { token: { ...token, id, userId, scopes: readScopes(scope) }, now }
}

/** Reads the scopes of a token from its row. */
function readScopes(stored: string | null): TokenScopes {
  return stored === null ? null : (stored.split(' ') as TokenScope[])
}

/*
 * Conditions of SQL that decide how users may sign in. They take the SQL of a company and of a user. Pass the company as
 * a parameter where the condition is selected, or below an OR or a CASE, or where rows are locked: Citus infers no
 * company there.
 */

/** The company requires its identity provider of this user: any other way of signing in is refused. */
export function requiresProvider(company: string, user: string) {
  return `exists (select from identity_providers where identity_providers.company_id = ${company}
    and identity_providers.use = 'required' and identity_providers.break_glass <> ${user})`
}

/** The user has a passkey. */
export function hasPasskey(company: string, user: string) {
  return `exists (select from passkeys where passkeys.company_id = ${company} and passkeys.user_id = ${user})`
}

/**
 * The user of the row `u` may set a new password through a link that is sent by email: there is a password, and the
 * company requires its identity provider of nobody.
 */
export function mayResetPassword(company: string) {
  return `u.password_hash is not null and not exists (select from identity_providers
    where identity_providers.company_id = ${company} and identity_providers.use = 'required')`
}
