import { sql } from 'kysely'
import { windowStart } from '#domain/accounts/api-key'
import { toUuid } from '#domain/ids'
import {
  type KeyLife,
  createKey,
  decideIssue,
  evolveKey,
  type IssuedEvent,
  type KeyToIssue,
  decideKeyChange,
  type KeyChange,
  accessData,
} from '#domain/accounts/key-lifecycle'
import {
  type Transaction,
  assertSeen,
  changeCompany,
  unwrapDecision,
  type Acting,
  type CompanyServices,
  RefusedByStateError,
} from '../change-company.ts'
import { type SecretDigest, digestSecret, generateSecret } from '../users/new-secret.ts'
import type { KeyAccess, KeyQuota } from '#domain/events'
import { prefixOfSecret } from '#domain/accounts/secrets'
import { OPERATOR } from '#ledger/append/append-company-events'
import { findNewestKey, findApiKey, type SeenKey } from './read-api-keys.ts'
import { problem } from '#domain/errors'

/* The rows of API keys, written only under the lock of the company's head, together with the key's events. */

/** Inserts a new key with no usage. */
export async function insertApiKey(
  { db, companyId, now }: Transaction,
  key: KeyLife,
  secret: SecretDigest,
): Promise<void> {
  const [company, id] = [toUuid(companyId), toUuid(key.id)]
  const { version, name, isEnabled, isRevoked, quotaLimit, refreshPeriod, scopes, expiresAt } = key
  const limits = sql`${JSON.stringify(key.limits)}::jsonb`
  const lastFour = { [secret.hash.toString('hex')]: secret.lastFour }
  await sql`insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, quota_limit,
      refresh_period, scopes, expires_at, allowed_networks, writable_fields, created_at, last_four, limits)
    values (${company}, ${id}, ${version}, ${name}, ${secret.hash}, ${isEnabled}, ${isRevoked}, ${quotaLimit},
      ${refreshPeriod}, ${scopes}, ${expiresAt}, ${key.allowedNetworks}, ${key.writableFields}, ${now}, ${lastFour},
      ${limits})`.execute(db)
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
      allowed_networks = ${key.allowedNetworks}, writable_fields = ${key.writableFields},
      limits = ${JSON.stringify(key.limits)}::jsonb,
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

/** A key to issue. Without an actor, the command line issues it. */
interface NewApiKey extends Omit<KeyToIssue, 'id'>, Partial<Omit<Acting, 'companyId'>> {
  companyId: string
  /** When the newest key was issued that the company had as the form was shown (ms); absent to skip the check. */
  seen?: number
}

/** A new key with its secret. The secret is shown once; only a hash is stored. */
export interface IssuedApiKey extends KeyQuota, KeyAccess {
  api_id: string
  api_key: string
  name: string
}

/** A key with a new secret. */
export interface KeyWithSecret extends SeenKey {
  secret: string
  position: number | null
}

const CREATED_MEANWHILE =
  'A key has been created since you opened this form. If it is this one, rotate it to get a new secret; if not, ' +
  'submit again'

/** Issues an API key of a company. */
export async function issueApiKey(services: CompanyServices, newKey: NewApiKey): Promise<IssuedApiKey> {
  const { key, secret } = await issueApiKeyRecord(services, newKey)
  const { id, name, quotaLimit, refreshPeriod } = key
  const quota = { quota_limit: quotaLimit, refresh_period: refreshPeriod }
  return { api_id: id, api_key: secret, name, ...quota, ...accessData(key) }
}

/** Issues an API key and returns everything that an administrator may see. Throws RefusedByStateError. */
export async function issueApiKeyRecord(services: CompanyServices, newKey: NewApiKey): Promise<KeyWithSecret> {
  const { companyId, actor = OPERATOR, seen } = newKey
  const id = services.newId('key')
  const secret = generateSecret(prefixOfSecret('key', companyId))
  const issued = await changeCompany(services, { ...newKey, actor }, 'admin', async (tx) => {
    assertSeen(seen, await findNewestKey(tx.connection, companyId), CREATED_MEANWHILE)
    const events = unwrapDecision(decideIssue({ ...newKey, id }, tx.now))
    const [issued, ...others] = events
    const key = others.reduce<KeyLife>(evolveKey, createKey(issued as IssuedEvent))
    await insertApiKey(tx, key, digestSecret(secret))
    return { events, result: (await findApiKey(tx.db, companyId, id))! }
  })
  return { ...issued, secret }
}

export const NO_SUCH_KEY = problem('key_not_found', 'No such API key exists')
const CHANGED = 'The key has changed since you opened this page. Nothing was done; check it, then try again'

/** A key after a change. The position is null if nothing changed. */
interface ChangedKey extends SeenKey {
  position: number | null
}

/**
 * Edits, disables, enables or revokes a key, or allows it more than its limits. Takes effect at once everywhere, because keys are not cached. With `seen`,
 * only if the key still has that version. Throws RefusedByStateError.
 */
export async function changeApiKey(
  services: CompanyServices,
  acting: Acting,
  apiId: string,
  change: Exclude<KeyChange, { change: 'rotate' }>,
  seen?: number,
): Promise<ChangedKey> {
  return changeCompany(services, acting, 'admin', (tx) => changeKeyRow(tx, apiId, { ...change, seen }))
}

/**
 * Rotates a key's secret. The current secret works for `overlapSeconds` more; any older one ends. With `seen`, only if
 * the key still has that version. Throws RefusedByStateError.
 */
export async function rotateApiKey(
  services: CompanyServices,
  acting: Acting,
  apiId: string,
  overlapSeconds: number,
  seen?: number,
): Promise<KeyWithSecret> {
  const secret = generateSecret(prefixOfSecret('key', acting.companyId))
  const rotated = await changeCompany(services, acting, 'admin', (tx) =>
    changeKeyRow(tx, apiId, { change: 'rotate', overlapSeconds, seen }, digestSecret(secret)),
  )
  return { ...rotated, secret }
}

type SeenChange = KeyChange & { seen: number | undefined }

/** Decides a change under the lock and stores its events in the row. A rotation needs the new `secret`. */
async function changeKeyRow(tx: Transaction, apiId: string, change: SeenChange, secret?: SecretDigest) {
  const stored = await findApiKey(tx.db, tx.companyId, apiId)
  if (!stored) throw new RefusedByStateError(NO_SUCH_KEY)
  assertSeen(change.seen, stored.key.version, CHANGED)
  const events = unwrapDecision(decideKeyChange(stored.key, change, tx.now))
  if (events.length === 0) return { events, result: stored }
  await updateApiKey(tx, events.reduce<KeyLife>(evolveKey, stored.key))
  for (const { type, data } of events) {
    if (type === 'ApiKeyRotated') await updateKeySecret(tx, apiId, secret!, data.previous_expires_at)
    if (type === 'ApiKeyExcessAllowed') await forgetRefused(tx, apiId)
  }
  return { events, result: (await findApiKey(tx.db, tx.companyId, apiId))! }
}
