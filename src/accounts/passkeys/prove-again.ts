import { toUuid } from '#domain/ids'
import { hashSecret } from '../users/new-secret.ts'
import { verifyPassword } from '../users/password.ts'
import { type UserRef, requiresProvider } from '../users/users.ts'
import type { Queryable } from '#postgres/pool'
import type { Row } from '#ledger/tables'

/** For how long a session is proof enough of someone who has no password. */
export const RECENT_MINUTES = 10

export type Proof = 'proved' | 'wrong password' | 'old session'

/**
 * Checks that whoever adds a way to sign in, or a token, is the user of the session: by the password or, if the user has
 * none that the company allows, by having signed in recently with a passkey or through the provider. Throws
 * UnavailableError.
 */
export async function proveAgain(
  client: Queryable,
  owner: UserRef,
  { password, cookie }: { password: string; cookie: string | null },
): Promise<Proof> {
  const { passwordHash, isRecent } = await loadProof(client, owner, cookie)
  if (passwordHash !== null) return (await verifyPassword(password, passwordHash)) ? 'proved' : 'wrong password'
  return isRecent ? 'proved' : 'old session'
}

/** What `proveAgain` needs of a user beside the session of this cookie. */
export async function findNeededProof(
  client: Queryable,
  owner: UserRef,
  cookie: string | null,
): Promise<'password' | 'new session' | 'nothing'> {
  const { passwordHash, isRecent } = await loadProof(client, owner, cookie)
  if (passwordHash !== null) return 'password'
  return isRecent ? 'nothing' : 'new session'
}

/** Loads the hash of the password that the user may use, and whether the session of a cookie began recently. */
async function loadProof(client: Queryable, { companyId, userId }: UserRef, cookie: string | null) {
  const { rows } = await client.query<Row<'users', 'password_hash'> & { is_recent: boolean }>(
    `select case when not ${requiresProvider('$1', '$2')} then password_hash end as password_hash,
       exists (select from sessions where company_id = $1 and user_id = $2 and session_hash = $3
         and created_at > clock_timestamp() - make_interval(mins => $4::integer)) as is_recent
     from users where company_id = $1 and user_id = $2 and removed_at is null`,
    [toUuid(companyId), toUuid(userId), hashSecret(cookie ?? ''), RECENT_MINUTES],
  )
  const [row] = rows
  return { passwordHash: row?.password_hash ?? null, isRecent: row?.is_recent ?? false }
}
