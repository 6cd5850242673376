import { fromUuid, toUuid } from '#domain/ids'
import type { ProviderSettings, ProviderUse, ClientAuth } from '#domain/provider-settings'
import type { Queryable } from '#postgres/pool'
import type { LedgerTables, Row } from '#ledger/tables'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SecretBox } from '#accounts/secrets/secret-box'
import { sql } from 'kysely'
import { problem, invalidFields } from '#domain/errors'
import {
  decideProvider,
  decideProviderChange,
  evolveProvider,
  type ProviderChange,
  type ProviderLife,
  type ProviderFacts,
} from '#domain/providers/provider-lifecycle'
import { findSecretError } from '#domain/providers/read-provider-settings'
import {
  type Acting,
  type CompanyServices,
  type Transaction,
  assertHasKey,
  assertSeen,
  changeCompany,
  refuseOutdated,
  RefusedByStateError,
  unwrapDecision,
} from '#accounts/change-company'
import { endSessions } from '#accounts/session-events'
import { hasPasskey } from '#accounts/users/users'

/** A company's identity provider, as it is stored. */
export interface StoredProvider {
  companyId: string
  id: string
  version: number
  settings: ProviderSettings
  use: ProviderUse
  /** The client secret, or the private key as a JWK; sealed for `placeOfSecret`. */
  secret: Buffer
  /** RFC 3339 UTC. */
  createdAt: string
  /** Why nobody can sign in through it (a `ProviderFault`); null if nothing is known. */
  fault: string | null
}

/** Names the row whose secret is sealed. */
export function placeOfSecret(providerId: string) {
  return `identity provider ${providerId}`
}

type ProviderRow = Omit<LedgerTables['identity_providers'], 'company_id' | 'failing_since'>

/** Reads a company's identity provider; null if it has none. */
export async function readProvider(client: Queryable, companyId: string): Promise<StoredProvider | null> {
  const { rows } = await client.query<ProviderRow>(
    `select provider_id, version, name, issuer, client_id, client_auth, creates_users, role_claim, roles, use,
       break_glass, secret, created_at, fault from identity_providers where company_id = $1`,
    [toUuid(companyId)],
  )
  const [row] = rows
  if (!row) return null
  const { provider_id: id, version, use, break_glass: breakGlass, secret, created_at: createdAt, fault } = row
  const { name, issuer, client_id, client_auth, creates_users, role_claim } = row
  // The database orders the names in an object, and settings are compared as texts.
  const roles = row.roles.map(({ value, role }) => ({ value, role }))
  return {
    companyId,
    id: fromUuid('idp', id),
    version,
    settings: { name, issuer, client_id, client_auth, creates_users, role_claim, roles },
    secret,
    createdAt,
    fault,
    use: { use, break_glass: breakGlass === null ? null : fromUuid('usr', breakGlass) },
  }
}

/** Makes the private key of `private_key_jwt`, as the text of a JWK (RFC 7517) with its thumbprint (RFC 7638) as id. */
export async function generateProviderKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await exportJWK(privateKey)
  return JSON.stringify({ ...key, kid: await calculateJwkThumbprint(key), alg: 'ES256', use: 'sig' })
}

/** Returns the JWK Set (RFC 7517) with the public key of `private_key_jwt`; null if the service has a client secret. */
export function readPublicKeys(secrets: SecretBox, provider: StoredProvider): { keys: object[] } | null {
  if (provider.settings.client_auth !== 'private_key_jwt') return null
  return { keys: [readPublicKey(secrets.decrypt(provider.secret, placeOfSecret(provider.id)))] }
}

/** Returns the public part of a key of `generateProviderKey`. */
function readPublicKey(secret: string): object {
  const { d: _, ...key } = JSON.parse(secret) as JWK
  return key
}

const MAX_LISTED = 100
const MAX_UNLINKED = 50

export interface Administrator {
  id: string
  name: string
  email: string
}

/** Lists who can be the break-glass administrator: administrators with a password, oldest first, at most 100. */
export async function listBreakGlass(client: Queryable, companyId: string): Promise<Administrator[]> {
  const { rows } = await client.query<Row<'users', 'user_id' | 'name' | 'email'>>(
    `select user_id, name, email from users
     where company_id = $1 and role = 'admin' and removed_at is null and password_hash is not null
     order by user_id limit ${MAX_LISTED}`,
    [toUuid(companyId)],
  )
  return rows.map(({ user_id: id, name, email }) => ({ id: fromUuid('usr', id), name, email }))
}

