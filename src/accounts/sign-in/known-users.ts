import type { Pool } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import { openDatabase } from '../../postgres/kysely.ts'
import { readSignInKey, signWithKey } from '../users/sign-in-key.ts'
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
  if (email !== null) query = query.where('email', '=', email)
  const rows = await query.execute()
  const current = new Map(rows.map((row) => [fromUuid('usr', row.user_id), digestPassword(key, row.password_hash)]))
  return recent.filter(({ userId, password }) => current.get(userId) === password)
}

function digestPassword(key: Buffer, passwordHash: string | null): string {
  return signWithKey(key, 'password of a known user', passwordHash ?? '').toString('base64url', 0, 12)
}
