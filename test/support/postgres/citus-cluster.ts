import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { distribute } from '../../../src/postgres/migration/distribute.ts'
import { migrateDatabase } from '../../../src/bootstrap/maintenance.ts'
import type { TestServerUrls } from './test-server.ts'

/*
 * Runs all tests on a Citus cluster instead of the embedded PostgreSQL. CITUS_URL is the coordinator's address, as a
 * superuser, in a database that has the extension and knows the workers. A Citus database exists on every machine.
 */

const TEMPLATE = 'employee_ledger'
/** The shards of a test database: few, because each database opens its own connections to every machine. */
const SHARDS = 4

/** Makes the roles and the migrated, distributed database that test files clone. */
export async function prepareCitus(citusUrl: string): Promise<TestServerUrls> {
  const machines = await machinesOf(citusUrl)
  const password = randomBytes(12).toString('hex')
  const [superUrl] = machines as [string, ...string[]]
  for (const machine of machines) {
    await onServer(
      machine,
      `drop database if exists ${TEMPLATE} with (force)`,
      ...['owner', 'service'].flatMap((role) => roleOf(role, password)),
    )
  }
  await createClusterDatabase(machines, TEMPLATE)
  const urlOf = (username: string) => Object.assign(new URL(within(superUrl, TEMPLATE)), { username, password }).href
  const urls = { ownerUrl: urlOf('ledger_owner'), serviceUrl: urlOf('ledger_service') }
  await migrateDatabase(urls, () => undefined)
  await distribute(urls, { shards: SHARDS, isDryRun: false, onStep: () => undefined })
  // A template must have no connections, including those of the Citus daemon.
  for (const machine of machines) {
    await onServer(machine, `alter database ${TEMPLATE} allow_connections false`)
    await onServer(machine, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE}'`)
  }
  return { superUrl, ...urls, machines }
}

/** Makes an empty database on every machine of a cluster, the coordinator first. */
export async function createClusterDatabase(machines: string[], name: string): Promise<void> {
  for (const machine of machines) {
    await onServer(machine, `create database ${name} owner ledger_owner template template0 encoding 'UTF8'`)
    await onServer(within(machine, name), 'create extension citus')
  }
  const [superUrl, ...workers] = machines as [string, ...string[]]
  const introduce = [
    [superUrl, 'citus_set_coordinator_host'],
    ...workers.map((url) => [url, 'citus_add_node']),
  ] as const
  for (const [url, call] of introduce) {
    const { hostname, port } = new URL(url)
    await onServer(within(superUrl, name), `select ${call}('${hostname}', ${port})`)
  }
}

/** The addresses of the coordinator and of the workers. */
async function machinesOf(citusUrl: string): Promise<string[]> {
  const workers = await onServer<{ host: string; port: number }>(
    citusUrl,
    'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by 1, 2',
  )
  if (workers.length === 0) throw new Error('CITUS_URL names a database that knows no workers')
  return [
    citusUrl,
    ...workers.map(({ host, port }) => Object.assign(new URL(citusUrl), { hostname: host, port: String(port) }).href),
  ].map((url) => within(url, 'postgres'))
}

function roleOf(name: string, password: string): string[] {
  return [
    `do $$ begin create role ledger_${name}; exception when duplicate_object then null; end $$`,
    `alter role ledger_${name} login password '${password}'`,
  ]
}

function within(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href
}

async function onServer<Row extends object>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Row[] = []
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}
