import type { LedgerDb } from '../../ledger/tables.ts'
import { loadPasswordHash, storePassword } from './user-rows.ts'
import type { Acting, CompanyServices } from './change-company.ts'
import { CHANGED_MEANWHILE, changeCompany, RefusedByStateError } from './change-company.ts'
import { changeUserRow } from './change-user.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { RefusedCredentialsError } from '../refused-credentials-error.ts'
import { beginSession } from './sign-in.ts'

export interface PasswordServices {
  company: CompanyServices
  db: LedgerDb
  /** Hours that the session that begins may last. */
  sessionHours: number
}

/** The cookie is null when the password was changed once more before the session could begin: then one signs in anew. */
export type PasswordChange = { outcome: 'wrong password' } | { outcome: 'changed'; cookie: string | null }

/**
 * Changes the password of the user who asks for it and knows the one that is. All sessions of the user end, and another
 * one begins. Throws RefusedByStateError when the password was changed meanwhile, RefusedCredentialsError when the user
 * has none any more, and UnavailableError when too many passwords are being checked.
 */
export async function changeOwnPassword(
  { company, db, sessionHours }: PasswordServices,
  acting: Acting,
  { current, next }: { current: string; next: string },
): Promise<PasswordChange> {
  const { companyId, actor: userId } = acting
  const checked = await loadPasswordHash(company.pool, companyId, userId)
  if (checked === null) throw new RefusedCredentialsError('the user has no password any more')
  if (!(await verifyPassword(current, checked))) return { outcome: 'wrong password' }
  const passwordHash = await hashPassword(next)
  await changeCompany(company, acting, 'any role', async (client) => {
    // Of two who change it at once, the second finds another password than the one that it checked.
    if ((await loadPasswordHash(client, companyId, userId)) !== checked)
      throw new RefusedByStateError(CHANGED_MEANWHILE)
    const { events, result } = await changeUserRow(client, companyId, userId, { change: 'set_password' })
    await storePassword(client, companyId, userId, passwordHash)
    return { events, result }
  })
  return { outcome: 'changed', cookie: await beginSession(db, { companyId, userId, passwordHash }, sessionHours) }
}
