import type { ClientBase, QueryResult } from 'pg'
import type { ApiKey, KeyUsage, RefreshPeriod } from '../domain/company.ts'
import type { Employee } from '../domain/employee.ts'
import type { NewEvent } from '../domain/events.ts'
import { fromUuid, toUuid } from '../domain/ids.ts'
import type { SealedEvent } from './codec.ts'
import type { Head, Naming } from './company-state.ts'
import { packFrontier, unpackFrontier } from './merkle.ts'

/*
 * The statements of an append. Each is named, so that a connection parses and plans it once. Many rows travel as one
 * JSON parameter: one constant text for any number of rows, and less work for both sides than as many parameters.
 */

/** Locks the heads of these companies; with `wait` off, those that another transaction holds are left out. */
export async function lockHeads(client: ClientBase, companyIds: string[], wait: boolean): Promise<Head[]> {
  const { rows } = await client.query<{ company_id: string; position: number; frontier: Buffer; recorded_at: string }>({
    name: wait ? 'lock-heads-wait' : 'lock-heads-skip',
    text: `select company_id, position, frontier, recorded_at from heads
      where company_id = any($1) order by company_id for update ${wait ? '' : 'skip locked'}`,
    values: [companyIds.map(toUuid)],
  })
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    frontier: unpackFrontier(row.position, row.frontier),
    recordedAt: row.recorded_at,
  }))
}

/** The database's time, RFC 3339 UTC. */
export async function readClock(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ now: string }>({ name: 'clock', text: 'select clock_timestamp() as now' })
  return rows[0]!.now
}

const EMPLOYEE_LOOKUPS = {
  employeeIds: { column: 'employee_id', type: 'uuid', toStored: toUuid },
  emails: { column: 'email', type: 'text', toStored: (email: string) => email },
  externalIds: { column: 'external_id', type: 'text', toStored: (externalId: string) => externalId },
} as const

/** The snapshots that calls touch, by one of the three ways of naming an employee. */
export async function loadEmployees(
  client: ClientBase,
  by: keyof Naming,
  wanted: { companyId: string; value: string }[],
): Promise<{ companyId: string; employee: Employee }[]> {
  const { column, type, toStored } = EMPLOYEE_LOOKUPS[by]
  const { rows } = await client.query<{ company_id: string; state: Employee }>({
    name: `load-${column}`,
    text: `select s.company_id, s.state from unnest($1::uuid[], $2::${type}[]) as wanted(company_id, value)
      join employee_snapshots s on s.company_id = wanted.company_id and s.${column} = wanted.value`,
    values: [wanted.map(({ companyId }) => toUuid(companyId)), wanted.map(({ value }) => toStored(value))],
  })
  return rows.map((row) => ({ companyId: fromUuid('com', row.company_id), employee: row.state }))
}

export interface LoadedKey {
  companyId: string
  key: ApiKey
  usage: KeyUsage
}

interface LoadedKeyRow extends StandingRow, UsageRow {
  company_id: string
}

/** The columns that say how often a key was used. */
export interface UsageRow {
  window_start: string
  requests_made: number
  last_used: string | null
}

export function keyUsageOf(row: UsageRow): KeyUsage {
  return {
    windowStartMs: Date.parse(row.window_start),
    requestsMade: row.requests_made,
    lastUsedMs: row.last_used === null ? null : Date.parse(row.last_used),
  }
}

/**
 * The state of API keys, with their usage rows locked in the order of the keys; with `wait` off, keys whose row another
 * transaction holds are left out. Whoever holds one of these rows never waits for a head.
 */
export async function loadKeys(
  client: ClientBase,
  wanted: { companyId: string; apiId: string }[],
  wait: boolean,
): Promise<LoadedKey[]> {
  const { rows } = await client.query<LoadedKeyRow>({
    name: wait ? 'load-keys-wait' : 'load-keys-skip',
    text: `select k.company_id, k.api_id, k.name, k.secret_hash, k.previous_secret_hash, k.previous_expires_at,
        k.is_enabled, k.is_revoked, k.quota_limit, k.refresh_period, u.window_start, u.requests_made, u.last_used
      from unnest($1::uuid[], $2::uuid[]) as wanted(company_id, api_id)
      join api_keys k on k.company_id = wanted.company_id and k.api_id = wanted.api_id
      join api_key_usage u on u.company_id = k.company_id and u.api_id = k.api_id
      order by u.company_id, u.api_id for update of u ${wait ? '' : 'skip locked'}`,
    values: [wanted.map(({ companyId }) => toUuid(companyId)), wanted.map(({ apiId }) => toUuid(apiId))],
  })
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    key: apiKeyOf(row),
    usage: keyUsageOf(row),
  }))
}

