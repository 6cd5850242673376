import { sql, type RawBuilder } from 'kysely'
import type { ClientBase } from 'pg'
import { listStoredAddresses } from '#domain/attributes'
import { fromUuid, toUuid } from '#domain/ids'
import type { Identity, UserFacts, UserLife } from '#domain/accounts/user-lifecycle'
import { cancelEmails } from '../mail/outbox.ts'
import type { SecretDigest } from './new-secret.ts'
import { type TokenRecord, hasPasskey, mayResetPassword, requiresProvider } from './users.ts'
import type { Transaction } from '../change-company.ts'
import { endSessions } from '../session-events.ts'
import { onClient } from '#postgres/kysely'
import type { Queryable } from '#postgres/pool'
import type { Row } from '#ledger/tables'

/*
 * The rows of users and their tokens, written only under the lock of the company's head, together with the user's
 * events. Written without the lock are only the last use of a token, the link of someone who forgot the password, and
 * another hash of the same password.
 */

const NO_RESET = sql`reset_hash = null, reset_expires_at = null`
const NO_LINKS = sql`link_hash = null, link_expires_at = null, ${NO_RESET}`

/** The rows of a user, in any table that has some. */
function isOf(companyId: string, userId: string): RawBuilder<boolean> {
  return sql`company_id = ${toUuid(companyId)} and user_id = ${toUuid(userId)}`
}

/** Whether a user who is not removed has this email. */
export async function isEmailTaken({ db, companyId }: Transaction, email: string) {
  const { rows } = await sql`select 1 from users
    where company_id = ${toUuid(companyId)}
      and email = any(${listStoredAddresses(email)}) and removed_at is null`.execute(db)
  return rows.length > 0
}

/** Loads what decides whether a user may be changed, such as whether another administrator can sign in. */
export async function loadUserFacts(client: ClientBase, companyId: string, userId: string): Promise<UserFacts> {
  const { rows } = await client.query<UserFacts>(
    `select exists (select from identity_providers
         where company_id = $1 and use = 'required' and break_glass = $2) as "isBreakGlass",
       exists (select from users u left join identity_providers p on p.company_id = u.company_id
         where u.company_id = $1 and u.user_id <> $2 and u.role = 'admin' and u.removed_at is null
           and ((p.use <> 'off' and p.issuer = u.issuer)
             or (not ${requiresProvider('$1', 'u.user_id')}
               and (u.password_hash is not null or ${hasPasskey('$1', 'u.user_id')})))) as "hasOtherAdmin"`,
    [toUuid(companyId), toUuid(userId)],
  )
  return rows[0]!
}

/** Whether a user has ever had a way to sign in: one who never had can only have been invited. */
export async function hasHadAccess({ db, companyId }: Transaction, userId: string) {
  const { rows } = await sql`select 1 from events
    where company_id = ${toUuid(companyId)} and stream_id = ${toUuid(userId)}
      and type in ('UserPasswordSet', 'UserIdentityLinked', 'UserPasskeyAdded') limit 1`.execute(db)
  return rows.length > 0
}

/** The SHA-256 of a one-time token, and when it expires. */
export interface OneTimeLink {
  hash: Buffer
  expiresAt: string
}

/** Inserts a user with either a password or a link to set one. */
export async function insertUser(
  { db, companyId, now }: Transaction,
  user: UserLife,
  { passwordHash, link }: { passwordHash: string | null; link: OneTimeLink | null },
) {
  const { id, version, email, name, role } = user
  await sql`insert into users
      (company_id, user_id, version, email, name, role, password_hash, link_hash, link_expires_at, created_at)
    values (${toUuid(companyId)}, ${toUuid(id)}, ${version}, ${email}, ${name}, ${role}, ${passwordHash},
      ${link?.hash ?? null}, ${link?.expiresAt ?? null}, ${now})`.execute(db)
}

/** Stores a user's version and role after a change. */
export async function updateUser({ db, companyId }: Transaction, user: UserLife) {
  await sql`update users set version = ${user.version}, role = ${user.role}
    where ${isOf(companyId, user.id)}`.execute(db)
}

/**
 * Stores the account at the identity provider with which a user signs in; null removes it. Deletes any one-time link: it
 * must not work beside the account.
 */
export async function storeIdentity(tx: Transaction, userId: string, identity: Identity | null) {
  await sql`update users set issuer = ${identity?.issuer ?? null}, subject = ${identity?.subject ?? null}, ${NO_LINKS}
    where ${isOf(tx.companyId, userId)}`.execute(tx.db)
}

/**
 * Stores a link to set a new password. Deletes the password, any earlier link, the passkeys, the recovery codes and the
 * account at the identity provider, and ends the user's sessions. The administrator who sees the link could use it, so
 * the email address is no longer proved.
 */
export async function storeLink(tx: Transaction, userId: string, link: OneTimeLink) {
  await sql`update users set password_hash = null, issuer = null, subject = null, link_hash = ${link.hash},
      link_expires_at = ${link.expiresAt}, has_proved_email = false, ${NO_RESET}
    where ${isOf(tx.companyId, userId)}`.execute(tx.db)
  await deletePasskeysOf(tx, userId)
  await endSessions(tx.connection, tx, 'password_reset', sql`user_id = ${toUuid(userId)}`)
}

