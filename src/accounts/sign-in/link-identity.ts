import { sql } from 'kysely'
import { problem, RefusedCredentialsError } from '#domain/errors'
import { toUuid } from '#domain/ids'
import { decideLink, type SignInRefusal } from '#domain/providers/decide-sign-in'
import type { ProviderIdentity } from '../oidc/provider-client.ts'
import type { StoredProvider } from '../providers/read-provider.ts'
import {
  changeCompany,
  RefusedByStateError,
  type Acting,
  type CompanyServices,
  type Transaction,
} from '../change-company.ts'
import { endSessions } from '../session-events.ts'
import { changeUserRow, NO_SUCH_USER, type ChangedUser } from '../users/change-user.ts'
import { hasPasskey, requiresProvider } from '../users/sign-in-conditions.ts'
import { findUserOfLink, storeIdentity } from '../users/user-rows.ts'
import { findUser } from '../users/users.ts'
import { loadMatchingUsers, assertUnchanged } from './sign-in-through-provider.ts'

/** What the same person has proved: the account, and to be the user, by a session or by a one-time link. */
interface ProvenAccount {
  provider: StoredProvider
  identity: ProviderIdentity
  /** The SHA-256 of the one-time link's token, which is used up; null for a session. */
  linkHash: Buffer | null
}

/** Why somebody was not linked; null if nothing was wrong. */
interface Linking {
  refusal: SignInRefusal | null
}

/**
 * Links the actor to an account at the company's provider, which the same person has proved; no email is needed. Returns
 * why not, or null. Throws ProviderError like `signInThroughProvider`.
 */
export async function linkOwnIdentity(
  services: CompanyServices,
  acting: Acting,
  { provider, identity, linkHash }: ProvenAccount,
): Promise<SignInRefusal | null> {
  const { companyId, actor: userId } = acting
  const account = { issuer: identity.issuer, subject: identity.subject }
  try {
    const linked = await changeCompany<Linking>(services, acting, 'any role', async (tx) => {
      const { connection } = tx
      await assertUnchanged(tx, provider)
      const user = (await findUser(tx.db, companyId, userId))!
      const { byAccount } = await loadMatchingUsers(connection, companyId, { ...identity, email: null })
      const isProven = linkHash === null || (await findUserOfLink(connection, companyId, linkHash))?.userId === userId
      const decision = decideLink(account, user, { byAccount, use: provider.use.use, isProven })
      if (decision.outcome === 'refuse') return { events: [], result: { refusal: decision.refusal } }
      const { events } = await changeUserRow(tx, userId, { change: 'link', identity: account })
      if (events.length > 0) await storeIdentity(tx, userId, account)
      return { events, result: { refusal: null } }
    })
    return linked.refusal
  } catch (error) {
    if (error instanceof RefusedCredentialsError) return 'user_removed'
    throw error
  }
}

const ONLY_WAY_IN = problem('only_way_in', 'Without this account you could not sign in; set a password first')

/**
 * Unlinks a user from the account at the identity provider. The sessions that began there end. Users unlink themselves
 * only if they can still sign in; an administrator unlinks anyone. Throws RefusedByStateError.
 */
export async function unlinkIdentity(
  services: CompanyServices,
  acting: Acting,
  userId: string,
  seen?: number,
): Promise<ChangedUser> {
  const isOwn = acting.actor === userId
  return changeCompany(services, acting, isOwn ? 'any role' : 'admin', async (tx) => {
    const user = await findUser(tx.db, tx.companyId, userId)
    if (!user) throw new RefusedByStateError(NO_SUCH_USER)
    if (isOwn && user.identity !== null && !(await hasOtherWayIn(tx))) throw new RefusedByStateError(ONLY_WAY_IN)
    const { events, user: unlinked } = await changeUserRow(tx, userId, { change: 'unlink' }, seen)
    if (events.length > 0) {
      await storeIdentity(tx, userId, null)
      const condition = sql`user_id = ${toUuid(userId)} and method = 'provider'`
      await endSessions(tx.connection, tx, 'identity_unlinked', condition)
    }
    return { events, result: { user: unlinked } }
  })
}

/** Whether the actor can sign in without an account at the provider. */
async function hasOtherWayIn({ connection, companyId, actor }: Transaction): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select 1 from users u where u.company_id = $1 and u.user_id = $2
       and (u.password_hash is not null or ${hasPasskey('$1', '$2')}) and not ${requiresProvider('$1', '$2')}`,
    [toUuid(companyId), toUuid(actor)],
  )
  return (rowCount ?? 0) > 0
}
