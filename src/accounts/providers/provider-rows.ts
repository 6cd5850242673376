import type { ClientBase } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import type { ProviderFacts, ProviderLife } from '../../domain/providers/provider-lifecycle.ts'
import { hasPasskey } from '../users/sign-in-conditions.ts'

/*
 * The rows of providers, written only under the lock of the company's head, together with the provider's events. Only
 * the encryption of all stored secrets under another key replaces a secret without that lock.
 */

/** Stores a new provider. */
export async function insertProvider(
  client: ClientBase,
  companyId: string,
  provider: ProviderLife,
  sealed: Buffer,
  now: string,
): Promise<void> {
  await client.query(
    `insert into identity_providers (company_id, provider_id, version, name, issuer, client_id, client_auth,
       creates_users, role_claim, roles, use, break_glass, secret, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [...valuesOf(companyId, provider), sealed, now],
  )
}

/** Stores a changed provider. */
export async function updateProvider(client: ClientBase, companyId: string, provider: ProviderLife): Promise<void> {
  await client.query(
    `update identity_providers set version = $3, name = $4, issuer = $5, client_id = $6, client_auth = $7,
       creates_users = $8, role_claim = $9, roles = $10, use = $11, break_glass = $12, failing_since = null, fault = null
     where company_id = $1 and provider_id = $2`,
    valuesOf(companyId, provider),
  )
}

function valuesOf(companyId: string, { id, version, settings, use }: ProviderLife): unknown[] {
  return [
    toUuid(companyId),
    toUuid(id),
    version,
    settings.name,
    settings.issuer,
    settings.client_id,
    settings.client_auth,
    settings.creates_users,
    settings.role_claim,
    JSON.stringify(settings.roles),
    use.use,
    use.break_glass === null ? null : toUuid(use.break_glass),
  ]
}

/** Replaces the secret of a company's provider. */
export async function replaceProviderSecret(client: ClientBase, companyId: string, sealed: Buffer): Promise<void> {
  await client.query(
    'update identity_providers set secret = $2, failing_since = null, fault = null where company_id = $1',
    [toUuid(companyId), sealed],
  )
}

/** Deletes a company's provider. The links of users stay: they name the issuer, and are nothing without it. */
export async function deleteProvider(client: ClientBase, companyId: string): Promise<void> {
  await client.query('delete from identity_providers where company_id = $1', [toUuid(companyId)])
}

/** Loads what a change of the use depends on. */
export async function loadProviderFacts(
  client: ClientBase,
  companyId: string,
  issuer: string,
  breakGlass: string | null,
): Promise<ProviderFacts> {
  const { rows } = await client.query<ProviderFacts>(
    `select coalesce(bool_or(user_id = $3 and password_hash is not null), false) as "canBreakGlass",
       coalesce(bool_or(issuer = $2), false) as "hasLinkedAdmin",
       coalesce(bool_or(password_hash is not null or ${hasPasskey('$1', 'users.user_id')}), false) as "hasAdminWithout"
     from users where company_id = $1 and role = 'admin' and removed_at is null`,
    [toUuid(companyId), issuer, breakGlass === null ? null : toUuid(breakGlass)],
  )
  return rows[0]!
}
