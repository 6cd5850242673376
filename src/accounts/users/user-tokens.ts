import type { TokenScopes } from '#domain/accounts/roles'
import { problem } from '#domain/errors'
import { prefixOfSecret } from '#domain/accounts/secrets'
import { addDays } from '#domain/accounts/user-lifecycle'
import { findUserToken, type TokenRecord } from './users.ts'
import { countWorkingTokens, insertToken, markTokenRevoked } from './user-rows.ts'
import { changeUserRow } from './change-user.ts'
import { notifyUser } from './email-user.ts'
import {
  type Acting,
  type CompanyServices,
  changeCompany,
  isAdministrator,
  RefusedByStateError,
} from '../change-company.ts'
import { digestSecret, generateSecret } from './new-secret.ts'

export const NO_SUCH_TOKEN = problem('token_not_found', 'No such token exists')

/** The most tokens of a user that work at the same time. */
const MAX_TOKENS = 20
const TOO_MANY = problem('too_many_tokens', `A user can have at most ${MAX_TOKENS} tokens; revoke one first`)

/** A new token with its secret, which is shown once. Only its hash is stored. */
interface IssuedToken {
  token: TokenRecord
  secret: string
  position: number | null
}

interface WantedToken {
  userId: string
  name: string
  expiresInDays: number
  scopes: TokenScopes
  /** Issues the token only if the user still has this version. */
  seen?: number
}

/** Issues a token to a user, and tells the user. Throws RefusedByStateError, such as `too_many_tokens`. */
export async function issueUserToken(
  services: CompanyServices,
  acting: Acting,
  { userId, name, expiresInDays, scopes, seen }: WantedToken,
): Promise<IssuedToken> {
  const id = services.newId('tok')
  const secret = generateSecret(prefixOfSecret('token', acting.companyId))
  const issued = await changeCompany(services, acting, 'any role', async (tx) => {
    const expiresAt = addDays(tx.now, expiresInDays)
    const issuing = { change: 'issue_token', tokenId: id, name, expiresAt, scopes } as const
    if ((await countWorkingTokens(tx, userId)) >= MAX_TOKENS) throw new RefusedByStateError(TOO_MANY)
    const { events } = await changeUserRow(tx, userId, issuing, seen)
    const token = await insertToken(tx, { id, userId, name, scopes, expiresAt }, digestSecret(secret))
    await notifyUser(tx, userId, { kind: 'token_issued', name, scopes })
    return { events, result: { token } }
  })
  return { ...issued, secret }
}

/**
 * Revokes a token of the actor, or any token if the actor is an administrator. Returns the position of the event; null
 * if the token was already revoked. Throws RefusedByStateError with `token_not_found`, also for tokens that the actor
 * may not revoke.
 */
export async function revokeUserToken(
  services: CompanyServices,
  acting: Acting,
  tokenId: string,
): Promise<number | null> {
  const { position } = await changeCompany(services, acting, 'any role', async (tx) => {
    const token = (await findUserToken(tx.db, tx.companyId, tokenId))?.token
    const mayRevoke = token?.userId === tx.actor || (await isAdministrator(tx))
    if (!token || !mayRevoke) throw new RefusedByStateError(NO_SUCH_TOKEN)
    if (token.revokedAt !== null) return { events: [], result: {} }
    const { events } = await changeUserRow(tx, token.userId, { change: 'revoke_token', tokenId })
    await markTokenRevoked(tx, tokenId)
    return { events, result: {} }
  })
  return position
}
