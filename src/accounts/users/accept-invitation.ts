import type { Pool, PoolClient } from 'pg'
import { enterCompany } from '../../postgres/company-scope.ts'
import { companyOfSecret } from '../../domain/accounts/secrets.ts'
import { problem } from '../../domain/errors.ts'
import { findUserOfLink, hasHadAccess, storePassword, type UserOfLink } from './user-rows.ts'
import { notifyUser } from './email-user.ts'
import { changeUserRow, type ChangedUser } from './change-user.ts'
import type { Client } from '../../domain/client.ts'
import { changeCompany, RefusedByStateError, type CompanyServices } from '../change-company.ts'
import { hashSecret } from './new-secret.ts'
import { hashPassword, makeHashSetting } from './password.ts'
import { readSignInKey } from './sign-in-key.ts'
import { RefusedCredentialsError } from '../../domain/accounts/refused-credentials-error.ts'

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

function makeTokenError(): RefusedCredentialsError {
  return new RefusedCredentialsError('the one-time token is unknown, used or too old')
}
