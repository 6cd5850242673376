import { sql } from 'kysely'
import type { PoolClient } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import { fieldError, invalidFields } from '../../domain/field-errors.ts'
import { loadPasswordHash } from '../users/user-rows.ts'
import { changeCompany, RefusedByStateError, type Acting, type CompanyServices } from '../change-company.ts'
import { endSessions } from '../session-events.ts'
import { changeUserRow } from '../users/change-user.ts'
import { notifyUser } from '../users/email-user.ts'
import { hashSecret } from '../users/new-secret.ts'
import {
  countRecoveryCodes,
  deletePasskey,
  hasUsableIdentity,
  insertPasskey,
  listPasskeys,
  replaceRecoveryCodes,
} from './passkey-rows.ts'
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import type { UserRef } from '../users/users.ts'
import type { NewCredential } from './webauthn.ts'

/**
 * Adds a passkey of the actor, if the actor still has the version that was `seen`, and tells the actor by email. Returns
 * the first recovery codes, which are shown once: from now on, the password alone is not enough. Null for someone who
 * has codes, or no password to use them with. Throws RefusedByStateError.
 */
export async function addPasskey(
  services: CompanyServices,
  acting: Acting,
  { name, credential, seen }: { name: string; credential: NewCredential; seen: number },
): Promise<string[] | null> {
  const { companyId, actor: userId } = acting
  const owner = { companyId, userId }
  const passkeyId = services.newId('psk')
  const { result } = await changeCompany(services, acting, 'any role', async (client, now) => {
    const held = (await listPasskeys(client, owner)).length
    const change = { change: 'add_passkey', passkeyId, name, held } as const
    const { events, result } = await changeUserRow(client, companyId, userId, change, seen)
    if (!(await insertPasskey(client, owner, { id: passkeyId, name, credential }, now)))
      throw new RefusedByStateError(ADDED_ALREADY)
    await notifyUser(client, services, acting, { userId, change: { kind: 'passkey_added', name }, now })
    if (!result.hasPassword || (await countRecoveryCodes(client, owner)) > 0) return { events, result: null }
    const issued = await issueCodes(client, owner)
    return { events: [...events, ...issued.events], result: issued.codes }
  })
  return result
}

const refuse = (message: string) => invalidFields([fieldError('', 'invalid_value', message)])
const ADDED_ALREADY = refuse('This passkey has been added already')
const NO_PASSKEY = refuse('Recovery codes stand in for passkeys. Add a passkey first')

/**
 * Removes a passkey of the actor, and with the last one the recovery codes. Ends the sessions that began with a passkey,
 * except the one of this cookie. With `seen`, only if the actor still has that version. Does nothing if the passkey does
 * not exist. Throws RefusedByStateError.
 */
export async function removePasskey(
  services: CompanyServices,
  acting: Acting,
  { passkeyId, seen, keptCookie }: { passkeyId: string; seen: number; keptCookie: string | null },
): Promise<void> {
  const { companyId, actor: userId } = acting
  const owner = { companyId, userId }
  await changeCompany(services, acting, 'any role', async (client) => {
    const passkeys = await listPasskeys(client, owner)
    if (!passkeys.some(({ id }) => id === passkeyId)) return { events: [], result: null }
    const isLast = passkeys.length === 1
    const isLastWayIn =
      isLast &&
      (await loadPasswordHash(client, companyId, userId)) === null &&
      !(await hasUsableIdentity(client, owner))
    const change = { change: 'remove_passkey', passkeyId, isLastWayIn } as const
    const { events } = await changeUserRow(client, companyId, userId, change, seen)
    await deletePasskey(client, owner, passkeyId)
    if (isLast) await replaceRecoveryCodes(client, owner, [])
    const condition = sql`user_id = ${toUuid(userId)} and method = 'passkey'
      and session_hash <> ${hashSecret(keptCookie ?? '')}`
    await endSessions(client, acting, 'passkey_removed', condition)
    return { events, result: null }
  })
}

/**
 * Replaces the recovery codes of the actor, if the actor still has the version that was `seen`. Returns the new ones,
 * which are shown once. Throws RefusedByStateError.
 */
export async function issueRecoveryCodes(services: CompanyServices, acting: Acting, seen: number): Promise<string[]> {
  const { companyId, actor: userId } = acting
  const { result } = await changeCompany(services, acting, 'any role', async (client) => {
    if ((await listPasskeys(client, { companyId, userId })).length === 0) throw new RefusedByStateError(NO_PASSKEY)
    const { events, codes } = await issueCodes(client, { companyId, userId }, seen)
    return { events, result: codes }
  })
  return result
}

async function issueCodes(client: PoolClient, owner: UserRef, seen?: number) {
  const codes = generateRecoveryCodes()
  const change = { change: 'issue_recovery_codes' } as const
  const { events } = await changeUserRow(client, owner.companyId, owner.userId, change, seen)
  await replaceRecoveryCodes(
    client,
    owner,
    codes.map((code) => hashRecoveryCode(code)!),
  )
  return { events, codes }
}
