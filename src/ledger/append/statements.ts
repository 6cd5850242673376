import type { PeopleUse, ApiKey, KeyUsage } from '#domain/accounts/api-key'
import { uniqueForm } from '#domain/attributes'
import { NO_LIMITS } from '#domain/accounts/key-limits'
import type { Role } from '#domain/accounts/roles'
import { fromUuid } from '#domain/ids'
import { bigint, bytea, integer, json, nullable, text, time, uuid } from '#projections/projection'
import { uuidArray } from '#postgres/binary-arrays'
import type { SealedEvent } from '../integrity/codec.ts'
import type { LedgerTables, Row } from '../tables.ts'
import type { Head } from './company-state.ts'
import type { NewDigest } from './record-digests.ts'
import { arraysOf, insertSent, selectSent, sent, type SentColumns } from './sent-rows.ts'
import { isOnly, onlyCompany, type QueryClient, type WhenLocked } from '#postgres/pool'
import { selectGeneration, type OwnedEmployee } from '../read/read-employees.ts'
import { packFrontier, unpackFrontier } from '../integrity/merkle.ts'

/*
 * The statements of an append. Each has a name, so that a connection parses and plans it once, and the same text for
 * any number of rows.
 */

type HeadRow = LedgerTables['heads'] & Row<'checkpoints', 'generation'>

/** Locks the heads of these companies. Unless `wait` is set, leaves out those that another transaction holds. */
export async function lockHeads(client: QueryClient, companyIds: string[], whenLocked: WhenLocked): Promise<Head[]> {
  const companies = companyIds.map((companyId) => ({ companyId }))
  const { rows } = await client.query<HeadRow>({
    name: whenLocked === 'wait' ? 'lock-heads-wait' : 'lock-heads-skip',
    text: `select h.company_id, h.position, h.frontier, h.recorded_at,
        ${selectGeneration('h.company_id', '$2')} as generation
      from heads h where h.company_id = any($1) order by h.company_id
        for update of h ${whenLocked === 'wait' ? '' : 'skip locked'}`,
    values: [uuidArray(companyIds), onlyCompany(companies)],
  })
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    frontier: unpackFrontier(row.position, row.frontier),
    recordedAt: row.recorded_at,
    generation: row.generation,
  }))
}

/** The database's time, RFC 3339 UTC. */
export async function readClock(client: QueryClient): Promise<string> {
  const { rows } = await client.query<{ now: string }>({ name: 'clock', text: 'select clock_timestamp() as now' })
  return rows[0]!.now
}

interface LoadedKey {
  companyId: string
  companyName: string
  key: ApiKey
  usage: KeyUsage
}

/** The columns of a key's usage. */
export type UsageRow = Row<'api_key_usage', 'window_start' | 'requests_made' | 'last_used' | 'people_use'>

export function keyUsageOf(row: UsageRow): KeyUsage {
  return {
    windowStartMs: Date.parse(row.window_start),
    requestsMade: row.requests_made,
    lastUsedMs: row.last_used === null ? null : Date.parse(row.last_used),
    people: row.people_use,
  }
}

/** Selects keys with their usage, by `keyNames`, and more columns of their companies `c`. */
export function selectKeys(more: string): string {
  return `select k.company_id, k.api_id, k.name, k.secret_hash, k.previous_secret_hash, k.previous_expires_at,
      k.is_enabled, k.is_revoked, k.expires_at, k.scopes, k.allowed_networks, k.writable_fields, k.quota_limit,
      k.refresh_period, k.limits, k.excess, u.window_start, u.requests_made, u.last_used, u.people_use, ${more}
    from unnest($1::uuid[], $2::uuid[]) as named(company_id, api_id)
    join api_keys k on k.company_id = named.company_id and k.api_id = named.api_id
    join api_key_usage u on u.company_id = k.company_id and u.api_id = k.api_id
    join companies c on c.company_id = k.company_id
    where ${isOnly('k.company_id', '$3')}`
}

export function keyNames(names: { companyId: string; apiId: string }[]): (Buffer | string | null)[] {
  return [
    uuidArray(names.map(({ companyId }) => companyId)),
    uuidArray(names.map(({ apiId }) => apiId)),
    onlyCompany(names),
  ]
}

