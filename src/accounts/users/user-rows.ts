import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { Identity, UserFacts, UserLife } from '../../domain/accounts/user-lifecycle.ts'
import { cancelEmails } from '../mail/outbox.ts'
import { SELECT_TOKENS, toTokenRecord, type TokenRecord, type TokenRow } from './read-user-tokens.ts'
import { endSessions, type SessionActor } from '../session-events.ts'
import { hasPasskey, mayResetPassword, requiresProvider } from './sign-in-conditions.ts'
import { SELECT_USERS, toUserRecord, type UserRecord, type UserRow } from './users.ts'
import type { Queryable } from '../../postgres/query-client.ts'
import type { Row } from '../../ledger/tables.ts'

/*
 * The rows of users and their tokens, written only under the lock of the company's head, together with the user's
 * events. Written without the lock are only the last use of a token, the link of someone who forgot the password, and
 * another hash of the same password.
 */

const NO_RESET = 'reset_hash = null, reset_expires_at = null'
const NO_LINKS = `link_hash = null, link_expires_at = null, ${NO_RESET}`

/** Loads a user under the lock of its company's head; null if the company has no such user. */
export async function loadUser(client: ClientBase, companyId: string, userId: string): Promise<UserRecord | null> {
  const text = `${SELECT_USERS} where company_id = $1 and user_id = $2`
  const { rows } = await client.query<UserRow>(text, [toUuid(companyId), toUuid(userId)])
  return rows[0] ? toUserRecord(rows[0]) : null
}

