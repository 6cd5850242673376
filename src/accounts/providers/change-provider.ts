import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import { problem, invalidFields } from '#domain/errors'
import type { ClientAuth, ProviderSettings } from '#domain/provider-settings'
import {
  decideProvider,
  decideProviderChange,
  evolveProvider,
  type ProviderChange,
  type ProviderLife,
  type ProviderFacts,
} from '#domain/providers/provider-lifecycle'
import { findSecretError } from '#domain/providers/read-provider-settings'
import type { SecretBox } from '../secrets/secret-box.ts'
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
} from '../change-company.ts'
import { endSessions } from '../session-events.ts'
import { generateProviderKey, placeOfSecret, readProvider, type StoredProvider } from './read-provider.ts'
import { hasPasskey } from '../users/sign-in-conditions.ts'

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

function makeSecret({ secrets }: ProviderServices, given: NewSecret): string | Promise<string> {
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

/** Stores a new provider. */
export async function insertProvider(
  { db, companyId, now }: Transaction,
  provider: ProviderLife,
  sealed: Buffer,
): Promise<void> {
  const { id, version, settings, use } = provider
  const { name, issuer, client_id: clientId, client_auth: clientAuth } = settings
  await sql`insert into identity_providers (company_id, provider_id, version, name, issuer, client_id, client_auth,
      creates_users, role_claim, roles, use, break_glass, secret, created_at)
    values (${toUuid(companyId)}, ${toUuid(id)}, ${version}, ${name}, ${issuer}, ${clientId}, ${clientAuth},
      ${settings.creates_users}, ${settings.role_claim}, ${JSON.stringify(settings.roles)}, ${use.use},
      ${use.break_glass && toUuid(use.break_glass)}, ${sealed}, ${now})`.execute(db)
}

/** Stores a changed provider. */
export async function updateProvider({ db, companyId }: Transaction, provider: ProviderLife): Promise<void> {
  const { id, version, settings, use } = provider
  await sql`update identity_providers set version = ${version}, name = ${settings.name}, issuer = ${settings.issuer},
      client_id = ${settings.client_id}, client_auth = ${settings.client_auth},
      creates_users = ${settings.creates_users}, role_claim = ${settings.role_claim},
      roles = ${JSON.stringify(settings.roles)}, use = ${use.use},
      break_glass = ${use.break_glass && toUuid(use.break_glass)}, failing_since = null, fault = null
    where company_id = ${toUuid(companyId)} and provider_id = ${toUuid(id)}`.execute(db)
}

/** Replaces the secret of a company's provider. */
export async function replaceProviderSecret({ db, companyId }: Transaction, sealed: Buffer): Promise<void> {
  await sql`update identity_providers set secret = ${sealed}, failing_since = null, fault = null
    where company_id = ${toUuid(companyId)}`.execute(db)
}

/** Deletes a company's provider. The links of users stay: they name the issuer, and are nothing without it. */
export async function deleteProvider({ connection, companyId }: Transaction): Promise<void> {
  await connection.query('delete from identity_providers where company_id = $1', [toUuid(companyId)])
}

/** Loads what a change of the use depends on. */
export async function loadProviderFacts(
  { connection, companyId }: Transaction,
  issuer: string,
  breakGlass: string | null,
): Promise<ProviderFacts> {
  const { rows } = await connection.query<ProviderFacts>(
    `select coalesce(bool_or(user_id = $3 and password_hash is not null), false) as "canBreakGlass",
       coalesce(bool_or(issuer = $2), false) as "hasLinkedAdmin",
       coalesce(bool_or(password_hash is not null or ${hasPasskey('$1', 'users.user_id')}), false) as "hasAdminWithout"
     from users where company_id = $1 and role = 'admin' and removed_at is null`,
    [toUuid(companyId), issuer, breakGlass === null ? null : toUuid(breakGlass)],
  )
  return rows[0]!
}
