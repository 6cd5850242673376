import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Role } from '../domain/company.ts'
import { fromUuid, toUuid } from '../domain/ids.ts'
import { companyOfUserToken } from '../domain/secrets.ts'
import type { LedgerTables } from './tables.ts'

export interface SignedInUser {
  companyId: string
  userId: string
  role: Role
}

/** The user whose token this is; null when it is malformed, unknown or expired. Nothing of it is cached. */
export async function findUserOfToken(db: Kysely<LedgerTables>, token: string): Promise<SignedInUser | null> {
  const companyId = companyOfUserToken(token)
  if (companyId === null) return null
  const row = await db
    .selectFrom('user_tokens as t')
    .innerJoin('users as u', (on) => on.onRef('u.company_id', '=', 't.company_id').onRef('u.user_id', '=', 't.user_id'))
    .select(['u.user_id', 'u.role'])
    .where('t.company_id', '=', toUuid(companyId))
    .where('t.token_hash', '=', hash('sha256', token, 'buffer'))
    .where('t.expires_at', '>', sql<string>`clock_timestamp()`)
    .executeTakeFirst()
  return row ? { companyId, userId: fromUuid('usr', row.user_id), role: row.role } : null
}