/** The columns of a key that its standing and its quota depend on. */
export interface StandingRow {
  api_id: string
  name: string
  secret_hash: Buffer
  previous_secret_hash: Buffer | null
  previous_expires_at: string | null
  is_enabled: boolean
  is_revoked: boolean
  quota_limit: number
  refresh_period: RefreshPeriod
}

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
    quotaLimit: row.quota_limit,
    refreshPeriod: row.refresh_period,
  }
}

/** An event with all that its row needs. */
export interface PlacedEvent extends SealedEvent {
  companyId: string
  position: number
  event: NewEvent
}

export function insertEvents(client: ClientBase, events: PlacedEvent[]): Promise<QueryResult> {
  const rows = events.map(({ companyId, position, event, envelope, data, salt, leaf }) => ({
    c: toUuid(companyId),
    p: position,
    s: toUuid(event.stream),
    v: event.version,
    e: envelope,
    d: data,
    n: salt.toString('hex'),
    l: leaf.toString('hex'),
  }))
  return client.query({
    name: 'insert-events',
    text: `insert into events
        (company_id, position, stream_id, stream_version, envelope, data, salt, leaf_hash)
      select c, p, s, v, e, d, decode(n, 'hex'), decode(l, 'hex')
      from json_to_recordset($1) as r(c uuid, p bigint, s uuid, v integer, e text, d text, n text, l text)`,
    values: [JSON.stringify(rows)],
  })
}

const SNAPSHOT_COLUMNS = 'c uuid, i uuid, v integer, e text, x text, m uuid, s json'

function snapshotRows(employees: { companyId: string; employee: Employee }[]): string {
  const rows = employees.map(({ companyId, employee }) => ({
    c: toUuid(companyId),
    i: toUuid(employee.id),
    v: employee.version,
    e: employee.email,
    x: employee.external_id,
    m: employee.manager_id === null ? null : toUuid(employee.manager_id),
    s: employee,
  }))
  return JSON.stringify(rows)
}

export function insertSnapshots(client: ClientBase, employees: { companyId: string; employee: Employee }[]): Promise<QueryResult> {
  return client.query({
    name: 'insert-snapshots',
    text: `insert into employee_snapshots (company_id, employee_id, version, email, external_id, manager_id, state)
      select c, i, v, e, x, m, s from json_to_recordset($1) as r(${SNAPSHOT_COLUMNS})`,
    values: [snapshotRows(employees)],
  })
}

export function updateSnapshots(client: ClientBase, employees: { companyId: string; employee: Employee }[]): Promise<QueryResult> {
  return client.query({
    name: 'update-snapshots',
    text: `update employee_snapshots
      set version = r.v, email = r.e, external_id = r.x, manager_id = r.m, state = r.s
      from json_to_recordset($1) as r(${SNAPSHOT_COLUMNS})
      where company_id = r.c and employee_id = r.i`,
    values: [snapshotRows(employees)],
  })
}

export function updateHeads(client: ClientBase, heads: Head[]): Promise<QueryResult> {
  const rows = heads.map(({ companyId, frontier, recordedAt }) => ({
    c: toUuid(companyId),
    p: frontier.size,
    f: packFrontier(frontier).toString('hex'),
    t: recordedAt,
  }))
  return client.query({
    name: 'update-heads',
    text: `update heads set position = r.p, frontier = decode(r.f, 'hex'), recorded_at = r.t
      from json_to_recordset($1) as r(c uuid, p bigint, f text, t timestamptz) where company_id = r.c`,
    values: [JSON.stringify(rows)],
  })
}

export function updateUsage(
  client: ClientBase,
  used: { companyId: string; apiId: string; usage: KeyUsage }[],
): Promise<QueryResult> {
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
      where company_id = r.c and api_id = r.k`,
    values: [JSON.stringify(rows)],
  })
}
