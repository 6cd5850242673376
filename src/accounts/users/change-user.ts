import type { Role } from '#domain/accounts/roles'
import { problem } from '#domain/errors'
import { toUuid } from '#domain/ids'
import { prefixOfSecret } from '#domain/accounts/secrets'
import {
  decideUserChange,
  evolveUser,
  type UserChange,
  addDays,
  LINK_LIFE_DAYS,
  decideInvitation,
  type UserLife,
} from '#domain/accounts/user-lifecycle'
import { emailLink } from './email-user.ts'
import {
  deleteUserAccess,
  hasHadAccess,
  loadUserFacts,
  storeLink,
  updateUser,
  insertUser,
  isEmailTaken,
  type OneTimeLink,
  insertToken,
} from './user-rows.ts'
import { findUser, type UserRecord } from './users.ts'
import {
  type Acting,
  type CompanyServices,
  type Transaction,
  changeCompany,
  refuseOutdated,
  unwrapDecision,
  RefusedByStateError,
} from '#accounts/change-company'
import { generateSecret, hashSecret, digestSecret } from './new-secret.ts'
import type { Pool } from 'pg'
import { readPunycode } from '#domain/attributes'
import { normalizeEmail } from '#text/normalize-text'
import { OPERATOR, RefusedChangeError } from '#ledger/append/append-company-events'
import { generatePassword, hashPassword, makeHashSetting, readSignInKey } from './password.ts'

export const NO_SUCH_USER = problem('user_not_found', 'No such user exists')
const CHANGED = 'The user has changed since you opened this page. Nothing was done; check it, then try again'

const OWN_PASSWORD = problem(
  'own_password',
  'You cannot reset your own password; change it on your account page, or ask another administrator',
)

/** A user after a change. The position is null if nothing changed. */
export interface ChangedUser {
  user: UserRecord
  position: number | null
}

/** Changes a user's role. Takes effect immediately. Throws RefusedByStateError, such as `last_admin`. */
export async function changeUserRole(
  services: CompanyServices,
  acting: Acting,
  userId: string,
  role: Role | undefined,
): Promise<ChangedUser> {
  return changeCompany(services, acting, 'admin', async (tx) => {
    const { events, user } = await changeUserRow(tx, userId, { change: 'role', role })
    return { events, result: { user } }
  })
}

/** Removes a user. Password, passkeys, link, tokens and sessions stop working at once. Throws like `changeUserRole`. */
export async function removeUser(services: CompanyServices, acting: Acting, userId: string): Promise<ChangedUser> {
  return changeCompany(services, acting, 'admin', async (tx) => {
    const { events, user } = await changeUserRow(tx, userId, { change: 'remove' })
    if (events.length === 0) return { events, result: { user } }
    await deleteUserAccess(tx, userId)
    return { events, result: { user: { ...user, removedAt: tx.now, linkExpiresAt: null, hasPasskeys: false } } }
  })
}

/**
 * Issues a one-time token to set a new password. The current password, passkeys, recovery codes, the link to an account
 * at the identity provider, earlier one-time tokens and all sessions stop working immediately; access tokens keep
 * working. Sends the token by email, if the service sends email. With `seen`, only if the user still has that version.
 * Throws RefusedByStateError, also if the user is the actor: a session or a token could take over its own user.
 */
export async function resetUserPassword(
  services: CompanyServices,
  acting: Acting,
  userId: string,
  seen?: number,
): Promise<UserWithLink> {
  if (acting.actor === userId) throw new RefusedByStateError(OWN_PASSWORD)
  const linkToken = generateSecret(prefixOfSecret('link', acting.companyId))
  const reset = await changeCompany(services, acting, 'admin', async (tx) => {
    const link = makeOneTimeLink(linkToken, tx.now)
    const { expiresAt } = link
    const kind = (await hasHadAccess(tx, userId)) ? 'password_reset' : 'invitation'
    const change = { change: 'reset', linkExpiresAt: expiresAt } as const
    const { events, user } = await changeUserRow(tx, userId, change, seen)
    await storeLink(tx, userId, link)
    const isEmailed = await emailLink(tx, { userId, kind, token: linkToken, expiresAt })
    const result = { ...user, linkExpiresAt: expiresAt, hasPasskeys: false }
    return { events, result: { user: result, linkExpiresAt: expiresAt, isEmailed } }
  })
  return { ...reset, linkToken }
}

/**
 * Decides a change under the lock and stores the user's version and role; the caller stores the rest. With `seen`, only
 * if the user still has that version. Throws RefusedByStateError.
 */
export async function changeUserRow(tx: Transaction, userId: string, change: UserChange, seen?: number) {
  const stored = await findUser(tx.db, tx.companyId, userId)
  if (!stored) throw new RefusedByStateError(NO_SUCH_USER)
  if (seen !== undefined && seen !== stored.version && (await hasChangedSince(tx, userId, seen)))
    throw refuseOutdated(CHANGED)
  const facts = await loadUserFacts(tx.connection, tx.companyId, userId)
  const events = unwrapDecision(decideUserChange(stored, change, facts))
  const user: UserRecord = { ...stored, ...events.reduce(evolveUser, stored) }
  if (events.length > 0) await updateUser(tx, user)
  return { events, user }
}

