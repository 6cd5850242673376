import { setTimeout as pause } from 'node:timers/promises'
import { typeidUnboxed as newId } from 'typeid-js'
import { addUser } from '../../src/accounts/users/change-user.ts'
import { issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { registerCompany } from '../../src/accounts/companies/companies.ts'
import { openPool } from '../../src/postgres/pool.ts'
import type { HttpClient } from '../load/http-client.ts'
import { expectStatus, openHttpClient } from '../load/http-client.ts'
import type { ExpectedRequest } from '../load/http-work.ts'
import { makeRequests } from '../load/http-work.ts'
import type { Peer } from '../load/peer.ts'
import { WORKS } from '../load/peer.ts'
import type { ServerUrls } from '../processes/postgres.ts'
import type { ServerProcess } from '../processes/server-process.ts'
import { startServerProcess } from '../processes/server-process.ts'
import type { Tenant, TenantSizes } from '../load/tenants.ts'
import { makeTenants } from '../load/tenants.ts'

/** A company of the service under test. */
export interface OurTenant extends Tenant {
  companyId: string
  admin: { email: string; password: string }
  adminToken: string
  /** The newest answered call. */
  newest: { position: number; logId: string } | null
}

export interface Ours extends Peer {
  client: HttpClient
  server: ServerProcess
  tenants: Map<number, OurTenant[]>
  /** Sends a prepared request and records its position in the ledger. */
  send(made: ExpectedRequest & { tenant: OurTenant }): Promise<{ logId: string | null; text: string }>
}

export const QUOTA = 2_000_000_000
const POLL_MS = 2
const VISIBLE_TIMEOUT_MS = 600_000

/** The settings of the service; all others have their defaults. */
export function settingsOf({ serviceUrl, ownerUrl }: ServerUrls): Record<string, string> {
  const urls = { DATABASE_URL: serviceUrl, MIGRATE_DATABASE_URL: ownerUrl }
  return { ...urls, PORT: '0', LOG_LEVEL: 'error', BURST_LIMIT: '0' }
}

interface OursOptions {
  /** Passed to Node.js, for example to take a profile. */
  nodeOptions?: string[]
  /** Added to the settings of every run. */
  settings?: Record<string, string>
  /** Of another copy of the program. */
  folder?: string
  /** Makes a company, in another way than by the functions of this program. */
  makeCompany?(name: string): Promise<OurTenant>
}

/** Opens the service itself: `start`, which runs the API and the workers in one process. */
export async function openOurs(
  urls: ServerUrls,
  sizes: TenantSizes,
  { nodeOptions = [], settings = {}, folder, makeCompany }: OursOptions = {},
): Promise<Ours> {
  const args = [...nodeOptions, 'src/main.ts', 'start']
  const server = await startServerProcess(args, { ...settingsOf(urls), ...settings }, folder)
  const client = openHttpClient(server.address)
  const tenants = makeCompany
    ? await makeTenants(client, sizes, makeCompany)
    : await makeOurTenants(client, urls, sizes)
  const touched = new Set<OurTenant>()

  async function send({ request, status, tenant }: ExpectedRequest & { tenant: OurTenant }) {
    const { headers, text } = await expectStatus(client, request, status)
    const position = Number(headers['x-ledger-position'] ?? 0)
    if (position === 0) return { logId: null, text }
    const logId = /"log_id":"([^"]+)"/.exec(text)![1]!
    if (position > (tenant.newest?.position ?? 0)) tenant.newest = { position, logId }
    touched.add(tenant)
    return { logId, text }
  }

  return {
    name: 'ours',
    works: WORKS,
    client,
    server,
    tenants,
    send,
    prepare: ({ work, companies }, count) =>
      makeRequests(work, tenants.get(companies)!, count, sizes.records).map(
        (made) => async () => void (await send(made)),
      ),
    async visible() {
      // Entries of a company become visible in order.
      for (const tenant of touched) await waitUntilVisible(client, tenant, tenant.newest!.logId)
      touched.clear()
    },
    async stop() {
      await client.close()
      await server.stop()
    },
  }
}

/**
 * Opens the service with no employees in memory, for the calls that otherwise find them there. A measurement begins after
 * nights in which each company has sent the same.
 */
export async function openCold(urls: ServerUrls, sizes: TenantSizes, nodeOptions: string[] = []): Promise<Ours> {
  const peer = await openOurs(urls, sizes, { nodeOptions, settings: { EMPLOYEE_CACHE: '0' } })
  return {
    ...peer,
    name: 'cold',
    works: ['bulk-patch', 'bulk-patch-unchanged', 'nightly-sync'],
    async begin(cell) {
      await forgetDigests(urls)
      const calls = peer.tenants.get(cell.companies)!.reduce((sum, { stock }) => sum + stock.length / sizes.records, 0)
      for (let night = 0; night < NIGHTS_BEFORE; night += 1) for (const call of peer.prepare(cell, calls)) await call()
    },
  }
}

/** The employees and changes of a night get their digests in the second one after it. */
export const NIGHTS_BEFORE = 3

/** Forgets the records of another kind of call. */
export async function forgetDigests({ ownerUrl }: ServerUrls): Promise<void> {
  const pool = openPool({ url: ownerUrl, name: 'bench', max: 1 })
  await pool.query('update employee_directory set record_digest = null where record_digest is not null')
  await pool.end()
}

async function makeOurTenants(
  client: HttpClient,
  urls: ServerUrls,
  sizes: TenantSizes,
): Promise<Map<number, OurTenant[]>> {
  const services = { pool: openPool({ url: urls.serviceUrl, name: 'bench', max: 2 }), newId }
  const make = async (name: string): Promise<OurTenant> => {
    const companyId = await registerCompany(services, name)
    const admin = await addUser(services, { companyId, email: 'admin@example.com', name: 'Admin', role: 'admin' })
    const key = await issueApiKey(services, { companyId, name: 'HR sync', quotaLimit: QUOTA, refreshPeriod: 'monthly' })
    const credentials = { 'x-api-id': key.api_id, 'x-api-key': key.api_key }
    return { companyId, credentials, admin, adminToken: admin.token, newest: null, stock: [] }
  }
  try {
    return await makeTenants(client, sizes, make)
  } finally {
    await services.pool.end()
  }
}

/** Polls until the log shows an entry. */
export async function waitUntilVisible(client: HttpClient, { adminToken }: OurTenant, logId: string): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}` }
  const deadline = performance.now() + VISIBLE_TIMEOUT_MS
  for (;;) {
    const { status, text } = await client.send({ method: 'GET', path: `/admin/v1/bulk-user-logs/${logId}`, headers })
    if (status === 200) return
    if (status !== 404) throw new Error(`reading the log failed with ${status}: ${text.slice(0, 300)}`)
    if (performance.now() > deadline) throw new Error(`the log does not show ${logId}`)
    await pause(POLL_MS)
  }
}
