import { sql, type InferResult } from 'kysely'
import { type KeyUsage, hasExpired, windowStart } from '#domain/accounts/api-key'
import { NO_LIMITS } from '#domain/accounts/key-limits'
import { fromUuid, toUuid } from '#domain/ids'
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
import { keyUsageOf } from '#ledger/append/statements'
import type { LedgerDb } from '#ledger/tables'
import type { Queryable } from '#postgres/pool'
import {
  type Transaction,
  assertSeen,
  changeCompany,
  unwrapDecision,
  type Acting,
  type CompanyServices,
  RefusedByStateError,
} from '#accounts/change-company'
import { type SecretDigest, digestSecret, generateSecret } from '#accounts/users/new-secret'
import type { KeyAccess, KeyQuota } from '#domain/events'
import { prefixOfSecret } from '#domain/accounts/secrets'
import { OPERATOR } from '#ledger/append/append-company-events'
import { problem } from '#domain/errors'

/** An API key as shown to administrators, without its secrets. Times are RFC 3339 UTC. */
interface ApiKeyRecord extends KeyLife {
  createdAt: string
  /** The last four characters of the secret, and of the previous one; null if they are not stored. */
  lastFour: string | null
  previousLastFour: string | null
  rotatedAt: string | null
  /** When the previous secret expires or expired. */
  previousExpiresAt: string | null
  usage: KeyUsage
  /** Since when its calls are expected; null if they are not. */
  expectedSince: string | null
}

/** The last four characters of the secrets of a key `k`. */
export const LAST_FOUR = {
  current: sql<string | null>`k.last_four ->> encode(k.secret_hash, 'hex')`,
  previous: sql<string | null>`k.last_four ->> encode(k.previous_secret_hash, 'hex')`,
}

/** Selects keys of a company as `toSeenKey` takes them. */
export function selectApiKeys(db: LedgerDb, companyId: string) {
  return db
    .selectFrom('api_keys as k')
    .innerJoin('api_key_usage as u', (on) =>
      on.onRef('u.company_id', '=', 'k.company_id').onRef('u.api_id', '=', 'k.api_id'),
    )
    .where('k.company_id', '=', toUuid(companyId))
    .select(['k.api_id', 'k.version', 'k.name', 'k.scopes', 'k.is_enabled as isEnabled', 'k.is_revoked as isRevoked'])
    .select(['k.expires_at as expiresAt', 'k.allowed_networks as allowedNetworks', 'k.quota_limit as quotaLimit'])
    .select(['k.refresh_period as refreshPeriod', 'k.created_at as createdAt', 'k.rotated_at as rotatedAt'])
    .select(['k.writable_fields as writableFields'])
    .select(['k.expected_calls as expectedCalls', 'k.expected_since as expectedSince'])
    .select(['k.previous_expires_at as previousExpiresAt', LAST_FOUR.previous.as('previousLastFour')])
    .select([LAST_FOUR.current.as('lastFour'), sql<string>`clock_timestamp()`.as('now')])
    .select(['u.window_start', 'u.requests_made', 'u.last_used', 'u.people_use', 'k.limits', 'k.excess'])
}

type ApiKeyRow = InferResult<ReturnType<typeof selectApiKeys>>[number]

/** A key, and the database's time when it was read (RFC 3339 UTC). */
export interface SeenKey {
  key: ApiKeyRecord
  now: string
}

export const KEY_STATUSES = ['active', 'disabled', 'expired', 'revoked'] as const
type KeyStatus = (typeof KEY_STATUSES)[number]

/** Finds the status of a key. */
export function findKeyStatus({ key, now }: SeenKey): KeyStatus {
  if (key.isRevoked) return 'revoked'
  if (key.expiresAt !== null && hasExpired(Date.parse(key.expiresAt), Date.parse(now))) return 'expired'
  return key.isEnabled ? 'active' : 'disabled'
}

/** Whether the secret before the last rotation still works. */
export function hasPreviousSecret({ key, now }: SeenKey): boolean {
  return key.previousExpiresAt !== null && key.previousExpiresAt > now
}

/** The status of a key, as `findKeyStatus` finds it. */
const STATUS = sql<KeyStatus>`case when k.is_revoked then 'revoked'
  when k.expires_at <= clock_timestamp() then 'expired'
  when k.is_enabled then 'active' else 'disabled' end`