/**
 * Loads API keys and locks their usage rows in the order of the keys. Unless `wait` is set, leaves out keys whose usage
 * row another transaction holds. A transaction that holds such a row never waits for a head.
 */
export async function loadKeys(
  client: QueryClient,
  names: { companyId: string; apiId: string }[],
  whenLocked: WhenLocked,
): Promise<LoadedKey[]> {
  const { rows } = await client.query<StandingRow & UsageRow & { company_id: string; company_name: string }>({
    name: whenLocked === 'wait' ? 'load-keys-wait' : 'load-keys-skip',
    text: `${selectKeys('c.name as company_name')}
      order by u.company_id, u.api_id for update of u ${whenLocked === 'wait' ? '' : 'skip locked'}`,
    values: keyNames(names),
  })
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    companyName: row.company_name,
    key: apiKeyOf(row),
    usage: keyUsageOf(row),
  }))
}

/** Loads the roles of users who have not been removed. They change only under the lock of their company's head. */
export async function loadRoles(
  client: QueryClient,
  users: { companyId: string; userId: string }[],
): Promise<{ companyId: string; userId: string; role: Role }[]> {
  const { rows } = await client.query<{ company_id: string; user_id: string; role: Role }>({
    name: 'load-roles',
    text: `select u.company_id, u.user_id, u.role from unnest($1::uuid[], $2::uuid[]) as r(company_id, user_id)
      join users u on u.company_id = r.company_id and u.user_id = r.user_id and u.removed_at is null
      where ${isOnly('u.company_id', '$3')}`,
    values: [
      uuidArray(users.map(({ companyId }) => companyId)),
      uuidArray(users.map(({ userId }) => userId)),
      onlyCompany(users),
    ],
  })
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    userId: fromUuid('usr', row.user_id),
    role: row.role,
  }))
}

/** Loads the countries of companies that have one. They change only under the lock of their company's head. */
export async function loadCountries(
  client: QueryClient,
  companyIds: string[],
): Promise<[companyId: string, country: string][]> {
  const { rows } = await client.query<{ company_id: string; country: string }>({
    name: 'load-countries',
    text: `select company_id, country from companies
      where company_id = any($1) and country is not null and ${isOnly('company_id', '$2')}`,
    values: [uuidArray(companyIds), onlyCompany(companyIds.map((companyId) => ({ companyId })))],
  })
  return rows.map((row) => [fromUuid('com', row.company_id), row.country])
}

/** The columns of a key that decide its access, its quota, and its limits. */
export type StandingRow = Omit<
  LedgerTables['api_keys'],
  | 'company_id'
  | 'version'
  | 'rotated_at'
  | 'created_at'
  | 'expected_calls'
  | 'expected_since'
  | 'last_four'
  | 'former_secrets'
>

export function apiKeyOf(row: StandingRow): ApiKey {
  const { previous_secret_hash: previousHash, previous_expires_at: previousEnd } = row
  const previous =
    previousHash === null || previousEnd === null
      ? null
      : { secretHash: previousHash.toString('hex'), expiresAtMs: Date.parse(previousEnd) }
  return {
    id: fromUuid('key', row.api_id),
    name: row.name,
    secretHash: row.secret_hash.toString('hex'),
    previous,
    isEnabled: row.is_enabled,
    isRevoked: row.is_revoked,
    expiresAtMs: row.expires_at === null ? null : Date.parse(row.expires_at),
    scopes: row.scopes,
    allowedNetworks: row.allowed_networks,
    writableFields: row.writable_fields,
    quotaLimit: row.quota_limit,
    refreshPeriod: row.refresh_period,
    limits: row.limits ?? NO_LIMITS,
    excess: row.excess,
  }
}

const EVENT: SentColumns<SealedEvent> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  position: sent(bigint, ({ event }) => event.position),
  recorded_at: sent(time, ({ event }) => event.recorded_at),
  stream_id: sent(uuid, ({ event }) => event.stream),
  call_id: sent(nullable(uuid), ({ event }) => event.call_id),
  stream_version: sent(integer, ({ event }) => event.version),
  record_index: sent(nullable(integer), ({ event }) => event.index),
  schema_version: sent(integer, ({ event }) => event.schema_version),
  type: sent(text, ({ event }) => event.type),
  actor: sent(text, ({ event }) => event.actor),
  leaf_hash: sent(bytea, ({ leaf }) => leaf),
  salt: sent(bytea, ({ salt }) => salt),
  data: sent(text, ({ data }) => data),
  client_id: sent(nullable(bigint), ({ clientId }) => clientId),
}

