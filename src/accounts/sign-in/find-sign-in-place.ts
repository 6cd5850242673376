import type { Pool } from 'pg'
import { fromUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { openDatabase } from '../../postgres/kysely.ts'
import type { UserRef } from '../users/users.ts'

/** Where someone with an email signs in: at the provider of one company, at one of several, or with a password. */
type SignInPlace = { at: 'provider'; companyId: string } | { at: 'several' } | { at: 'here' }

/**
 * Finds out where someone with this normalized email signs in. Any company can invite any email, so that does not lead
 * there. In this order, these do: a sign-in of a known user in the same browser; the user whose email was proved by a
 * message; the user who is linked to an account at the provider. An email that nobody has is asked for a password.
 */
export async function findSignInPlace(pool: Pool, email: string, known: UserRef[]): Promise<SignInPlace> {
  const rows = await selectUsers(openDatabase(pool), email)
  const companyIds = rows.map((row) => fromUuid('com', row.company_id))
  const latest = known.find(({ companyId }) => companyIds.includes(companyId))
  if (latest) return { at: 'provider', companyId: latest.companyId }
  const proved = companyIds.filter((_, at) => rows[at]!.has_proved_email)
  const linked = companyIds.filter((_, at) => rows[at]!.is_linked)
  const [first, second] = proved.length > 0 ? proved : linked
  if (first === undefined) return { at: 'here' }
  return second === undefined ? { at: 'provider', companyId: first } : { at: 'several' }
}

/** Companies whose providers are looked at. Those that can decide come first. */
const MAX_COMPANIES = 100

function selectUsers(db: LedgerDb, email: string) {
  return db
    .selectFrom('users as u')
    .innerJoin('identity_providers as p', 'p.company_id', 'u.company_id')
    .select(({ eb, and, ref }) => [
      'u.company_id',
      'u.has_proved_email',
      and([eb('u.subject', 'is not', null), eb('u.issuer', '=', ref('p.issuer'))]).as('is_linked'),
    ])
    .where('u.email', '=', email)
    .where('u.removed_at', 'is', null)
    .where('p.use', '<>', 'off')
    .orderBy('u.has_proved_email', 'desc')
    .orderBy('is_linked', 'desc')
    .limit(MAX_COMPANIES)
    .execute()
}