/** Lists a company's keys before an id, newest first. */
export async function listApiKeys(
  db: LedgerDb,
  companyId: string,
  page: { status?: KeyStatus; before?: string; limit: number },
): Promise<SeenKey[]> {
  const { status, before, limit } = page
  let query = selectApiKeys(db, companyId)
  if (before !== undefined) query = query.where('k.api_id', '<', toUuid(before))
  if (status !== undefined) query = query.where(STATUS, '=', status)
  return (await query.orderBy('k.api_id', 'desc').limit(limit).execute()).map(toSeenKey)
}

/** Finds a key of a company; null if it does not exist. */
export async function findApiKey(db: LedgerDb, companyId: string, apiId: string): Promise<SeenKey | null> {
  const row = await selectApiKeys(db, companyId).where('k.api_id', '=', toUuid(apiId)).executeTakeFirst()
  return row ? toSeenKey(row) : null
}

/** Finds when the newest key of a company was issued, in milliseconds since the epoch; 0 if there is none. */
export async function findNewestKey(client: Queryable, companyId: string): Promise<number> {
  const text = `select coalesce(extract(epoch from max(created_at)) * 1000, 0)::float8 as ms
    from api_keys where company_id = $1`
  const { rows } = await client.query<{ ms: number }>(text, [toUuid(companyId)])
  return rows[0]!.ms
}

/** Converts such a row. */
export function toSeenKey({ api_id: uuid, now, limits, ...row }: ApiKeyRow): SeenKey {
  const { window_start, requests_made, last_used, people_use, ...key } = row
  const usage = keyUsageOf({ window_start, requests_made, last_used, people_use })
  return { key: { ...key, id: fromUuid('key', uuid), limits: limits ?? NO_LIMITS, usage }, now }
}

/* The rows of API keys, written only under the lock of the company's head, together with the key's events. */

/** The columns that follow from the events of a key. */
function columnsOf(key: KeyLife) {
  const { version, name, scopes, isEnabled, isRevoked, quotaLimit, refreshPeriod, allowedNetworks } = key
  return {
    version,
    name,
    scopes,
    is_enabled: isEnabled,
    is_revoked: isRevoked,
    quota_limit: quotaLimit,
    refresh_period: refreshPeriod,
    allowed_networks: allowedNetworks,
    expires_at: key.expiresAt,
    writable_fields: key.writableFields,
    limits: sql<KeyLife['limits']>`${JSON.stringify(key.limits)}::jsonb`,
  }
}

/** Inserts a new key with no usage. */
async function insertApiKey({ db, companyId, now }: Transaction, key: KeyLife, secret: SecretDigest) {
  const place = { company_id: toUuid(companyId), api_id: toUuid(key.id) }
  const secrets = { secret_hash: secret.hash, last_four: { [secret.hash.toString('hex')]: secret.lastFour } }
  await db
    .insertInto('api_keys')
    .values({ ...place, ...columnsOf(key), ...secrets, created_at: now })
    .execute()
  const firstWindow = new Date(windowStart(key.refreshPeriod, Date.parse(now))).toISOString()
  await db
    .insertInto('api_key_usage')
    .values({ ...place, window_start: firstWindow, requests_made: 0 })
    .execute()
}

/** Stores a key after a change. Revoking also removes its previous secret. */
async function updateApiKey({ db, companyId, now }: Transaction, key: KeyLife) {
  const expectedCalls = sql<KeyLife['expectedCalls']>`${key.expectedCalls && JSON.stringify(key.expectedCalls)}::jsonb`
  await db
    .updateTable('api_keys')
    .set(columnsOf(key))
    .set({
      excess: sql<KeyLife['excess']>`${key.excess && JSON.stringify(key.excess)}::jsonb`,
      expected_calls: expectedCalls,
      expected_since: sql<string | null>`case when ${expectedCalls} is null then null
        when expected_calls = ${expectedCalls} then expected_since else ${now}::timestamptz end`,
      ...(key.isRevoked ? { previous_secret_hash: null, previous_expires_at: null } : {}),
    })
    .where('company_id', '=', toUuid(companyId))
    .where('api_id', '=', toUuid(key.id))
    .execute()
}

/** Forgets the call that a key's limits refused last, because an administrator has seen it. */
async function forgetRefused({ db, companyId }: Transaction, apiId: string) {
  await sql`update api_key_usage set people_use = people_use || '{"refused":null}'
    where company_id = ${toUuid(companyId)} and api_id = ${toUuid(apiId)}`.execute(db)
}

/** Former secrets of a key that are known: the last ones. */
const FORMER_SECRETS = 8

/** Replaces a key's secret. The old secret works until `previousExpiresAt`, or ends at once if that is null. */
async function updateKeySecret(
  { db, companyId, now }: Transaction,
  apiId: string,
  secret: SecretDigest,
  previousExpiresAt: string | null,
) {
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
