import { sql, type InferResult } from 'kysely'
import type { TokenScope, TokenScopes } from '#domain/accounts/roles'
import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'

/** A user's token without its secret. Times are RFC 3339 UTC. */
export interface TokenRecord {
  id: string
  userId: string
  name: string
  /** The last four characters of the token; null if they are not stored. */
  lastFour: string | null
  scopes: TokenScopes
  createdAt: string
  expiresAt: string
  lastUsed: string | null
  revokedAt: string | null
}

/** Selects tokens of a company as `toSeenToken` takes them. */
export function selectTokens(db: LedgerDb, companyId: string) {
  return db
    .selectFrom('user_tokens')
    .where('company_id', '=', toUuid(companyId))
    .select(['token_id', 'user_id', 'name', 'scope', 'last_four as lastFour', 'created_at as createdAt'])
    .select(['expires_at as expiresAt', 'last_used as lastUsed', 'revoked_at as revokedAt'])
    .select(sql<string>`clock_timestamp()`.as('now'))
}

type TokenRow = InferResult<ReturnType<typeof selectTokens>>[number]

/** A token, and the database's time when it was read (RFC 3339 UTC). */
export interface SeenToken {
  token: TokenRecord
  now: string
}

/** Finds a token of any user of a company; null if it does not exist. */
export async function findUserToken(db: LedgerDb, companyId: string, tokenId: string): Promise<SeenToken | null> {
  const row = await selectTokens(db, companyId).where('token_id', '=', toUuid(tokenId)).executeTakeFirst()
  return row ? toSeenToken(row) : null
}

/** Lists a user's tokens before an id, newest first. */
export async function listUserTokens(
  db: LedgerDb,
  companyId: string,
  page: { userId: string; before?: string; limit: number },
): Promise<SeenToken[]> {
  const { userId, before, limit } = page
  let query = selectTokens(db, companyId).where('user_id', '=', toUuid(userId))
  if (before !== undefined) query = query.where('token_id', '<', toUuid(before))
  return (await query.orderBy('token_id', 'desc').limit(limit).execute()).map(toSeenToken)
}

/** Converts such a row. */
export function toSeenToken({ token_id: tokenUuid, user_id: userUuid, scope, now, ...token }: TokenRow): SeenToken {
  const [id, userId] = [fromUuid('tok', tokenUuid), fromUuid('usr', userUuid)]
  return { token: { ...token, id, userId, scopes: readScopes(scope) }, now }
}

/** Reads the scopes of a token from its row. */
export function readScopes(stored: string | null): TokenScopes {
  return stored === null ? null : (stored.split(' ') as TokenScope[])
}
