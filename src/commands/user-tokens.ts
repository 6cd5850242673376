import { problem } from '../domain/errors.ts'
import { userTokenPrefix } from '../domain/secrets.ts'
import { daysAfter } from '../domain/user-lifecycle.ts'
import type { TokenRecord } from '../ledger/read-user-tokens.ts'
import { insertToken, loadToken, revokeToken } from '../ledger/user-rows.ts'
import { changeUserRow } from './change-user.ts'
import type { Acting, CompanyServices } from './change-company.ts'
import { changeCompany, isAdministrator, RefusedByStateError } from './change-company.ts'
import { hashOf, newSecret } from './new-secret.ts'

export const NO_SUCH_TOKEN = problem('token_not_found', 'there is no such token')

/** A new token with its secret, which is shown once and of which only a hash is kept. */
export interface IssuedToken {
  token: TokenRecord
  secret: string
  position: number | null
}

/** Issues a token to the user who asks for it: with a version, only to one who still has it. Throws RefusedByStateError. */
export async function issueUserToken(
  services: CompanyServices,
  acting: Acting,
  { name, expiresInDays, seen }: { name: string; expiresInDays: number; seen?: number },
): Promise<IssuedToken> {
  const { companyId, actor: userId } = acting
  const id = services.newId('tok')
  const secret = newSecret(userTokenPrefix(companyId))
  const { result, position } = await changeCompany(services, acting, 'any role', async (client, now) => {
    const expiresAt = daysAfter(now, expiresInDays)
    const wanted = { change: 'issue_token', tokenId: id, name, expiresAt } as const
    const { events } = await changeUserRow(client, companyId, userId, wanted, seen)
    const token = { id, userId, name, createdAt: now, expiresAt, lastUsed: null, revokedAt: null }
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