export function insertEvents(client: QueryClient, events: SealedEvent[]): Promise<unknown> {
  return client.query(insertSent('events', EVENT, events))
}

const DIRECTORY: SentColumns<OwnedEmployee> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  employee_id: sent(uuid, ({ employee }) => employee.id),
  email: sent(nullable(text), ({ employee }) => employee.email),
  external_id: sent(nullable(text), ({ employee }) => employee.external_id),
  user_name: sent(nullable(text), ({ employee }) => uniqueForm('user_name', employee.user_name)),
  directory_external_id: sent(nullable(text), ({ employee }) => employee.directory_external_id),
  manager_id: sent(nullable(uuid), ({ employee }) => employee.manager_id),
}

/** A new employee, with the digest of a record that changes nothing about them, if they get one. */
type InsertedEmployee = OwnedEmployee & { digest: NewDigest | undefined }

const INSERTED: SentColumns<InsertedEmployee> = {
  ...DIRECTORY,
  record_digest: sent(nullable(bytea), ({ digest }) => (digest ? Buffer.from(digest.digest, 'hex') : null)),
  record_version: sent(nullable(integer), ({ digest }) => digest?.employee.version ?? null),
}

export function insertIntoDirectory(client: QueryClient, employees: InsertedEmployee[]): Promise<unknown> {
  return client.query(insertSent('employee_directory', INSERTED, employees))
}

export function updateDirectory(client: QueryClient, employees: OwnedEmployee[]): Promise<unknown> {
  return client.query({
    name: 'update-directory',
    text: `update employee_directory d
      set email = r.email, external_id = r.external_id, user_name = r.user_name,
        directory_external_id = r.directory_external_id, manager_id = r.manager_id
      from ${selectSent(DIRECTORY)}
      where d.company_id = r.company_id and d.employee_id = r.employee_id and ${isOnly('d.company_id', '$8')}`,
    values: [...arraysOf(DIRECTORY, employees), onlyCompany(employees)],
  })
}

const HEAD: SentColumns<Head> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  position: sent(bigint, ({ frontier }) => frontier.size),
  frontier: sent(bytea, ({ frontier }) => packFrontier(frontier)),
  recorded_at: sent(time, ({ recordedAt }) => recordedAt),
}

export function updateHeads(client: QueryClient, heads: Head[]): Promise<unknown> {
  return client.query({
    name: 'update-heads',
    text: `update heads h set position = r.position, frontier = r.frontier, recorded_at = r.recorded_at
      from ${selectSent(HEAD)} where h.company_id = r.company_id and ${isOnly('h.company_id', '$5')}`,
    values: [...arraysOf(HEAD, heads), onlyCompany(heads)],
  })
}

interface UsedKey {
  companyId: string
  apiId: string
  usage: KeyUsage
}

const USAGE: SentColumns<UsedKey> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  api_id: sent(uuid, ({ apiId }) => apiId),
  window_start: sent(time, ({ usage }) => formatTime(usage.windowStartMs)),
  requests_made: sent(integer, ({ usage }) => usage.requestsMade),
  last_used: sent(nullable(time), ({ usage }) => (usage.lastUsedMs === null ? null : formatTime(usage.lastUsedMs))),
  people_use: sent(nullable(json<PeopleUse>()), ({ usage }) => usage.people),
}

const formatTime = (ms: number) => new Date(ms).toISOString()

export function updateUsage(client: QueryClient, used: UsedKey[]): Promise<unknown> {
  return client.query({
    name: 'update-usage',
    text: `update api_key_usage u
      set window_start = r.window_start, requests_made = r.requests_made, last_used = r.last_used,
        people_use = r.people_use::jsonb,
        last_window = case when r.last_used is not null then r.window_start end
      from ${selectSent(USAGE)}
      where u.company_id = r.company_id and u.api_id = r.api_id and ${isOnly('u.company_id', '$7')}`,
    values: [...arraysOf(USAGE, used), onlyCompany(used)],
  })
}
