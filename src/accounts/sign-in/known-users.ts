import type { Pool } from 'pg'
import { listStoredAddresses } from '#domain/attributes'
import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerTables, LedgerDb } from '#ledger/tables'
import { openDatabase } from '#postgres/kysely'
import { readSignInKey, signWithKey } from '../users/password.ts'
import { loadPasswordHash } from '../users/user-rows.ts'
import type { UserRef } from '../users/users.ts'

/** A user who has signed in from a browser, as the browser remembers it. */
export interface RememberedUser extends UserRef {
  /** The password that the user had: a digest of its hash, or of none. Another password makes the browser unknown. */
  password: string
  /** When the user last signed in from there, in milliseconds since 1970. */
  signedInAt: number
}

/** For how long a browser is known after a sign-in. */
export const KNOWN_DAYS = 180

/** Describes a user who has just signed in, for the browser to remember. */
export async function describeKnownUser(pool: Pool, user: UserRef, now: number): Promise<RememberedUser> {
  const passwordHash = await loadPasswordHash(pool, user.companyId, user.userId)
  return { ...user, password: digestPassword(await readSignInKey(pool), passwordHash), signedInAt: now }
}

/** The users that are remembered with this email or, without one, all of them, if they still have that password. */
export async function findKnownUsers(
  pool: Pool,
  remembered: RememberedUser[],
  { email, now }: { email: string | null; now: number },
): Promise<UserRef[]> {
  const recent = remembered.filter(({ signedInAt }) => now - signedInAt < KNOWN_DAYS * 86_400_000)
  if (recent.length === 0) return []
  const key = await readSignInKey(pool)
  const companies = recent.map(({ companyId }) => toUuid(companyId))
  const users = recent.map(({ userId }) => toUuid(userId))
  let query = openDatabase<LedgerTables>(pool)
    .selectFrom('users')
    .select(['user_id', 'password_hash'])
    .where('company_id', 'in', companies)
    .where('user_id', 'in', users)
    .where('removed_at', 'is', null)
  if (email !== null) query = query.where('email', 'in', listStoredAddresses(email))
  const rows = await query.execute()
  const current = new Map(rows.map((row) => [fromUuid('usr', row.user_id), digestPassword(key, row.password_hash)]))
  return recent.filter(({ userId, password }) => current.get(userId) === password)
}

function digestPassword(key: Buffer, passwordHash: string | null) {
  return signWithKey(key, 'password of a known user', passwordHash ?? '').toString('base64url', 0, 12)
}

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
    .where('u.email', 'in', listStoredAddresses(email))
    .where('u.removed_at', 'is', null)
    .where('p.use', '<>', 'off')
    .orderBy('u.has_proved_email', 'desc')
    .orderBy('is_linked', 'desc')
    .limit(MAX_COMPANIES)
    .execute()
}
