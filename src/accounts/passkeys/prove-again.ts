import { toUuid } from '../../domain/ids.ts'
import { hashSecret } from '../users/new-secret.ts'
import { verifyPassword } from '../users/password.ts'
import { loadPasswordHash } from '../users/user-rows.ts'
import type { UserRef } from '../users/users.ts'
import type { Queryable } from '../../postgres/query-client.ts'

/** For how long a session is proof enough of someone who has no password. */
export const RECENT_MINUTES = 10

type Proof = 'proved' | 'wrong password' | 'old session'

/**
 * Checks that whoever changes how a user signs in is that user: by the password or, if the user has none, by a session
 * that began recently. Throws UnavailableError.
 */
export async function proveAgain(
  client: Queryable,
  owner: UserRef,
  { password, cookie }: { password: string; cookie: string | null },
): Promise<Proof> {
  const stored = await loadPasswordHash(client, owner.companyId, owner.userId)
  if (stored !== null) return (await verifyPassword(password, stored)) ? 'proved' : 'wrong password'
  return (await isSessionRecent(client, owner, cookie)) ? 'proved' : 'old session'
}

/** Whether the session of this cookie is one of the user's, and began recently. */
export async function isSessionRecent(
  client: Queryable,
  { companyId, userId }: UserRef,
  cookie: string | null,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from sessions where company_id = $1 and user_id = $2 and session_hash = $3
       and created_at > clock_timestamp() - make_interval(mins => $4::integer)`,
    [toUuid(companyId), toUuid(userId), hashSecret(cookie ?? ''), RECENT_MINUTES],
  )
  return rowCount === 1
}
