import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LogoutNotice } from '../oidc/provider-client.ts'
import { OLDEST_TOKEN_S, TOLERANCE_S } from '../oidc/verify-token.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { StoredProvider } from '../providers/read-provider.ts'
import { searchCompanies } from '../users/search-companies.ts'

/** How many logout tokens of a company are remembered. Further ones end sessions, and could do so again. */
const MOST_TOKENS = 10_000

/**
 * Ends the sessions that a provider says have ended there. Sessions that began later stay, and a token that comes again
 * ends none. Returns their number.
 */
export function endSessionsOfNotice(
  db: LedgerDb,
  { companyId, settings: { issuer } }: StoredProvider,
  { tokenId, subject, providerSession, issuedAt }: LogoutNotice,
): Promise<number> {
  const uuid = toUuid(companyId)
  return db.transaction().execute(async (transaction) => {
    const tokenHash = hash('sha256', `${issuer}\n${tokenId}`, 'buffer')
    if (!(await rememberToken(transaction, uuid, tokenHash))) return 0
    const { numAffectedRows } = await sql`
      delete from sessions s where s.company_id = ${uuid} and s.method = 'provider'
        and (${providerSession}::text is null or s.provider_session = ${providerSession})
        -- The clock of the provider may be behind.
        and s.created_at < ${issuedAt}::timestamptz + make_interval(secs => ${TOLERANCE_S})
        and exists (select from users u where u.company_id = s.company_id and u.user_id = s.user_id
          and u.issuer = ${issuer} and (${subject}::text is null or u.subject = ${subject}))`.execute(transaction)
    return Number(numAffectedRows ?? 0n)
  })
}

/** Remembers a logout token for as long as it is accepted. Returns false if it was remembered before. */
async function rememberToken(db: LedgerDb, companyUuid: string, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from (
    select from logout_tokens where company_id = ${companyUuid} limit ${MOST_TOKENS}) remembered`.execute(db)
  if (rows[0]!.count === MOST_TOKENS) return true
  const seconds = OLDEST_TOKEN_S + 2 * TOLERANCE_S
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('logout_tokens')
    .values({
      company_id: companyUuid,
      token_hash: tokenHash,
      expires_at: sql`statement_timestamp() + make_interval(secs => ${seconds})`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows !== 0n
}

/** Where someone with an email signs in: at the provider of one company, at one of several, or with a password. */
type SignInPlace = { at: 'provider'; companyId: string } | { at: 'several' } | { at: 'here' }

/** Finds out where the user with this normalized email signs in. An email that nobody has is asked for a password. */
export async function findSignInPlace(pool: Pool, email: string): Promise<SignInPlace> {
  const { rows, failure } = await searchCompanies(pool, null, (db) => selectProviders(db, email))
  const [first, second] = rows
  if (!first && failure !== null) throw failure
  if (!first) return { at: 'here' }
  return second ? { at: 'several' } : { at: 'provider', companyId: fromUuid('com', first.company_id) }
}

/** Two of the companies at whose provider this user may sign in. */
function selectProviders(db: LedgerDb, email: string): Promise<{ company_id: string }[]> {
  return db
    .selectFrom('users as u')
    .innerJoin('identity_providers as p', 'p.company_id', 'u.company_id')
    .select('u.company_id')
    .where('u.email', '=', email)
    .where('u.removed_at', 'is', null)
    .where('p.use', '<>', 'off')
    .limit(2)
    .execute()
}