/** The users of a company who have no account at its identity provider yet. */
export interface Unlinked {
  users: number
  unlinked: number
  /** The first of them by name. */
  first: Administrator[]
}

/** Counts the users of a company, and those who have no account at its identity provider yet; lists the first 50. */
export async function readUnlinkedUsers(client: Queryable, companyId: string): Promise<Unlinked> {
  const { rows } = await client.query<{ users: number; unlinked: number }>(
    `select count(*)::integer as users, (count(*) filter (where issuer is null))::integer as unlinked
     from users where company_id = $1 and removed_at is null`,
    [toUuid(companyId)],
  )
  const { rows: first } = await client.query<Row<'users', 'user_id' | 'name' | 'email'>>(
    `select user_id, name, email from users where company_id = $1 and removed_at is null and issuer is null
     order by name, user_id limit ${MAX_UNLINKED}`,
    [toUuid(companyId)],
  )
  return { ...rows[0]!, first: first.map(({ user_id: id, name, email }) => ({ id: fromUuid('usr', id), name, email })) }
}

export const NO_PROVIDER = problem('provider_not_found', 'The company has no identity provider')
const ALREADY_ADDED = 'The company already has an identity provider. Nothing was done'
const CHANGED =
  'The identity provider has changed since you opened this page. Nothing was done; check it, then try again'
const OFF = { use: 'off', break_glass: null } as const

/** The services that change providers. */
export interface ProviderServices extends CompanyServices {
  secrets: SecretBox
}

/** A provider after a change. The position is null if nothing changed. */
export interface ChangedProvider {
  provider: StoredProvider
  position: number | null
}

/** How the service authenticates at the provider. Its key of `private_key_jwt` is made here. */
export type NewSecret =
  | { clientAuth: Extract<ClientAuth, 'client_secret'>; secret: string }
  | { clientAuth: Extract<ClientAuth, 'private_key_jwt'> }

/** Adds the company's identity provider, which is off at first. Throws RefusedByStateError, also if there is one. */
export async function addProvider(
  services: ProviderServices,
  acting: Acting,
  settings: Omit<ProviderSettings, 'client_auth'>,
  given: NewSecret,
): Promise<ChangedProvider> {
  const id = services.newId('idp')
  const secret = await makeSecret(services, given)
  return changeCompany(services, acting, 'admin', async (tx) => {
    if (await readProvider(tx.connection, tx.companyId)) throw refuseOutdated(ALREADY_ADDED)
    const added = decideProvider(id, { ...settings, client_auth: given.clientAuth })
    const initial = { id, version: 0, settings: added.data as ProviderSettings, use: OFF }
    const sealed = services.secrets.encrypt(secret, placeOfSecret(id))
    await insertProvider(tx, evolveProvider(initial, added), sealed)
    return { events: [added], result: { provider: await loadProvider(tx) } }
  })
}

/**
 * Changes the settings or the use of the company's provider, or removes it. Sessions that began at it end when it is
 * turned off or removed; all others, except those of the break-glass administrator, when it is required. With `seen`,
 * only if it still has that version. Throws RefusedByStateError.
 */
export async function changeProvider(
  services: CompanyServices,
  acting: Acting,
  change: Exclude<ProviderChange, { change: 'replace_secret' }>,
  seen?: number,
): Promise<ChangedProvider> {
  return changeCompany(services, acting, 'admin', (tx) => changeRows(tx, change, seen))
}

/** Replaces the secret, and with it how the service authenticates. Throws like `changeProvider`. */
export async function rotateProviderSecret(
  services: ProviderServices,
  acting: Acting,
  given: NewSecret,
  seen?: number,
): Promise<ChangedProvider> {
  const secret = await makeSecret(services, given)
  return changeCompany(services, acting, 'admin', async (tx) => {
    const change = { change: 'replace_secret', clientAuth: given.clientAuth } as const
    const { events, result } = await changeRows(tx, change, seen)
    await replaceProviderSecret(tx, services.secrets.encrypt(secret, placeOfSecret(result.provider.id)))
    return { events, result: { provider: await loadProvider(tx) } }
  })
}

