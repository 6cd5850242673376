import './cheap-hashes.ts'
import type { FastifyInstance } from 'fastify'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { pino } from 'pino'
import type { Test } from 'tap'
import { request } from 'undici'
import { PROJECTIONS } from '../../projections/index.ts'
import type { RecentEvents } from '../../src/ledger/append/recent-events.ts'
import { newId } from '../../src/ledger/new-id.ts'
import type { OpenedPool } from '../../src/bootstrap/store.ts'
import { openStore } from '../../src/bootstrap/store.ts'
import { startApi } from '../../src/bootstrap/api.ts'
import { startWorkers } from '../../src/bootstrap/workers.ts'
import { type AddedUser, type NewPassword, addUser, makePassword } from '../../src/accounts/users/change-user.ts'
import { readSignInKey } from '../../src/accounts/users/password.ts'
import { type IssuedApiKey, issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { registerCompany } from '../../src/accounts/companies/companies.ts'
import type { Config } from '../../src/config.ts'
import { readConfig } from '../../src/config.ts'
import type { DatabaseUrls } from '../../src/postgres/database-urls.ts'
import { ROLES, type Role } from '../../src/domain/accounts/roles.ts'
import type { LedgerDb } from '../../src/ledger/tables.ts'
import type { KeyProtocol } from '../../src/http/calls/writing-call.ts'
import type { Tracing } from '../../src/observe/tracing/tracing.ts'
import type { SingleDeliveries } from '../../src/delivery/webhooks/single-deliveries.ts'
import { catchUp } from '../../src/workers/project.ts'
import { limitsOf } from './processes/limits.ts'
import { createTestDatabase } from './postgres/test-database.ts'

/** A company with a key and a user of each role. */
export interface TestCompany extends Record<Role, AddedUser> {
  id: string
  name: string
  key: IssuedApiKey
}

export interface Answer {
  status: number
  headers: Record<string, string>
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface CallOptions {
  key?: { api_id: string; api_key: string } | null
  headers?: Record<string, string>
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  body?: unknown
}

export interface Service {
  urls: DatabaseUrls & { superUrl: string; name: string }
  config: Config
  pool: Pool
  db: LedgerDb
  companiesTogether: OpenedPool['companiesTogether']
  open: OpenedPool['open']
  app: FastifyInstance
  address: string
  company: TestCompany
  makeCompany(name: string, id?: string): Promise<TestCompany>
  /** A call of the public API with the company's key, unless another one or none is given. */
  call(method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, options?: CallOptions): Promise<Answer>
  /** A request to the admin endpoint, by default as the company's administrator. */
  admin(path: string, token?: string | null): Promise<Answer>
  /** A request to the admin endpoint with any method and body, by default as the administrator. */
  manage(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    token?: string | null,
  ): Promise<Answer>
  /** A request to the audit endpoint, by default as the company's auditor. */
  audit(path: string, token?: string | null): Promise<Answer>
  /** Brings all read models of a company up to its head, as a worker would. */
  project(companyId?: string): Promise<void>
  /** The entry of a call and all its records, after projecting. */
  // oxlint-disable-next-line typescript/no-explicit-any
  logOf(logId: string): Promise<{ entry: any; records: any[] }>
}

/**
 * Starts the real service on its own database or the given one. Workers run only on request, so that tests decide
 * when to project.
 */
export async function startService(
  t: Pick<Test, 'teardown'>,
  settings: Partial<Record<keyof Config, string>> = {},
  options: {
    workers?: boolean
    recent?: RecentEvents
    urls?: Service['urls']
    log?: Logger
    tracing?: Partial<Tracing>
    singleDeliveries?: SingleDeliveries
    keyProtocols?: readonly KeyProtocol[]
  } = {},
): Promise<Service> {
  const urls = options.urls ?? (await createTestDatabase(t))
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'ledger-service-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const own = { DATABASE_URL: urls.serviceUrl, DATA_DIR: dataDir, SIGNING_KEY, SECRETS_KEY }
  const variables = {
    ...own,
    PORT: '0',
    LOG_LEVEL: 'silent',
    OPTIONAL_READ_MS: '60000',
    POOL_SIZE: '8',
    LANES: '2',
    BURST_LIMIT: '0',
    FAILURE_LIMIT: '0',
    ...settings,
  }
  const config = readConfig(variables, limitsOf(variables))
  const log = options.log ?? pino({ level: config.LOG_LEVEL })
  const store = await openStore(config, urls, 'read-write')
  const workers = options.workers ? await startWorkers({ config, urls, store, log, recent: options.recent }) : null
  const tracing = (options.tracing as Tracing | undefined) ?? null
  const { recent, singleDeliveries, keyProtocols } = options
  const api = await startApi({ config, urls, store, log, tracing, recent, singleDeliveries, keyProtocols })
  t.teardown(async () => {
    await api.stop()
    await workers?.stop()
    await store.close()
  })
  const company = await makeCompany(store.pool, urls.name, 'Acme')

  const service: Service = {
    urls,
    config,
    company,
    pool: store.pool,
    db: store.db,
    companiesTogether: store.companiesTogether,
    open: store.open,
    app: api.app,
    address: api.address,
    makeCompany: (name, id) => makeCompany(store.pool, urls.name, name, id),
    call: (method, path, call = {}) => send(api.address, method, path, { key: company.key, ...call }),
    admin: (path, token = company.admin.token) =>
      send(api.address, 'GET', `/admin/v1${path}`, {
        key: null,
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
      }),
    manage: (method, path, body, token = company.admin.token) =>
      send(api.address, method, `/admin/v1${path}`, {
        key: null,
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
        body,
      }),
    audit: (path, token = company.auditor.token) =>
      send(api.address, 'GET', `/audit/v1${path}`, {
        key: null,
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
      }),
    async project(companyId = company.id) {
      for (const projection of PROJECTIONS) await catchUp(store.db, projection, companyId)
    },
    async logOf(logId) {
      await service.project()
      const entry = await service.admin(`/bulk-user-logs/${logId}`)
      const records = await service.admin(`/bulk-user-logs/${logId}/records?limit=200`)
      if (entry.status !== 200 || records.status !== 200) throw new Error(`${logId}: ${JSON.stringify(entry.body)}`)
      return { entry: entry.body, records: records.body.items }
    },
  }
  return service
}

async function makeCompany(pool: Pool, database: string, name: string, id = newId('com')): Promise<TestCompany> {
  await registerCompany({ pool, newId: (prefix) => (prefix === 'com' ? id : newId(prefix)) }, name)
  const users: Partial<Record<Role, AddedUser>> = {}
  for (const role of ROLES) {
    const user = { companyId: id, email: `${role}@example.com`, name: role, role }
    users[role] = await addUser({ pool, newId }, user, await takePassword(pool, database, user.email))
  }
  const key = await issueApiKey(
    { pool, newId },
    { companyId: id, name: 'HR sync', quotaLimit: 1_000_000, refreshPeriod: 'monthly' },
  )
  return { id, name, key, ...(users as Record<Role, AddedUser>) }
}

const passwords = new Map<string, Promise<NewPassword>>()
const taken = new Map<string, number>()

/**
 * A password that no other user of the database has. Clones of a database have the same ones, as a hash takes long; it
 * depends on their key.
 */
async function takePassword(pool: Pool, database: string, email: string): Promise<NewPassword> {
  const place = taken.get(`${database} ${email}`) ?? 0
  taken.set(`${database} ${email}`, place + 1)
  const name = `${(await readSignInKey(pool)).toString('hex')} ${email} ${place}`
  const made = passwords.get(name) ?? makePassword(pool, email)
  passwords.set(name, made)
  return made
}

/** One real HTTP request. */
export async function send(address: string, method: string, path: string, call: CallOptions): Promise<Answer> {
  const headers: Record<string, string> = {}
  if (call.key) Object.assign(headers, { 'x-api-id': call.key.api_id, 'x-api-key': call.key.api_key })
  let body: string | Uint8Array | undefined
  if (call.body !== undefined) {
    headers['content-type'] = 'application/json'
    body = typeof call.body === 'string' || call.body instanceof Uint8Array ? call.body : JSON.stringify(call.body)
  }
  // Takes a fraction of the time of `fetch`.
  const answer = await request(address + path, {
    method,
    headers: { ...headers, ...call.headers },
    ...(body === undefined ? {} : { body }),
  })
  const fields = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const)
  const answered: Record<string, string> = Object.fromEntries(fields)
  return {
    status: answer.statusCode,
    headers: answered,
    body: parsed(answered['content-type'] ?? '', await answer.body.text()),
  }
}

/** Parses a body by its media type, and JSON lines one by one. */
function parsed(type: string, text: string): unknown {
  if (type.startsWith('application/x-ndjson'))
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown)
  return type.includes('json') ? JSON.parse(text) : text
}

const SIGNING_KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
const SECRETS_KEY = randomBytes(32).toString('base64')
let count = 0

/** A valid employee with a unique e-mail. */
export function employee(more: Record<string, unknown> = {}): Record<string, unknown> {
  count += 1
  return { first_name: 'Ana', last_name: 'Pérez', email: `ana.${count}.${process.pid}@example.com`, ...more }
}
