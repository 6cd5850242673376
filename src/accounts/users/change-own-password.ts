import type { Pool } from 'pg'
import { loadPasswordHash, storePassword } from './user-rows.ts'
import { changeCompany, refuseOutdated, type Acting, type CompanyServices } from '../change-company.ts'
import { changeUserRow } from './change-user.ts'
import { notifyUser } from './email-user.ts'
import { hashPassword, makeHashSetting, verifyPassword } from './password.ts'
import { readSignInKey } from './sign-in-key.ts'
import { RefusedCredentialsError } from '../../domain/accounts/refused-credentials-error.ts'
import { deleteReplacedSession, type NewSession, beginSession } from './sessions.ts'

interface PasswordServices {
  company: CompanyServices
  /** The connections for sessions. */
  pool: Pool
  session: NewSession
}

/** `cookie` is that of the new session; null if the password was changed again before the session could start. */
type PasswordChange = { outcome: 'wrong password' } | { outcome: 'changed'; cookie: string | null }

/**
 * Changes the user's own password, given the current one. Ends all sessions of the user and starts a new one, which
 * replaces that of `cookie`. Tells the user by email. Throws RefusedByStateError if the password was changed meanwhile,
 * RefusedCredentialsError if the user no longer has one, and UnavailableError if too many passwords are being checked.
 */
export async function changeOwnPassword(
  { company, pool, session }: PasswordServices,
  acting: Acting,
  { email, current, next, cookie }: { email: string; current: string; next: string; cookie: string | null },
): Promise<PasswordChange> {
  const { companyId, actor: userId } = acting
  const checked = await loadPasswordHash(company.pool, companyId, userId)
  if (checked === null) throw new RefusedCredentialsError('the user no longer has a password')
  if (!(await verifyPassword(current, checked))) return { outcome: 'wrong password' }
  const passwordHash = await hashPassword(next, makeHashSetting(await readSignInKey(company.pool), email))
  await changeCompany(company, acting, 'any role', async (tx) => {
    // Of two concurrent changes, the second finds a password that it has not checked.
    if ((await loadPasswordHash(tx.connection, companyId, userId)) !== checked)
      throw refuseOutdated('Your password has already been changed. Nothing was done this time')
    const { events } = await changeUserRow(tx, userId, { change: 'set_password' })
    if (cookie !== null) await deleteReplacedSession(tx, cookie)
    await storePassword(tx, { passwordHash, provesEmail: false })
    await notifyUser(tx, userId, { kind: 'password_changed' })
    return { events, result: {} }
  })
  // A session is enough here: no second step is asked for.
  const proof = { method: 'password', passwordHash, beside: 'session' } as const
  return { outcome: 'changed', cookie: await beginSession(pool, { companyId, userId }, proof, session) }
}
