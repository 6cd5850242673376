import { sql } from 'kysely'
import { windowStart } from '../../domain/accounts/quota.ts'
import { toUuid } from '../../domain/ids.ts'
import type { KeyLife } from '../../domain/accounts/key-lifecycle.ts'
import type { Transaction } from '../change-company.ts'
import type { SecretDigest } from '../users/new-secret.ts'

/* The rows of API keys, written only under the lock of the company's head, together with the key's events. */

/** Inserts a new key with no usage. */
export async function insertApiKey(
  { db, companyId, now }: Transaction,
  key: KeyLife,
  secret: SecretDigest,
): Promise<void> {
  const [company, id] = [toUuid(companyId), toUuid(key.id)]
  const { version, name, isEnabled, isRevoked, quotaLimit, refreshPeriod, scopes, expiresAt, allowedNetworks } = key
  const limits = sql`${JSON.stringify(key.limits)}::jsonb`
  const lastFour = { [secret.hash.toString('hex')]: secret.lastFour }
  await sql`insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, quota_limit,
      refresh_period, scopes, expires_at, allowed_networks, created_at, last_four, limits)
    values (${company}, ${id}, ${version}, ${name}, ${secret.hash}, ${isEnabled}, ${isRevoked}, ${quotaLimit},
      ${refreshPeriod}, ${scopes}, ${expiresAt}, ${allowedNetworks}, ${now}, ${lastFour}, ${limits})`.execute(db)
  const firstWindow = new Date(windowStart(refreshPeriod, Date.parse(now)))
  await sql`insert into api_key_usage (company_id, api_id, window_start, requests_made)
    values (${company}, ${id}, ${firstWindow}, 0)`.execute(db)
}

/** Stores a key after a change. Revoking also removes its previous secret. */
export async function updateApiKey({ db, companyId, now }: Transaction, key: KeyLife): Promise<void> {
  const expectedCalls = sql`${key.expectedCalls && JSON.stringify(key.expectedCalls)}::jsonb`
  const noPrevious = key.isRevoked ? sql`previous_secret_hash = null, previous_expires_at = null,` : sql``
  await sql`update api_keys set ${noPrevious} version = ${key.version}, name = ${key.name},
      is_enabled = ${key.isEnabled}, is_revoked = ${key.isRevoked}, quota_limit = ${key.quotaLimit},
      refresh_period = ${key.refreshPeriod}, scopes = ${key.scopes}, expires_at = ${key.expiresAt},
      allowed_networks = ${key.allowedNetworks}, limits = ${JSON.stringify(key.limits)}::jsonb,
      excess = ${key.excess && JSON.stringify(key.excess)}::jsonb, expected_calls = ${expectedCalls},
      expected_since = case when ${expectedCalls} is null then null
        when expected_calls = ${expectedCalls} then expected_since else ${now}::timestamptz end
    where company_id = ${toUuid(companyId)} and api_id = ${toUuid(key.id)}`.execute(db)
}

/** Forgets the call that a key's limits refused last, because an administrator has seen it. */
export async function forgetRefused({ db, companyId }: Transaction, apiId: string): Promise<void> {
  await sql`update api_key_usage set people_use = people_use || '{"refused":null}'
    where company_id = ${toUuid(companyId)} and api_id = ${toUuid(apiId)}`.execute(db)
}

/** Former secrets of a key that are known: the last ones. */
const FORMER_SECRETS = 8

/** Replaces a key's secret. The old secret works until `previousExpiresAt`, or ends at once if that is null. */
export async function updateKeySecret(
  { db, companyId, now }: Transaction,
  apiId: string,
  secret: SecretDigest,
  previousExpiresAt: string | null,
): Promise<void> {
  const previousHash = previousExpiresAt === null ? sql`null` : sql`secret_hash`
  await sql`update api_keys set secret_hash = ${secret.hash}, rotated_at = ${now},
      previous_secret_hash = ${previousHash}, previous_expires_at = ${previousExpiresAt}, last_four = jsonb_object(
        array[${secret.hash.toString('hex')}, encode(secret_hash, 'hex')],
        array[${secret.lastFour}, last_four ->> encode(secret_hash, 'hex')]),
      former_secrets = (select jsonb_object_agg(kept.key, kept.value) from (
        select key, value from jsonb_each(coalesce(former_secrets, '{}') ||
          jsonb_build_object(encode(secret_hash, 'hex'), ${now}::text))
        order by value #>> '{}' desc limit ${FORMER_SECRETS}) kept)
    where company_id = ${toUuid(companyId)} and api_id = ${toUuid(apiId)}`.execute(db)
}
