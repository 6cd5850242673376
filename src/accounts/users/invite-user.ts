import type { Role } from '../../domain/accounts/roles.ts'
import { problem } from '../../domain/errors.ts'
import { prefixOfSecret } from '../../domain/accounts/secrets.ts'
import { addDays, LINK_LIFE_DAYS } from '../../domain/accounts/user-lifecycle.ts'
import { insertUser, isEmailTaken, type OneTimeLink } from './user-rows.ts'
import { findUser, type UserRecord } from './users.ts'
import { buildUser } from './add-user.ts'
import { emailLink } from './email-user.ts'
import { changeCompany, RefusedByStateError, type Acting, type CompanyServices } from '../change-company.ts'
import { hashSecret, generateSecret } from './new-secret.ts'

/** A user with a new one-time token, which is shown once. Only its hash is stored. */
export interface UserWithLink {
  user: UserRecord
  linkToken: string
  linkExpiresAt: string
  /** Whether the link is sent to the user by email. */
  isEmailed: boolean
  position: number | null
}

/**
 * Adds a user, who sets the password with a one-time token, and sends it if the service sends email. The email must be
 * normalized. Throws RefusedByStateError with `user_exists` if the email is taken.
 */
export async function inviteCompanyUser(
  services: CompanyServices,
  acting: Acting,
  person: { email: string; name: string; role: Role },
): Promise<UserWithLink> {
  const id = services.newId('usr')
  const linkToken = generateSecret(prefixOfSecret('link', acting.companyId))
  const invited = await changeCompany(services, acting, 'admin', async (tx) => {
    if (await isEmailTaken(tx, person.email)) {
      throw new RefusedByStateError(problem('user_exists', 'A user with this email address already exists'))
    }
    const { user, events } = buildUser({ id, ...person }, [])
    const link = makeOneTimeLink(linkToken, tx.now)
    await insertUser(tx, user, { passwordHash: null, link })
    const { expiresAt } = link
    const isEmailed = await emailLink(tx, { userId: id, kind: 'invitation', token: linkToken, expiresAt })
    const stored = (await findUser(tx.db, tx.companyId, id))!
    return { events, result: { user: stored, linkExpiresAt: expiresAt, isEmailed } }
  })
  return { ...invited, linkToken }
}

/** Returns what is stored of a new one-time token. `now` is RFC 3339 UTC. */
export function makeOneTimeLink(token: string, now: string): OneTimeLink {
  return { hash: hashSecret(token), expiresAt: addDays(now, LINK_LIFE_DAYS) }
}
