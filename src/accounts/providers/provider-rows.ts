import { sql } from 'kysely'
import { toUuid } from '../../domain/ids.ts'
import type { ProviderFacts, ProviderLife } from '../../domain/providers/provider-lifecycle.ts'
import type { Transaction } from '../change-company.ts'
import { hasPasskey } from '../users/sign-in-conditions.ts'

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
