import type { TokenScope } from '../../domain/company.ts'
import { problem } from '../../domain/errors.ts'
import { userTokenPrefix } from '../../domain/accounts/secrets.ts'
import { daysAfter } from '../../domain/accounts/user-lifecycle.ts'
import type { TokenRecord } from './read-user-tokens.ts'
import { insertToken, loadToken, revokeToken } from './user-rows.ts'
import { changeUserRow } from './change-user.ts'
import type { Acting, CompanyServices } from './change-company.ts'
import { changeCompany, isAdministrator, RefusedByStateError } from './change-company.ts'
import { hashOf, newSecret } from './new-secret.ts'

export const NO_SUCH_TOKEN = problem('token_not_found', 'No such token exists')

/** A new token with its secret, which is shown once and of which only a hash is kept. */
export interface IssuedToken {
  token: TokenRecord
  secret: string
  position: number | null
}

export interface WantedToken {
  userId: string
  name: string
  expiresInDays: number
  /** What it is narrowed to; null opens all that its user may do. */
  scope: TokenScope | null
  /** The version of the user that was seen, where the token is only for one who still has it. */
  seen?: number
}

/** Issues a token to a user: to who asks for it, or from the command line to anybody. Throws RefusedByStateError. */
export async function issueUserToken(
  services: CompanyServices,
  acting: Acting,
  { userId, name, expiresInDays, scope, seen }: WantedToken,
): Promise<IssuedToken> {
  const { companyId } = acting
  const id = services.newId('tok')
  const secret = newSecret(userTokenPrefix(companyId))
  const { result, position } = await changeCompany(services, acting, 'any role', async (client, now) => {
    const expiresAt = daysAfter(now, expiresInDays)
    const wanted = { change: 'issue_token', tokenId: id, name, expiresAt, scope } as const
    const { events } = await changeUserRow(client, companyId, userId, wanted, seen)
    const token = { id, userId, name, scope, createdAt: now, expiresAt, lastUsed: null, revokedAt: null }
    await insertToken(client, companyId, token, hashOf(secret))
    return { events, result: token }
  })
  return { token: result, secret, position }
}

/**
 * Revokes a token: one's own, or anybody's for an administrator. To others, somebody else's token is like none. One
 * that is revoked already stays as it is. Returns the position of the event, null when there is none.
 */
export async function revokeUserToken(
  services: CompanyServices,
  acting: Acting,
  tokenId: string,
): Promise<number | null> {
  const { companyId, actor } = acting
  const { position } = await changeCompany(services, acting, 'any role', async (client, now) => {
    const token = await loadToken(client, companyId, tokenId)
    const mayRevoke = token?.userId === actor || (await isAdministrator(client, acting))
    if (!token || !mayRevoke) throw new RefusedByStateError(NO_SUCH_TOKEN)
    if (token.revokedAt !== null) return { events: [], result: null }
    const { events } = await changeUserRow(client, companyId, token.userId, { change: 'revoke_token', tokenId })
    await revokeToken(client, companyId, tokenId, now)
    return { events, result: null }
  })
  return position
}
