import { fromUuid, toUuid } from '#domain/ids'
import {
  type Transaction,
  changeCompany,
  RefusedByStateError,
  type Acting,
  type CompanyServices,
} from '#accounts/change-company'
import { type UserRef, requiresProvider } from '#accounts/users/users'
import type { NewCredential } from './webauthn.ts'
import type { Queryable } from '#postgres/pool'
import type { Row } from '#ledger/tables'
import { sql } from 'kysely'
import { fieldError, invalidFields } from '#domain/errors'
import { loadPasswordHash } from '#accounts/users/user-rows'
import { endSessions } from '#accounts/session-events'
import { changeUserRow } from '#accounts/users/change-user'
import { notifyUser } from '#accounts/users/email-user'
import { hashSecret } from '#accounts/users/new-secret'
import { hash, randomBytes } from 'node:crypto'
import { RECOVERY_CODES } from '#domain/accounts/user-lifecycle'

/*
 * The rows of passkeys and recovery codes. They are written under the lock of the company's head, together with the user's
 * events; only the use of a passkey is written without it.
 */

/** A passkey as shown to its user. Times are RFC 3339 UTC. */
export interface Passkey {
  id: string
  name: string
  credentialId: Buffer
  transports: string[]
  createdAt: string
  /** When the challenge of the last use was made. Null if it was never used. */
  lastUsed: string | null
}

const idsOf = ({ companyId, userId }: UserRef) => [toUuid(companyId), toUuid(userId)]

/** Lists a user's passkeys, oldest first. */
export async function listPasskeys(client: Queryable, owner: UserRef): Promise<Passkey[]> {
  const { rows } = await client.query<Omit<Passkey, 'id'> & Row<'passkeys', 'passkey_id'>>(
    `select passkey_id, name, credential_id as "credentialId", transports, created_at as "createdAt",
       last_used as "lastUsed"
     from passkeys where company_id = $1 and user_id = $2 order by created_at, passkey_id`,
    idsOf(owner),
  )
  return rows.map(({ passkey_id: uuid, ...passkey }) => ({ id: fromUuid('psk', uuid), ...passkey }))
}

/** Inserts a passkey of the actor. Returns false if the company already has one with its credential id. */
async function insertPasskey(
  { connection, companyId, actor: userId, now }: Transaction,
  { id, name, credential }: { id: string; name: string; credential: NewCredential },
) {
  const { publicKey, counter, transports } = credential
  const { rowCount } = await connection.query(
    `insert into passkeys
       (company_id, user_id, credential_id, passkey_id, public_key, counter, transports, name, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (company_id, credential_id) do nothing`,
    [...idsOf({ companyId, userId }), credential.id, toUuid(id), publicKey, counter, transports, name, now],
  )
  return rowCount === 1
}

/** Deletes a passkey. */
async function deletePasskey(client: Queryable, owner: UserRef, id: string) {
  const text = 'delete from passkeys where company_id = $1 and user_id = $2 and passkey_id = $3'
  await client.query(text, [...idsOf(owner), toUuid(id)])
}

/** The key of a passkey, and how often it had signed when it was last used. */
interface StoredKey {
  id: string
  publicKey: Buffer
  counter: number
  /** When the challenge of the last use was made, in RFC 3339 UTC; null if there was no use. */
  lastUsed: string | null
  /** The company requires its identity provider of this user. */
  isProviderRequired: boolean
}

/** Loads the key of a user's passkey; null if the user has no such passkey. */
export async function loadKey(client: Queryable, owner: UserRef, credentialId: Buffer): Promise<StoredKey | null> {
  const { rows } = await client.query<Omit<StoredKey, 'id'> & Row<'passkeys', 'passkey_id'>>(
    `select passkey_id, public_key as "publicKey", counter, last_used as "lastUsed",
       ${requiresProvider('$1', '$2')} as "isProviderRequired"
     from passkeys where company_id = $1 and user_id = $2 and credential_id = $3`,
    [...idsOf(owner), credentialId],
  )
  if (!rows[0]) return null
  const { passkey_id: uuid, ...key } = rows[0]
  return { id: fromUuid('psk', uuid), ...key }
}

/** Whether the company requires its identity provider of this user, so that passkeys do not sign in. */
export async function mustUseProvider(client: Queryable, owner: UserRef): Promise<boolean> {
  const { rows } = await client.query<{ is_required: boolean }>(
    `select ${requiresProvider('$1', '$2')} as is_required`,
    idsOf(owner),
  )
  return rows[0]!.is_required
}

/**
 * Stores a use of a passkey, with the time of its challenge. Returns false, and stores nothing, if the challenge is no
 * newer than that of the last use, so that each challenge works once, or if the counter has not gone up. Authenticators
 * that do not count always send 0.
 */
export async function markUsed(
  client: Queryable,
  owner: UserRef,
  use: { credentialId: Buffer; counter: number; challengedAt: string },
) {
  const { rowCount } = await client.query(
    `update passkeys set counter = $4, last_used = $5::timestamptz
     where company_id = $1 and user_id = $2 and credential_id = $3
       and (last_used is null or last_used < $5::timestamptz) and (counter < $4 or (counter = 0 and $4 = 0))`,
    [...idsOf(owner), use.credentialId, use.counter, use.challengedAt],
  )
  return rowCount === 1
}

/** Counts a user's unused recovery codes. */
export async function countRecoveryCodes(client: Queryable, owner: UserRef): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::integer as count from recovery_codes where company_id = $1 and user_id = $2',
    idsOf(owner),
  )
  return rows[0]!.count
}

/** Replaces all recovery codes of a user, given the hashes of the new ones. */
async function replaceRecoveryCodes(client: Queryable, owner: UserRef, hashes: Buffer[]) {
  await client.query('delete from recovery_codes where company_id = $1 and user_id = $2', idsOf(owner))
  await client.query('insert into recovery_codes (company_id, user_id, code_hash) select $1, $2, unnest($3::bytea[])', [
    ...idsOf(owner),
    hashes,
  ])
}

/** Whether a recovery code is one of the user's unused ones. */
export async function hasRecoveryCode(client: Queryable, owner: UserRef, hash: Buffer) {
  const text = 'select 1 from recovery_codes where company_id = $1 and user_id = $2 and code_hash = $3'
  return ((await client.query(text, [...idsOf(owner), hash])).rowCount ?? 0) > 0
}

/** Deletes a recovery code. Returns false if it is not one of the user's unused ones. */
export async function deleteRecoveryCode(client: Queryable, owner: UserRef, hash: Buffer) {
  const text = 'delete from recovery_codes where company_id = $1 and user_id = $2 and code_hash = $3'
  return ((await client.query(text, [...idsOf(owner), hash])).rowCount ?? 0) > 0
}

/** Whether the user can sign in through the company's identity provider. */
async function hasUsableIdentity(client: Queryable, owner: UserRef) {
  const text = `select 1 from users u join identity_providers p on p.company_id = u.company_id and p.issuer = u.issuer
    where u.company_id = $1 and u.user_id = $2 and p.use <> 'off'`
  return ((await client.query(text, idsOf(owner))).rowCount ?? 0) > 0
}

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
function generateRecoveryCodes() {
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