/** Whether a user who is not removed has this email. */
export async function isEmailTaken(client: ClientBase, companyId: string, email: string): Promise<boolean> {
  const text = 'select 1 from users where company_id = $1 and email = $2 and removed_at is null'
  return ((await client.query(text, [toUuid(companyId), email])).rowCount ?? 0) > 0
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
export async function hasHadAccess(client: ClientBase, companyId: string, userId: string): Promise<boolean> {
  const { rows } = await client.query<{ has_had: boolean }>(
    `select exists (select from events where company_id = $1 and stream_id = $2
       and type in ('UserPasswordSet', 'UserIdentityLinked', 'UserPasskeyAdded')) as has_had`,
    [toUuid(companyId), toUuid(userId)],
  )
  return rows[0]!.has_had
}

/** The SHA-256 of a one-time token, and when it expires. */
export interface OneTimeLink {
  hash: Buffer
  expiresAt: string
}

/** Inserts a user with either a password or a link to set one. */
export async function insertUser(
  client: ClientBase,
  companyId: string,
  user: UserLife,
  access: { passwordHash: string | null; link: OneTimeLink | null },
  now: string,
): Promise<UserRecord> {
  const { passwordHash, link } = access
  await client.query(
    `insert into users
       (company_id, user_id, version, email, name, role, password_hash, link_hash, link_expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      toUuid(companyId),
      toUuid(user.id),
      user.version,
      user.email,
      user.name,
      user.role,
      passwordHash,
      link?.hash ?? null,
      link?.expiresAt ?? null,
      now,
    ],
  )
  return {
    ...user,
    createdAt: now,
    removedAt: null,
    linkExpiresAt: link?.expiresAt ?? null,
    hasPasskeys: false,
    lastSignInAt: null,
  }
}

/** Stores a user's version and role after a change. */
export async function updateUser(client: ClientBase, companyId: string, user: UserLife): Promise<void> {
  await client.query('update users set version = $3, role = $4 where company_id = $1 and user_id = $2', [
    toUuid(companyId),
    toUuid(user.id),
    user.version,
    user.role,
  ])
}

/**
 * Stores the account at the identity provider with which a user signs in; null removes it. Deletes any one-time link: it
 * must not work beside the account.
 */
export async function storeIdentity(
  client: ClientBase,
  companyId: string,
  userId: string,
  identity: Identity | null,
): Promise<void> {
  await client.query(
    `update users set issuer = $3, subject = $4, ${NO_LINKS}
     where company_id = $1 and user_id = $2`,
    [toUuid(companyId), toUuid(userId), identity?.issuer ?? null, identity?.subject ?? null],
  )
}

/**
 * Stores a link to set a new password. Deletes the password, any earlier link, the passkeys, the recovery codes and the
 * account at the identity provider, and ends the user's sessions. The administrator who sees the link could use it, so
 * the email address is no longer proved.
 */
export async function storeLink(
  client: ClientBase,
  acting: SessionActor,
  userId: string,
  link: OneTimeLink,
): Promise<void> {
  const { companyId } = acting
  await client.query(
    `update users set password_hash = null, issuer = null, subject = null, link_hash = $3, link_expires_at = $4,
       has_proved_email = false, ${NO_RESET}
     where company_id = $1 and user_id = $2`,
    [toUuid(companyId), toUuid(userId), link.hash, link.expiresAt],
  )
  await deletePasskeysOf(client, companyId, userId)
  await endSessions(client, acting, 'password_reset', 'user_id = $2', [toUuid(userId)])
}

/** Stores the password of the actor. Deletes the links and ends the sessions. */
export async function storePassword(
  client: ClientBase,
  acting: SessionActor,
  { passwordHash, provesEmail }: { passwordHash: string; provesEmail: boolean },
): Promise<void> {
  const { companyId, actor: userId } = acting
  await client.query(
    `update users set password_hash = $3, has_proved_email = has_proved_email or $4, ${NO_LINKS}
     where company_id = $1 and user_id = $2`,
    [toUuid(companyId), toUuid(userId), passwordHash, provesEmail],
  )
  await endSessions(client, acting, 'password_set', 'user_id = $2', [toUuid(userId)])
}

async function deletePasskeysOf(client: ClientBase, companyId: string, userId: string): Promise<void> {
  const ids = [toUuid(companyId), toUuid(userId)]
  await client.query('delete from passkeys where company_id = $1 and user_id = $2', ids)
  await client.query('delete from recovery_codes where company_id = $1 and user_id = $2', ids)
}

/**
 * Deletes a removed user's password, links, passkeys and recovery codes, ends the tokens and sessions, and cancels
 * messages. The name stays, because events refer to it.
 */
export async function deleteUserAccess(
  client: ClientBase,
  acting: SessionActor,
  userId: string,
  now: string,
): Promise<void> {
  const { companyId } = acting
  const ids = [toUuid(companyId), toUuid(userId)]
  await client.query(
    `update users set password_hash = null, ${NO_LINKS}, removed_at = $3
     where company_id = $1 and user_id = $2`,
    [...ids, now],
  )
  await client.query(
    'update user_tokens set revoked_at = $3 where company_id = $1 and user_id = $2 and revoked_at is null',
    [...ids, now],
  )
  await deletePasskeysOf(client, companyId, userId)
  await endSessions(client, acting, 'user_removed', 'user_id = $2', [toUuid(userId)])
  await cancelEmails(client, companyId, userId)
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
  const { rows } = await client.query<
    Row<'users', 'user_id' | 'email'> & {
      company_name: string
      invited_by: string
      provider: string | null
      proves_email: boolean
    }
  >(
    `select u.user_id, u.email, u.reset_hash is not distinct from $2 as proves_email, c.name as company_name, e.actor as invited_by, case when ${requiresProvider('$1', 'u.user_id')} then p.name end as provider
     from users u join companies c on c.company_id = u.company_id
       join events e on e.company_id = u.company_id and e.stream_id = u.user_id and e.stream_version = 1
       left join identity_providers p on p.company_id = u.company_id
     where u.company_id = $1 and u.removed_at is null
       and ((u.link_hash = $2 and u.link_expires_at > clock_timestamp())
         or (u.reset_hash = $2 and u.reset_expires_at > clock_timestamp() and ${mayResetPassword('$1')}))`,
    [toUuid(companyId), linkHash],
  )
  const [row] = rows
  if (!row) return null
  return {
    userId: fromUuid('usr', row.user_id),
    email: row.email,
    companyName: row.company_name,
    invitedBy: row.invited_by,
    requiredProvider: row.provider,
    provesEmail: row.proves_email,
  }
}

/** Loads a user's password hash; null if the user has none, was removed, or does not exist. */
export async function loadPasswordHash(client: Queryable, companyId: string, userId: string): Promise<string | null> {
  const { rows } = await client.query<Row<'users', 'password_hash'>>(
    'select password_hash from users where company_id = $1 and user_id = $2 and removed_at is null',
    [toUuid(companyId), toUuid(userId)],
  )
  return rows[0]?.password_hash ?? null
}

/** Inserts a token with the SHA-256 of its secret. */
export async function insertToken(
  client: ClientBase,
  companyId: string,
  token: TokenRecord,
  tokenHash: Buffer,
): Promise<void> {
  await client.query(
    `insert into user_tokens (company_id, token_id, token_hash, user_id, name, last_four, scope, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      toUuid(companyId),
      toUuid(token.id),
      tokenHash,
      toUuid(token.userId),
      token.name,
      token.lastFour,
      token.scope,
      token.expiresAt,
      token.createdAt,
    ],
  )
}

/** Counts the tokens of a user that are neither revoked nor expired. `now` is RFC 3339 UTC. */
export async function countWorkingTokens(
  client: ClientBase,
  companyId: string,
  userId: string,
  now: string,
): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from user_tokens
     where company_id = $1 and user_id = $2 and revoked_at is null and expires_at > $3`,
    [toUuid(companyId), toUuid(userId), now],
  )
  return rows[0]!.count
}

/** Loads a token under the lock of the head; null if the company has no such token. */
export async function loadToken(client: ClientBase, companyId: string, tokenId: string): Promise<TokenRecord | null> {
  const text = `${SELECT_TOKENS} where company_id = $1 and token_id = $2`
  const { rows } = await client.query<TokenRow>(text, [toUuid(companyId), toUuid(tokenId)])
  return rows[0] ? toTokenRecord(rows[0]) : null
}

/** Stores that a token is revoked. `now` is RFC 3339 UTC. */
export async function markTokenRevoked(
  client: ClientBase,
  companyId: string,
  tokenId: string,
  now: string,
): Promise<void> {
  await client.query('update user_tokens set revoked_at = $3 where company_id = $1 and token_id = $2', [
    toUuid(companyId),
    toUuid(tokenId),
    now,
  ])
}

/** Replaces the hash of a password by another one of the same password, unless the password was changed meanwhile. */
export async function replacePasswordHash(
  client: Queryable,
  { companyId, userId }: { companyId: string; userId: string },
  { former, passwordHash }: { former: string; passwordHash: string },
): Promise<void> {
  await client.query(
    'update users set password_hash = $4 where company_id = $1 and user_id = $2 and password_hash = $3',
    [toUuid(companyId), toUuid(userId), former, passwordHash],
  )
}
