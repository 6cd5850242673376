import type { ApiKey } from '../../domain/accounts/api-key.ts'
import type { KeyUsage } from '../../domain/accounts/quota.ts'
import type { Role } from '../../domain/accounts/roles.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import {
  bigintArray,
  byteaArray,
  integerArray,
  textArray,
  timestamptzArray,
  uuidArray,
} from '../../postgres/binary-arrays.ts'
import type { SealedEvent } from '../integrity/codec.ts'
import type { LedgerTables, Row } from '../tables.ts'
import type { Head } from './company-state.ts'
import type { NewDigest } from './record-digests.ts'
import { holdOnlyCompany } from '../../postgres/hold-company.ts'
import { isOnly, onlyCompany } from '../../postgres/only-company.ts'
import type { QueryClient, WhenLocked } from '../../postgres/query-client.ts'
import { selectGeneration, type OwnedEmployee } from '../read/read-employees.ts'
import { packFrontier, unpackFrontier } from '../integrity/merkle.ts'

/*
 * The statements of an append. Each has a name, so that a connection parses and plans it once, and the same text for
 * any number of rows. Many rows, such as those of a call's records, travel as binary arrays, one for each column; few
 * rows travel as one JSON parameter.
 */

type HeadRow = LedgerTables['heads'] & Row<'checkpoints', 'generation'>

