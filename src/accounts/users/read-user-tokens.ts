import { sql } from 'kysely'
import type { TokenScope } from '../../domain/accounts/roles.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerDb, LedgerTables } from '../../ledger/tables.ts'

/** A user's token without its secret. Times are RFC 3339 UTC. */
export interface TokenRecord {
  id: string
  userId: string
  name: string
  /** The last four characters of the token; null if they are not stored. */
  lastFour: string | null
  /** The token's scope; null if it allows everything that the user may do. */
  scope: TokenScope | null
  createdAt: string
  expiresAt: string
  lastUsed: string | null
  revokedAt: string | null
}

export type TokenRow = Omit<LedgerTables['user_tokens'], 'company_id' | 'token_hash'> & { now: string }

export const SELECT_TOKENS = `select token_id, user_id, name, last_four, scope, created_at, expires_at, last_used,
  revoked_at, clock_timestamp() as now from user_tokens`

/** A token, and the database's time when it was read (RFC 3339 UTC). */
export interface SeenToken {
  token: TokenRecord
  now: string
}

/** Finds a token of any user of a company; null if it does not exist. */
export async function findUserToken(db: LedgerDb, companyId: string, tokenId: string): Promise<SeenToken | null> {
  const { rows } = await sql<TokenRow>`${sql.raw(SELECT_TOKENS)}
    where company_id = ${toUuid(companyId)} and token_id = ${toUuid(tokenId)}`.execute(db)
  return rows[0] ? { token: toTokenRecord(rows[0]), now: rows[0].now } : null
}

/** Lists a user's tokens before an id, newest first. */
export async function listUserTokens(
  db: LedgerDb,
  companyId: string,
  page: { userId: string; before?: string; limit: number },
): Promise<SeenToken[]> {
  const { userId, before, limit } = page
  const { rows } = await sql<TokenRow>`${sql.raw(SELECT_TOKENS)}
    where company_id = ${toUuid(companyId)} and user_id = ${toUuid(userId)}
      ${before === undefined ? sql`` : sql`and token_id < ${toUuid(before)}`}
    order by token_id desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ token: toTokenRecord(row), now: row.now }))
}

/** Converts a row of `user_tokens`. */
export function toTokenRecord(row: TokenRow): TokenRecord {
  return {
    id: fromUuid('tok', row.token_id),
    userId: fromUuid('usr', row.user_id),
    name: row.name,
    lastFour: row.last_four,
    scope: row.scope,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsed: row.last_used,
    revokedAt: row.revoked_at,
  }
}