async function changeRows(tx: Transaction, change: ProviderChange, seen: number | undefined) {
  const stored = await loadProvider(tx)
  assertSeen(seen, stored.version, CHANGED)
  const breakGlass = change.change === 'use' ? change.use.break_glass : null
  const facts = await loadProviderFacts(tx, stored.settings.issuer, breakGlass)
  const events = unwrapDecision(decideProviderChange(stored, change, facts))
  const changed = events.reduce<ProviderLife>(evolveProvider, stored)
  if (change.change === 'remove') await deleteProvider(tx)
  else if (events.length > 0) await updateProvider(tx, changed)
  if (changed.use.use === 'off' && stored.use.use !== 'off')
    await endSessions(tx.connection, tx, 'provider_off', sql`method = 'provider'`)
  const { break_glass: exempt } = changed.use
  // A session that begins at the same time is refused at each use.
  if (exempt !== null && exempt !== stored.use.break_glass)
    await endSessions(
      tx.connection,
      tx,
      'provider_required',
      sql`method <> 'provider' and user_id <> ${toUuid(exempt)}`,
    )
  return { events, result: { provider: { ...stored, ...changed } } }
}

async function loadProvider({ connection, companyId }: Transaction): Promise<StoredProvider> {
  const provider = await readProvider(connection, companyId)
  if (!provider) throw new RefusedByStateError(NO_PROVIDER)
  return provider
}

function makeSecret({ secrets }: ProviderServices, given: NewSecret) {
  assertHasKey(secrets)
  if (given.clientAuth === 'private_key_jwt') return generateProviderKey()
  const fault = findSecretError(given.secret)
  if (fault) throw new RefusedByStateError(invalidFields([fault]))
  return given.secret
}

/*
 * The rows of providers, written only under the lock of the company's head, together with the provider's events. Only
 * the encryption of all stored secrets under another key replaces a secret without that lock.
 */

/** The columns that follow from the events of a provider. */
function columnsOf({ version, settings, use }: ProviderLife) {
  const roles = sql<ProviderSettings['roles']>`${JSON.stringify(settings.roles)}`
  return { version, ...settings, roles, use: use.use, break_glass: use.break_glass && toUuid(use.break_glass) }
}

/** Stores a new provider. */
async function insertProvider({ db, companyId, now }: Transaction, provider: ProviderLife, secret: Buffer) {
  const place = { company_id: toUuid(companyId), provider_id: toUuid(provider.id), secret, created_at: now }
  await db
    .insertInto('identity_providers')
    .values({ ...place, ...columnsOf(provider) })
    .execute()
}

/** Stores a changed provider. */
async function updateProvider({ db, companyId }: Transaction, provider: ProviderLife) {
  await db
    .updateTable('identity_providers')
    .set({ ...columnsOf(provider), failing_since: null, fault: null })
    .where('company_id', '=', toUuid(companyId))
    .execute()
}

/** Replaces the secret of a company's provider. */
async function replaceProviderSecret({ db, companyId }: Transaction, sealed: Buffer) {
  await sql`update identity_providers set secret = ${sealed}, failing_since = null, fault = null
    where company_id = ${toUuid(companyId)}`.execute(db)
}

/** Deletes a company's provider. The links of users stay: they name the issuer, and are nothing without it. */
async function deleteProvider({ connection, companyId }: Transaction) {
  await connection.query('delete from identity_providers where company_id = $1', [toUuid(companyId)])
}

/** Loads what a change of the use depends on. */
async function loadProviderFacts({ connection, companyId }: Transaction, issuer: string, breakGlass: string | null) {
  const { rows } = await connection.query<ProviderFacts>(
    `select coalesce(bool_or(user_id = $3 and password_hash is not null), false) as "canBreakGlass",
       coalesce(bool_or(issuer = $2), false) as "hasLinkedAdmin",
       coalesce(bool_or(password_hash is not null or ${hasPasskey('$1', 'users.user_id')}), false) as "hasAdminWithout"
     from users where company_id = $1 and role = 'admin' and removed_at is null`,
    [toUuid(companyId), issuer, breakGlass === null ? null : toUuid(breakGlass)],
  )
  return rows[0]!
}
