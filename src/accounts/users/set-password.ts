import type { Pool, PoolClient } from 'pg'
import { enterCompany, inCompany } from '#postgres/company-scope'
import { companyOfSecret, prefixOfSecret } from '#domain/accounts/secrets'
import { problem, RefusedCredentialsError } from '#domain/errors'
import { findUserOfLink, hasHadAccess, storePassword, type UserOfLink, loadPasswordHash } from './user-rows.ts'
import { notifyUser, buildLinkUrl, loadEmailContext } from './email-user.ts'
import { changeUserRow, type ChangedUser } from './change-user.ts'
import type { Client } from '#domain/call-sources'
import {
  changeCompany,
  RefusedByStateError,
  type CompanyServices,
  refuseOutdated,
  type Acting,
} from '../change-company.ts'
import { hashSecret, generateSecret } from './new-secret.ts'
import {
  hashPassword,
  makeHashSetting,
  verifyPassword,
  readSignInKey,
  readPasswordUsers,
  type PasswordScope,
  type PasswordUser,
} from './password.ts'
import { deleteReplacedSession, type NewSession, beginSession } from './sessions.ts'
import { toUuid } from '#domain/ids'
import { describeForgottenPassword } from '../mail/account-emails.ts'
import { enqueueEmail, type Outbox } from '../mail/outbox.ts'
import { inTransaction } from '#postgres/pipeline'
import { mayResetPassword } from './users.ts'

/**
 * Sets a user's password with a one-time token, which cannot be used again. Tells the user by email, unless it is the
 * first way to sign in. Throws RefusedCredentialsError if the token is malformed, unknown, used, replaced or expired,
 * and RefusedByStateError where the company requires its identity provider instead. Hashes the password, which is
 * expensive, only for a valid token.
 */
export async function acceptInvitation(
  services: CompanyServices,
  { token, password, client: sender }: { token: string; password: string; client: Client },
): Promise<ChangedUser> {
  const companyId = companyOfSecret('link', token)
  if (companyId === null) throw makeTokenError()
  enterCompany(companyId)
  const { userId: actor, email, provesEmail } = await requireUserOfLink(services.pool, companyId, token)
  const passwordHash = await hashPassword(password, makeHashSetting(await readSignInKey(services.pool), email))
  const acting = { companyId, actor, client: sender }
  return changeCompany(services, acting, 'any role', async (tx) => {
    // Of two concurrent uses, the second finds the token used.
    if ((await requireUserOfLink(tx.connection, companyId, token)).userId !== actor) throw makeTokenError()
    const isFirst = !(await hasHadAccess(tx, actor))
    const { events, user } = await changeUserRow(tx, actor, { change: 'set_password' })
    await storePassword(tx, { passwordHash, provesEmail })
    if (!isFirst) await notifyUser(tx, actor, { kind: 'password_changed' })
    return { events, result: { user: { ...user, linkExpiresAt: null } } }
  })
}

/** Finds the user whose one-time token this is; null if it does not work. Does not use up the token. */
export async function findInvitedUser(pool: Pool, token: string): Promise<UserOfLink | null> {
  const companyId = companyOfSecret('link', token)
  if (companyId === null) return null
  enterCompany(companyId)
  return findUserOfLink(pool, companyId, hashSecret(token))
}

async function requireUserOfLink(client: Pool | PoolClient, companyId: string, token: string): Promise<UserOfLink> {
  const linkUser = await findUserOfLink(client, companyId, hashSecret(token))
  if (!linkUser) throw makeTokenError()
  if (linkUser.requiredProvider !== null) throw new RefusedByStateError(PROVIDER_REQUIRED)
  return linkUser
}

const PROVIDER_REQUIRED = problem(
  'provider_required',
  'The company signs in through its identity provider; a password is of no use there',
)

function makeTokenError() {
  return new RefusedCredentialsError('the one-time token is unknown, used or too old')
}

interface PasswordServices {
  company: CompanyServices
  /** The connections for sessions. */
  pool: Pool
  session: NewSession
}

/** `cookie` is that of the new session; null if the password was changed again before the session could start. */
type PasswordChange = { outcome: 'wrong password' } | { outcome: 'changed'; cookie: string | null }

