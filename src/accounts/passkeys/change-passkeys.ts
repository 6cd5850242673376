import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import { fieldError, invalidFields } from '#domain/errors'
import { loadPasswordHash } from '../users/user-rows.ts'
import {
  changeCompany,
  RefusedByStateError,
  type Acting,
  type CompanyServices,
  type Transaction,
} from '../change-company.ts'
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
  const { codes } = await changeCompany<{ codes: string[] | null }>(services, acting, 'any role', async (tx) => {
    const held = (await listPasskeys(tx.connection, owner)).length
    const change = { change: 'add_passkey', passkeyId, name, held } as const
    const { events, user } = await changeUserRow(tx, userId, change, seen)
    if (!(await insertPasskey(tx, { id: passkeyId, name, credential }))) throw new RefusedByStateError(ADDED_ALREADY)
    await notifyUser(tx, userId, { kind: 'passkey_added', name })
    if (!user.hasPassword || (await countRecoveryCodes(tx.connection, owner)) > 0)
      return { events, result: { codes: null } }
    const issued = await issueCodes(tx)
    return { events: [...events, ...issued.events], result: { codes: issued.codes } }
  })
  return codes
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
  await changeCompany(services, acting, 'any role', async (tx) => {
    const { connection } = tx
    const passkeys = await listPasskeys(connection, owner)
    if (!passkeys.some(({ id }) => id === passkeyId)) return { events: [], result: {} }
    const isLast = passkeys.length === 1
    const isLastWayIn =
      isLast &&
      (await loadPasswordHash(connection, companyId, userId)) === null &&
      !(await hasUsableIdentity(connection, owner))
    const { events } = await changeUserRow(tx, userId, { change: 'remove_passkey', passkeyId, isLastWayIn }, seen)
    await deletePasskey(connection, owner, passkeyId)
    if (isLast) await replaceRecoveryCodes(connection, owner, [])
    const condition = sql`user_id = ${toUuid(userId)} and method = 'passkey'
      and session_hash <> ${hashSecret(keptCookie ?? '')}`
    await endSessions(connection, tx, 'passkey_removed', condition)
    return { events, result: {} }
  })
}

/**
 * Replaces the recovery codes of the actor, if the actor still has the version that was `seen`. Returns the new ones,
 * which are shown once. Throws RefusedByStateError.
 */
export async function issueRecoveryCodes(services: CompanyServices, acting: Acting, seen: number): Promise<string[]> {
  const { companyId, actor: userId } = acting
  const { codes } = await changeCompany(services, acting, 'any role', async (tx) => {
    const passkeys = await listPasskeys(tx.connection, { companyId, userId })
    if (passkeys.length === 0) throw new RefusedByStateError(NO_PASSKEY)
    const { events, codes } = await issueCodes(tx, seen)
    return { events, result: { codes } }
  })
  return codes
}

async function issueCodes(tx: Transaction, seen?: number) {
  const { connection, companyId, actor: userId } = tx
  const codes = generateRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(code)!)
  const { events } = await changeUserRow(tx, userId, { change: 'issue_recovery_codes' }, seen)
  await replaceRecoveryCodes(connection, { companyId, userId }, hashes)
  return { events, codes }
}