/** Locks the heads of these companies. Unless `wait` is set, leaves out those that another transaction holds. */
export async function lockHeads(client: QueryClient, companyIds: string[], whenLocked: WhenLocked): Promise<Head[]> {
  const companies = companyIds.map((companyId) => ({ companyId }))
  const holding = holdOnlyCompany(client, companies)
  const locking = client.query<HeadRow>({
    name: whenLocked === 'wait' ? 'lock-heads-wait' : 'lock-heads-skip',
    text: `select h.company_id, h.position, h.frontier, h.recorded_at, 
        ${selectGeneration('h.company_id', '$2')} as generation
      from heads h where h.company_id = any($1) order by h.company_id for update of h ${whenLocked === 'wait' ? '' : 'skip locked'}`,
    values: [uuidArray(companyIds), onlyCompany(companies)],
  })
  const [, { rows }] = await Promise.all([holding, locking])
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
export type UsageRow = Row<'api_key_usage', 'window_start' | 'requests_made' | 'last_used'>

export function keyUsageOf(row: UsageRow): KeyUsage {
  return {
    windowStartMs: Date.parse(row.window_start),
    requestsMade: row.requests_made,
    lastUsedMs: row.last_used === null ? null : Date.parse(row.last_used),
  }
}

/** Selects keys with their usage, by `keyNames`, and more columns of their companies `c`. */
export function selectKeys(more: string): string {
  return `select k.company_id, k.api_id, k.name, k.secret_hash, k.previous_secret_hash, k.previous_expires_at,
      k.is_enabled, k.is_revoked, k.expires_at, k.scopes, k.allowed_networks, k.quota_limit, k.refresh_period,
      u.window_start, u.requests_made, u.last_used, ${more}
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

/** Loads the countries of companies, by company id. They change only under the lock of their company's head. */
export async function loadCountries(client: QueryClient, companyIds: string[]): Promise<Map<string, string>> {
  const { rows } = await client.query<{ company_id: string; country: string }>({
    name: 'load-countries',
    text: `select company_id, country from companies
      where company_id = any($1) and country is not null and ${isOnly('company_id', '$2')}`,
    values: [uuidArray(companyIds), onlyCompany(companyIds.map((companyId) => ({ companyId })))],
  })
  return new Map(rows.map((row) => [fromUuid('com', row.company_id), row.country]))
}

/** The columns of a key that decide its access and its quota. */
export type StandingRow = Omit<
  LedgerTables['api_keys'],
  'company_id' | 'version' | 'rotated_at' | 'created_at' | 'expected_calls' | 'expected_since' | 'last_four'
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
    quotaLimit: row.quota_limit,
    refreshPeriod: row.refresh_period,
  }
}

/**
 * Rows, called `r`, from binary arrays: the parameters from the first on, one for each column. Arrays that are unnested
 * in the select list are read side by side, row by row; unnested in FROM, each would be materialized first.
 */
function rowsOf(columns: Record<string, string>): string {
  const unnested = Object.entries(columns).map(([name, type], at) => `unnest($${at + 1}::${type}[]) as ${name}`)
  return `(select ${unnested.join(', ')}) r`
}

const EVENT_COLUMNS = {
  position: 'bigint',
  recorded_at: 'timestamptz',
  stream_id: 'uuid',
  call_id: 'uuid',
  stream_version: 'integer',
  record_index: 'integer',
  schema_version: 'integer',
  type: 'text',
  actor: 'text',
  leaf_hash: 'bytea',
  salt: 'bytea',
  data: 'text',
  client_id: 'bigint',
}
const EVENT_ROWS = rowsOf({ company_id: 'uuid', ...EVENT_COLUMNS })

export function insertEvents(client: QueryClient, events: SealedEvent[]): Promise<unknown> {
  const values = [
    uuidArray(events.map(({ companyId }) => companyId)),
    bigintArray(events.map(({ header }) => header.position)),
    timestamptzArray(events.map(({ header }) => header.recorded_at)),
    uuidArray(events.map(({ header }) => header.stream)),
    uuidArray(events.map(({ header }) => header.call_id)),
    integerArray(events.map(({ header }) => header.version)),
    integerArray(events.map(({ header }) => header.index)),
    integerArray(events.map(({ header }) => header.schema_version)),
    textArray(events.map(({ header }) => header.type)),
    textArray(events.map(({ header }) => header.actor)),
    byteaArray(events.map(({ leaf }) => leaf)),
    byteaArray(events.map(({ salt }) => salt)),
    textArray(events.map(({ data }) => data)),
    bigintArray(events.map(({ clientId }) => clientId)),
  ]
  return client.query({
    name: 'insert-events',
    text: `insert into events (company_id, ${Object.keys(EVENT_COLUMNS).join(', ')}) select * from ${EVENT_ROWS}`,
    values,
  })
}

const DIRECTORY_COLUMNS = { employee_id: 'uuid', email: 'text', external_id: 'text', manager_id: 'uuid' }
const DIRECTORY_ROWS = rowsOf({ company_id: 'uuid', ...DIRECTORY_COLUMNS })
const INSERTED_COLUMNS = { ...DIRECTORY_COLUMNS, record_digest: 'bytea', record_version: 'integer' }
const INSERTED_ROWS = rowsOf({ company_id: 'uuid', ...INSERTED_COLUMNS })

function directoryColumns(employees: OwnedEmployee[]): Buffer[] {
  return [
    uuidArray(employees.map(({ companyId }) => companyId)),
    uuidArray(employees.map(({ employee }) => employee.id)),
    textArray(employees.map(({ employee }) => employee.email)),
    textArray(employees.map(({ employee }) => employee.external_id)),
    uuidArray(employees.map(({ employee }) => employee.manager_id)),
  ]
}

/** A new employee, with the digest of a record that changes nothing about them, if they get one. */
type InsertedEmployee = OwnedEmployee & { digest: NewDigest | undefined }

export function insertIntoDirectory(client: QueryClient, employees: InsertedEmployee[]): Promise<unknown> {
  return client.query({
    name: 'insert-into-directory',
    text: `insert into employee_directory (company_id, ${Object.keys(INSERTED_COLUMNS).join(', ')})
      select * from ${INSERTED_ROWS}`,
    values: [
      ...directoryColumns(employees),
      byteaArray(employees.map(({ digest }) => (digest ? Buffer.from(digest.digest, 'hex') : null))),
      integerArray(employees.map(({ digest }) => digest?.employee.version ?? null)),
    ],
  })
}

export function updateDirectory(client: QueryClient, employees: OwnedEmployee[]): Promise<unknown> {
  return client.query({
    name: 'update-directory',
    text: `update employee_directory d
      set email = r.email, external_id = r.external_id, manager_id = r.manager_id
      from ${DIRECTORY_ROWS}
      where d.company_id = r.company_id and d.employee_id = r.employee_id and ${isOnly('d.company_id', '$6')}`,
    values: [...directoryColumns(employees), onlyCompany(employees)],
  })
}

export function updateHeads(client: QueryClient, heads: Head[]): Promise<unknown> {
  const rows = heads.map(({ companyId, frontier, recordedAt }) => ({
    c: toUuid(companyId),
    p: frontier.size,
    f: packFrontier(frontier).toString('hex'),
    t: recordedAt,
  }))
  return client.query({
    name: 'update-heads',
    text: `update heads set position = r.p, frontier = decode(r.f, 'hex'), recorded_at = r.t
      from json_to_recordset($1) as r(c uuid, p bigint, f text, t timestamptz)
      where company_id = r.c and ${isOnly('company_id', '$2')}`,
    values: [JSON.stringify(rows), onlyCompany(heads)],
  })
}

export function updateUsage(
  client: QueryClient,
  used: { companyId: string; apiId: string; usage: KeyUsage }[],
): Promise<unknown> {
  const rows = used.map(({ companyId, apiId, usage }) => ({
    c: toUuid(companyId),
    k: toUuid(apiId),
    w: new Date(usage.windowStartMs),
    n: usage.requestsMade,
    u: usage.lastUsedMs === null ? null : new Date(usage.lastUsedMs),
  }))
  return client.query({
    name: 'update-usage',
    text: `update api_key_usage set window_start = r.w, requests_made = r.n, last_used = r.u
      from json_to_recordset($1) as r(c uuid, k uuid, w timestamptz, n integer, u timestamptz)
      where company_id = r.c and api_id = r.k and ${isOnly('company_id', '$2')}`,
    values: [JSON.stringify(rows), onlyCompany(used)],
  })
}
