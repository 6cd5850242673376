import type { PoolClient } from 'pg'
import type { Role } from '../../domain/accounts/roles.ts'
import { problem } from '../../domain/errors.ts'
import { toUuid } from '../../domain/ids.ts'
import { prefixOfSecret } from '../../domain/accounts/secrets.ts'
import { decideUserChange, evolveUser, type UserChange } from '../../domain/accounts/user-lifecycle.ts'
import { emailLink } from './email-user.ts'
import { deleteUserAccess, hasHadAccess, loadUserFacts, storeLink, updateUser } from './user-rows.ts'
import { findUser, type UserRecord } from './users.ts'
import type { Acting, CompanyServices } from '../change-company.ts'
import { changeCompany, refuseOutdated, unwrapDecision, RefusedByStateError } from '../change-company.ts'
import { makeOneTimeLink, type UserWithLink } from './invite-user.ts'
import { generateSecret } from './new-secret.ts'
import { onClient } from '../../postgres/kysely.ts'

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
  const { result, position } = await changeCompany(services, acting, 'admin', async (client) => {
    const user = await findUser(onClient(client), acting.companyId, userId)
    // Without a role, nothing changes, and the caller gets the current state.
    const newRole = role ?? user?.role ?? 'member'
    return changeUserRow(client, acting.companyId, userId, { change: 'role', role: newRole })
  })
  return { user: result, position }
}

/** Removes a user. Password, passkeys, link, tokens and sessions stop working at once. Throws like `changeUserRole`. */
export async function removeUser(services: CompanyServices, acting: Acting, userId: string): Promise<ChangedUser> {
  const { companyId } = acting
  const { result, position } = await changeCompany(services, acting, 'admin', async (client, now) => {
    const { events, result } = await changeUserRow(client, companyId, userId, { change: 'remove' })
    if (events.length === 0) return { events, result }
    await deleteUserAccess(client, acting, userId, now)
    return { events, result: { ...result, removedAt: now, linkExpiresAt: null, hasPasskeys: false } }
  })
  return { user: result, position }
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
  const { companyId } = acting
  if (acting.actor === userId) throw new RefusedByStateError(OWN_PASSWORD)
  const linkToken = generateSecret(prefixOfSecret('link', companyId))
  const { result, position } = await changeCompany(services, acting, 'admin', async (client, now) => {
    const link = makeOneTimeLink(linkToken, now)
    const reset = { change: 'reset', linkExpiresAt: link.expiresAt } as const
    const kind = (await hasHadAccess(client, companyId, userId)) ? 'password_reset' : 'invitation'
    const { events, result } = await changeUserRow(client, companyId, userId, reset, seen)
    await storeLink(client, acting, userId, link)
    const { expiresAt } = link
    const isEmailed = await emailLink(client, services, acting, { userId, kind, token: linkToken, expiresAt })
    const user: UserRecord = { ...result, linkExpiresAt: expiresAt, hasPasskeys: false }
    return { events, result: { user, linkExpiresAt: expiresAt, isEmailed } }
  })
  return { ...result, linkToken, position }
}

/**
 * Decides a change under the lock and stores the user's version and role; the caller stores the rest. With `seen`, only
 * if the user still has that version. Throws RefusedByStateError.
 */
export async function changeUserRow(
  client: PoolClient,
  companyId: string,
  userId: string,
  change: UserChange,
  seen?: number,
) {
  const stored = await findUser(onClient(client), companyId, userId)
  if (!stored) throw new RefusedByStateError(NO_SUCH_USER)
  if (seen !== undefined && seen !== stored.version && (await hasChangedSince(client, companyId, userId, seen)))
    throw refuseOutdated(CHANGED)
  const events = unwrapDecision(decideUserChange(stored, change, await loadUserFacts(client, companyId, userId)))
  const result: UserRecord = { ...stored, ...events.reduce(evolveUser, stored) }
  if (events.length > 0) await updateUser(client, companyId, result)
  return { events, result }
}

/** Whether anything about a user changed after a version. Signing in and out, and failing to, changes nothing. */
async function hasChangedSince(
  client: PoolClient,
  companyId: string,
  userId: string,
  version: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from events where company_id = $1 and stream_id = $2 and stream_version > $3
       and type not in ('UserSignedIn', 'UserSignedOut', 'UserSessionsEnded', 'UserSignInFailed') limit 1`,
    [toUuid(companyId), toUuid(userId), version],
  )
  return rowCount === 1
}