/** Whether anything about a user changed after a version. Signing in and out, and failing to, changes nothing. */
async function hasChangedSince({ connection, companyId }: Transaction, userId: string, version: number) {
  const { rowCount } = await connection.query(
    `select 1 from events where company_id = $1 and stream_id = $2 and stream_version > $3
       and type not in ('UserSignedIn', 'UserSignedOut', 'UserSessionsEnded', 'UserSignInFailed') limit 1`,
    [toUuid(companyId), toUuid(userId), version],
  )
  return rowCount === 1
}

/** A user with a new one-time token, which is shown once. Only its hash is stored. */
export interface UserWithLink {
  user: UserRecord
  linkToken: string
  linkExpiresAt: string
  /** Whether the link is sent to the user by email. */
  isEmailed: boolean
  position: number | null
}

/**
 * Adds a user, who sets the password with a one-time token, and sends it if the service sends email. The email must be
 * normalized. Throws RefusedByStateError with `user_exists` if the email is taken.
 */
export async function inviteCompanyUser(
  services: CompanyServices,
  acting: Acting,
  person: { email: string; name: string; role: Role },
): Promise<UserWithLink> {
  const id = services.newId('usr')
  const linkToken = generateSecret(prefixOfSecret('link', acting.companyId))
  const invited = await changeCompany(services, acting, 'admin', async (tx) => {
    if (await isEmailTaken(tx, person.email)) {
      throw new RefusedByStateError(problem('user_exists', 'A user with this email address already exists'))
    }
    const { user, events } = buildUser({ id, ...person }, [])
    const link = makeOneTimeLink(linkToken, tx.now)
    await insertUser(tx, user, { passwordHash: null, link })
    const { expiresAt } = link
    const isEmailed = await emailLink(tx, { userId: id, kind: 'invitation', token: linkToken, expiresAt })
    const stored = (await findUser(tx.db, tx.companyId, id))!
    return { events, result: { user: stored, linkExpiresAt: expiresAt, isEmailed } }
  })
  return { ...invited, linkToken }
}

/** Returns what is stored of a new one-time token. `now` is RFC 3339 UTC. */
function makeOneTimeLink(token: string, now: string): OneTimeLink {
  return { hash: hashSecret(token), expiresAt: addDays(now, LINK_LIFE_DAYS) }
}

interface NewUser {
  companyId: string
  email: string
  name: string
  role: Role
}

/** A new user with a password and a token, which are shown once. Only their hashes are stored. */
export interface AddedUser {
  user_id: string
  email: string
  role: Role
  password: string
  token: string
  token_expires_at: string
}

const TOKEN_NAME = 'first token'
const TOKEN_LIFE_MS = 365 * 24 * 60 * 60 * 1000

/** A new password, and its hash for an email address. */
export interface NewPassword {
  password: string
  passwordHash: string
}

/** Makes a password for a new user with this normalized email. */
export async function makePassword(pool: Pool, email: string): Promise<NewPassword> {
  const password = generatePassword()
  return { password, passwordHash: await hashPassword(password, makeHashSetting(await readSignInKey(pool), email)) }
}

/**
 * Adds a user to a company from the command line, with a password (a new one, unless given) and a first token.
 * Throws RefusedChangeError if the email is taken.
 */
export async function addUser(services: CompanyServices, newUser: NewUser, given?: NewPassword): Promise<AddedUser> {
  const { companyId, name, role } = newUser
  const [id, tokenId] = [services.newId('usr'), services.newId('tok')]
  const email = readPunycode(normalizeEmail(newUser.email))
  const token = generateSecret(prefixOfSecret('token', companyId))
  const { password, passwordHash } = given ?? (await makePassword(services.pool, email))
  const operator = { companyId, actor: OPERATOR }
  const { expiresAt } = await changeCompany(services, operator, 'admin', async (tx) => {
    if (await isEmailTaken(tx, email)) throw new RefusedChangeError(`the company already has a user ${email}`)
    const expiresAt = new Date(Date.parse(tx.now) + TOKEN_LIFE_MS).toISOString()
    const { user, events } = buildUser({ id, email, name, role }, [
      { change: 'set_password' },
      { change: 'issue_token', tokenId, name: TOKEN_NAME, expiresAt, scopes: null },
    ])
    await insertUser(tx, user, { passwordHash, link: null })
    const issued = { id: tokenId, userId: id, name: TOKEN_NAME, scopes: null, expiresAt }
    await insertToken(tx, issued, digestSecret(token))
    return { events, result: { expiresAt } }
  })
  return { user_id: id, email, role, password, token, token_expires_at: expiresAt }
}

/** Creates a user with first changes. Returns the resulting user and all events. */
export function buildUser(person: Pick<UserLife, 'id' | 'email' | 'name' | 'role'>, changes: UserChange[]) {
  const invited = decideInvitation(person)
  const events = [invited]
  let user = evolveUser({ ...person, version: 0, hasPassword: false, isRemoved: false, identity: null }, invited)
  for (const change of changes) {
    for (const event of unwrapDecision(decideUserChange(user, change, { hasOtherAdmin: true, isBreakGlass: false }))) {
      events.push(event)
      user = evolveUser(user, event)
    }
  }
  return { user, events }
}