/**
 * Changes the user's own password, given the current one. Ends all sessions of the user and starts a new one, which
 * replaces that of `cookie`. Tells the user by email. Throws RefusedByStateError if the password was changed meanwhile,
 * RefusedCredentialsError if the user no longer has one, and UnavailableError if too many passwords are being checked.
 */
export async function changeOwnPassword(
  { company, pool, session }: PasswordServices,
  acting: Acting,
  { email, current, next, cookie }: { email: string; current: string; next: string; cookie: string | null },
): Promise<PasswordChange> {
  const { companyId, actor: userId } = acting
  const checked = await loadPasswordHash(company.pool, companyId, userId)
  if (checked === null) throw new RefusedCredentialsError('the user no longer has a password')
  if (!(await verifyPassword(current, checked))) return { outcome: 'wrong password' }
  const passwordHash = await hashPassword(next, makeHashSetting(await readSignInKey(company.pool), email))
  await changeCompany(company, acting, 'any role', async (tx) => {
    // Of two concurrent changes, the second finds a password that it has not checked.
    if ((await loadPasswordHash(tx.connection, companyId, userId)) !== checked)
      throw refuseOutdated('Your password has already been changed. Nothing was done this time')
    const { events } = await changeUserRow(tx, userId, { change: 'set_password' })
    if (cookie !== null) await deleteReplacedSession(tx, cookie)
    await storePassword(tx, { passwordHash, provesEmail: false })
    await notifyUser(tx, userId, { kind: 'password_changed' })
    return { events, result: {} }
  })
  // A session is enough here: no second step is asked for.
  const proof = { method: 'password', passwordHash, beside: 'session' } as const
  return { outcome: 'changed', cookie: await beginSession(pool, { companyId, userId }, proof, session) }
}

/** The lifetime of a link that a user has asked for, in minutes. */
export const RESET_LIFE_MINUTES = 30

/**
 * Sends a link to set a new password to each user in the scope who has a password. The password works until the link is
 * used; a further link replaces it. Companies that require their identity provider are left out. Throws the first error
 * after all links were tried.
 */
export async function requestPasswordReset(
  { pool, outbox }: { pool: Pool; outbox: Outbox },
  scope: PasswordScope,
  sender: Client,
): Promise<void> {
  const failures: unknown[] = []
  for await (const users of readPasswordUsers(pool, scope)) {
    for (const user of users) {
      const { companyId } = user
      const send = () => inTransaction(pool, (client) => sendResetLink(client, outbox, user, sender))
      await inCompany(companyId, send).catch((error: unknown) => failures.push(error))
      outbox.announce([companyId])
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Stores and sends a link. Appends no event: whoever knows an address could fill the ledger. Locks the row of the user
 * instead of the company's head, so that two requests at once cannot exceed the limit of messages.
 */
async function sendResetLink(
  client: PoolClient,
  outbox: Outbox,
  { companyId, userId, hasPasskeys }: PasswordUser,
  sender: Client,
) {
  const ids = [toUuid(companyId), toUuid(userId)]
  const { rows } = await client.query<{ expires_at: string }>(
    `select (clock_timestamp() + interval '${RESET_LIFE_MINUTES} minutes')::timestamptz(3) as expires_at from users u
     where u.company_id = $1 and u.user_id = $2 and u.removed_at is null and ${mayResetPassword('$1')} for update`,
    ids,
  )
  const [row] = rows
  if (!row) return
  const expiresAt = row.expires_at
  const token = generateSecret(prefixOfSecret('link', companyId))
  const context = await loadEmailContext(client, { companyId, actor: userId, client: sender })
  const link = { url: buildLinkUrl(outbox.publicUrl, token), expiresAt }
  const content = describeForgottenPassword(context, link, { hasPasskeys })
  // Without a message, an earlier link keeps working.
  if (!(await enqueueEmail(client, outbox, { companyId, userId, kind: 'password_reset', expiresAt, ...content })))
    return
  await client.query('update users set reset_hash = $3, reset_expires_at = $4 where company_id = $1 and user_id = $2', [
    ...ids,
    hashSecret(token),
    expiresAt,
  ])
}
