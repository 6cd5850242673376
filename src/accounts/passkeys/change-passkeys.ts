import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import { fieldError, invalidFields } from '#domain/errors'
import { loadPasswordHash } from '#accounts/users/user-rows'
import {
  changeCompany,
  RefusedByStateError,
  type Acting,
  type CompanyServices,
  type Transaction,
} from '#accounts/change-company'
import { endSessions } from '#accounts/session-events'
import { changeUserRow } from '#accounts/users/change-user'
import { notifyUser } from '#accounts/users/email-user'
import { hashSecret } from '#accounts/users/new-secret'
import {
  countRecoveryCodes,
  deletePasskey,
  hasUsableIdentity,
  insertPasskey,
  listPasskeys,
  replaceRecoveryCodes,
} from './passkey-rows.ts'
import type { NewCredential } from './webauthn.ts'
import { hash, randomBytes } from 'node:crypto'
import { RECOVERY_CODES } from '#domain/accounts/user-lifecycle'

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

/** Crockford's base 32: no letters that are mistaken for digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 24 characters of 5 random bits: 120 bits cannot be guessed, so a plain digest protects them (ASVS 5, 6.5.2). */
const CHARACTERS = 24
const CODE = new RegExp(`^[${ALPHABET}]{${CHARACTERS}}$`)

/** Makes new recovery codes, such as `7KQ2-X9RM-…`. They are shown once; only their hashes are stored. */
function generateRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const characters = Array.from(randomBytes(CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]!)
    return characters.join('').replace(/.{4}(?!$)/g, '$&-')
  })
}

/** The SHA-256 of a recovery code as someone typed it; null if it cannot be one. */
export function hashRecoveryCode(typed: string): Buffer | null {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return CODE.test(code) ? hash('sha256', code, 'buffer') : null
}
