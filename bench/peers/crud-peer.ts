import { hash, randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { CRUD_SCHEMA } from './crud-schema.ts'
import { expectStatus, openHttpClient } from '../load/http-client.ts'
import { makeRequests } from '../load/http-work.ts'
import type { Peer } from '../load/peer.ts'
import { WORKS } from '../load/peer.ts'
import type { ServerUrls } from '../processes/postgres.ts'
import type { ServerProcess } from '../processes/server-process.ts'
import { startServerProcess } from '../processes/server-process.ts'
import type { Tenant, TenantSizes } from '../load/tenants.ts'
import { makeTenants } from '../load/tenants.ts'

/** The connections of the service to PostgreSQL. */
export const CRUD_CONNECTIONS = 32

const QUOTA = 2_000_000_000

/** Opens the plain CRUD service with an audit table, in its own process. */
export async function openCrud(
  urls: ServerUrls,
  sizes: TenantSizes,
  nodeOptions: string[] = [],
): Promise<Peer & { server: ServerProcess }> {
  const database = new pg.Client({ connectionString: urls.ownerUrl })
  await database.connect()
  await database.query(CRUD_SCHEMA)
  const args = [...nodeOptions, 'bench/peers/crud-server.ts', urls.ownerUrl, String(CRUD_CONNECTIONS)]
  const server = await startServerProcess(args)
  const client = openHttpClient(server.address)
  const tenants = await makeTenants(client, sizes, (name) => makeTenant(database, name))
  await database.end()
  return {
    name: 'crud',
    works: WORKS,
    server,
    prepare: ({ work, companies }, count) =>
      makeRequests(work, tenants.get(companies)!, count, sizes.records).map(({ request, status }) => async () => {
        await expectStatus(client, request, status)
      }),
    async stop() {
      await client.close()
      await server.stop()
    },
  }
}

async function makeTenant(database: pg.Client, name: string): Promise<Tenant> {
  const [companyId, apiId, secret] = [randomUUID(), randomUUID(), randomBytes(32).toString('hex')]
  await database.query('insert into companies (company_id, name) values ($1, $2)', [companyId, name])
  await database.query('insert into api_keys (api_id, company_id, secret_hash, quota_limit) values ($1, $2, $3, $4)', [
    apiId,
    companyId,
    hash('sha256', secret, 'buffer'),
    QUOTA,
  ])
  return { credentials: { 'x-api-id': apiId, 'x-api-key': secret }, stock: [] }
}
