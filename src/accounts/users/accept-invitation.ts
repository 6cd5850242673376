import type { Pool } from 'pg'
import { companyOfLinkToken } from '../../domain/accounts/secrets.ts'
import { findEmailOfLink, findUserOfLink, storePassword } from './user-rows.ts'
import type { ChangedUser } from './change-user.ts'
import { changeUserRow } from './change-user.ts'
import type { CompanyServices } from './change-company.ts'
import { changeCompany } from './change-company.ts'
import { hashSecret } from './new-secret.ts'
import { hashPassword } from './password.ts'
import { RefusedCredentialsError } from '../refused-credentials-error.ts'

/**
 * Sets a user's password with a one-time token, which cannot be used again. Throws RefusedCredentialsError if the token is
 * malformed, unknown, used, replaced or expired. Hashes the password, which is expensive, only for a valid token.
 */
export async function acceptInvitation(
  services: CompanyServices,
  { token, password }: { token: string; password: string },
): Promise<ChangedUser> {
  const companyId = companyOfLinkToken(token)
  const userId = companyId === null ? null : await findUserOfLink(services.pool, companyId, hashSecret(token))
  if (companyId === null || userId === null) throw makeTokenError()
  const passwordHash = await hashPassword(password)
  const { result, position } = await changeCompany(
    services,
    { companyId, actor: userId },
    'any role',
    async (client) => {
      // Of two concurrent uses, the second finds the token used.
      if ((await findUserOfLink(client, companyId, hashSecret(token))) !== userId) throw makeTokenError()
      const { events, result } = await changeUserRow(client, companyId, userId, { change: 'set_password' })
      await storePassword(client, companyId, userId, passwordHash)
      return { events, result: { ...result, linkExpiresAt: null } }
    },
  )
  return { user: result, position }
}

/** Finds the email of the user whose one-time token this is; null if it does not work. Does not use up the token. */
export async function findInvitedEmail(pool: Pool, token: string): Promise<string | null> {
  const companyId = companyOfLinkToken(token)
  return companyId === null ? null : findEmailOfLink(pool, companyId, hashSecret(token))
}

function makeTokenError(): RefusedCredentialsError {
  return new RefusedCredentialsError('the one-time token is unknown, used or too old')
}
