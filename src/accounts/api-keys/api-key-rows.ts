import type { ClientBase } from 'pg'
import { windowStart } from '../../domain/accounts/quota.ts'
import { toUuid } from '../../domain/ids.ts'
import type { KeyLife } from '../../domain/accounts/key-lifecycle.ts'
import type { SecretDigest } from '../users/new-secret.ts'
import { toApiKeyRecord, SELECT_API_KEYS, type ApiKeyRecord, type ApiKeyRow } from './read-api-keys.ts'

/* The rows of API keys, written only under the lock of the company's head, together with the key's events. */

/** Loads a key under the lock of its company's head; null if the company has no such key. */
export async function loadApiKey(client: ClientBase, companyId: string, apiId: string): Promise<ApiKeyRecord | null> {
  const text = `${SELECT_API_KEYS} where k.company_id = $1 and k.api_id = $2`
  const { rows } = await client.query<ApiKeyRow>(text, [toUuid(companyId), toUuid(apiId)])
  return rows[0] ? toApiKeyRecord(rows[0]) : null
}

/** Inserts a new key with no usage. */
export async function insertApiKey(
  client: ClientBase,
  companyId: string,
  key: KeyLife,
  secret: SecretDigest,
  now: string,
): Promise<ApiKeyRecord> {
  const ids = [toUuid(companyId), toUuid(key.id)]
  const windowStartMs = windowStart(key.refreshPeriod, Date.parse(now))
  await client.query(
    `insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, quota_limit,
       refresh_period, scopes, expires_at, allowed_networks, created_at, last_four)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...ids,
      key.version,
      key.name,
      secret.hash,
      key.isEnabled,
      key.isRevoked,
      key.quotaLimit,
      key.refreshPeriod,
      key.scopes,
      key.expiresAt,
      key.allowedNetworks,
      now,
      { [secret.hash.toString('hex')]: secret.lastFour },
    ],
  )
  await client.query(
    'insert into api_key_usage (company_id, api_id, window_start, requests_made) values ($1, $2, $3, 0)',
    [...ids, new Date(windowStartMs)],
  )
  const usage = { windowStartMs, requestsMade: 0, lastUsedMs: null }
  const noPrevious = { rotatedAt: null, previousExpiresAt: null, previousLastFour: null }
  return { ...key, createdAt: now, lastFour: secret.lastFour, ...noPrevious, expectedSince: null, usage }
}

/** Stores a key after a change at a time. Revoking also removes its previous secret. */
export async function updateApiKey(client: ClientBase, companyId: string, key: KeyLife, now: string): Promise<void> {
  await client.query(
    `update api_keys set version = $3, name = $4, is_enabled = $5, is_revoked = $6, quota_limit = $7, refresh_period = $8,
       scopes = $9, expires_at = $10, allowed_networks = $11, expected_calls = $12::jsonb,
       expected_since = case when $12::jsonb is null then null
         when expected_calls = $12::jsonb then expected_since else $13 end,
       previous_secret_hash = case when $6 then null else previous_secret_hash end,
       previous_expires_at = case when $6 then null else previous_expires_at end
     where company_id = $1 and api_id = $2`,
    [
      toUuid(companyId),
      toUuid(key.id),
      key.version,
      key.name,
      key.isEnabled,
      key.isRevoked,
      key.quotaLimit,
      key.refreshPeriod,
      key.scopes,
      key.expiresAt,
      key.allowedNetworks,
      key.expectedCalls && JSON.stringify(key.expectedCalls),
      now,
    ],
  )
}

/** Replaces a key's secret. The old secret works until `previousExpiresAt`, or ends at once if that is null. */
export async function updateKeySecret(
  client: ClientBase,
  companyId: string,
  apiId: string,
  rotation: { secret: SecretDigest; previousExpiresAt: string | null; now: string },
): Promise<void> {
  const { secret, previousExpiresAt, now } = rotation
  await client.query(
    `update api_keys set secret_hash = $3, rotated_at = $4, previous_expires_at = $5::timestamptz,
       previous_secret_hash = case when $5::timestamptz is null then null else secret_hash end,
       last_four = jsonb_object(array[encode($3, 'hex'), encode(secret_hash, 'hex')],
         array[$6, last_four ->> encode(secret_hash, 'hex')])
     where company_id = $1 and api_id = $2`,
    [toUuid(companyId), toUuid(apiId), secret.hash, now, previousExpiresAt, secret.lastFour],
  )
}