/** Stores the password of the actor. Deletes the links and ends the sessions. */
export async function storePassword(
  tx: Transaction,
  { passwordHash, provesEmail }: { passwordHash: string; provesEmail: boolean },
) {
  const { companyId, actor: userId } = tx
  await sql`update users set password_hash = ${passwordHash}, ${NO_LINKS},
      has_proved_email = has_proved_email or ${provesEmail}
    where ${isOf(companyId, userId)}`.execute(tx.db)
  await endSessions(tx.connection, tx, 'password_set', sql`user_id = ${toUuid(userId)}`)
}

async function deletePasskeysOf({ db, companyId }: Transaction, userId: string) {
  await sql`delete from passkeys where ${isOf(companyId, userId)}`.execute(db)
  await sql`delete from recovery_codes where ${isOf(companyId, userId)}`.execute(db)
}

/**
 * Deletes a removed user's password, links, passkeys and recovery codes, ends the tokens and sessions, and cancels
 * messages. The name stays, because events refer to it.
 */
export async function deleteUserAccess(tx: Transaction, userId: string) {
  const { connection, db, companyId, now } = tx
  await sql`update users set password_hash = null, ${NO_LINKS}, removed_at = ${now}
    where ${isOf(companyId, userId)}`.execute(db)
  await sql`update user_tokens set revoked_at = ${now}
    where ${isOf(companyId, userId)} and revoked_at is null`.execute(db)
  await deletePasskeysOf(tx, userId)
  await endSessions(connection, tx, 'user_removed', sql`user_id = ${toUuid(userId)}`)
  await cancelEmails(connection, companyId, userId)
}

/** The user of a one-time link that works. */
export interface UserOfLink {
  userId: string
  email: string
  companyName: string
  /** Who invited the user: an id of a user, or `operator`. */
  invitedBy: string
  /** The name of the identity provider that the company requires of this user; null if a password is of use. */
  requiredProvider: string | null
  /** Whether only a message to the user's email address contained the link, so that no administrator has seen it. */
  provesEmail: boolean
}

/** Finds the user of a link; null if the link is unknown, has expired, or may no longer set a password. */
export async function findUserOfLink(
  client: Queryable,
  companyId: string,
  linkHash: Buffer,
): Promise<UserOfLink | null> {
  const { rows } = await client.query<Omit<UserOfLink, 'userId'> & Row<'users', 'user_id'>>(
    `select u.user_id, u.email, u.reset_hash is not distinct from $2 as "provesEmail", c.name as "companyName",
       e.actor as "invitedBy", case when ${requiresProvider('$1', 'u.user_id')} then p.name end as "requiredProvider"
     from users u join companies c on c.company_id = u.company_id
       join events e on e.company_id = u.company_id and e.stream_id = u.user_id and e.stream_version = 1
       left join identity_providers p on p.company_id = u.company_id
     where u.company_id = $1 and u.removed_at is null
       and ((u.link_hash = $2 and u.link_expires_at > clock_timestamp())
         or (u.reset_hash = $2 and u.reset_expires_at > clock_timestamp() and ${mayResetPassword('$1')}))`,
    [toUuid(companyId), linkHash],
  )
  if (!rows[0]) return null
  const { user_id: uuid, ...user } = rows[0]
  return { ...user, userId: fromUuid('usr', uuid) }
}

/** Loads a user's password hash; null if the user has none, was removed, or does not exist. */
export async function loadPasswordHash(client: Queryable, companyId: string, userId: string) {
  const { rows } = await sql<Row<'users', 'password_hash'>>`select password_hash from users
    where ${isOf(companyId, userId)} and removed_at is null`.execute(onClient(client))
  return rows[0]?.password_hash ?? null
}

/** Inserts a token, of whose secret only a digest is stored, and returns it. */
export async function insertToken(
  { db, companyId, now: createdAt }: Transaction,
  token: Pick<TokenRecord, 'id' | 'userId' | 'name' | 'scopes' | 'expiresAt'>,
  { hash, lastFour }: SecretDigest,
): Promise<TokenRecord> {
  const { id, userId, name, scopes, expiresAt } = token
  const scope = scopes?.join(' ') ?? null
  await sql`
    insert into user_tokens (company_id, token_id, token_hash, user_id, name, last_four, scope, expires_at, created_at)
    values (${toUuid(companyId)}, ${toUuid(id)}, ${hash}, ${toUuid(userId)}, ${name}, ${lastFour}, ${scope},
      ${expiresAt}, ${createdAt})`.execute(db)
  return { ...token, createdAt, lastFour, lastUsed: null, revokedAt: null }
}

/** Counts the tokens of a user that are neither revoked nor expired. */
export async function countWorkingTokens({ db, companyId, now }: Transaction, userId: string) {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from user_tokens
    where ${isOf(companyId, userId)} and revoked_at is null and expires_at > ${now}`.execute(db)
  return rows[0]!.count
}

/** Stores that a token is revoked. */
export async function markTokenRevoked({ db, companyId, now }: Transaction, tokenId: string) {
  await sql`update user_tokens set revoked_at = ${now}
    where company_id = ${toUuid(companyId)} and token_id = ${toUuid(tokenId)}`.execute(db)
}

/** Replaces the hash of a password by another one of the same password, unless the password was changed meanwhile. */
export async function replacePasswordHash(
  client: Queryable,
  { companyId, userId }: { companyId: string; userId: string },
  { former, passwordHash }: { former: string; passwordHash: string },
) {
  await sql`update users set password_hash = ${passwordHash}
    where ${isOf(companyId, userId)} and password_hash = ${former}`.execute(onClient(client))
}
