import { sql } from 'kysely'
import type { Pool } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LogoutNotice } from '../oidc/provider-client.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { StoredProvider } from '../providers/read-provider.ts'
import { searchCompanies } from '../users/search-companies.ts'

/** How much the clock of a provider may be behind. */
const SKEW_SECONDS = 60

/** Ends the sessions that a provider says have ended there. Sessions that began later stay. Returns their number. */
export async function endSessionsOfNotice(
  db: LedgerDb,
  { companyId, settings }: StoredProvider,
  { subject, providerSession, issuedAt }: LogoutNotice,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sessions s where s.company_id = ${toUuid(companyId)} and s.method = 'provider'
      and (${providerSession}::text is null or s.provider_session = ${providerSession})
      and s.created_at < ${issuedAt}::timestamptz + make_interval(secs => ${SKEW_SECONDS})
      and exists (select from users u where u.company_id = s.company_id and u.user_id = s.user_id
        and u.issuer = ${settings.issuer} and (${subject}::text is null or u.subject = ${subject}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
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
