import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { distribute } from '../../../src/migration/distribute.ts'
import { migrateDatabase } from '../../../src/bootstrap/store.ts'
import { runSql } from './run-sql.ts'
import { NAMES, type TestServerUrls } from './test-server.ts'

/*
 * Runs all tests on a Citus cluster instead of the embedded PostgreSQL. CITUS_URL is the coordinator's address, as a
 * superuser, in a database that has the extension and knows the workers. A Citus database exists on every machine.
 */

/** The shards of a test database: few, because each database opens its own connections to every machine. */
const SHARDS = 4
/** What a cluster may hold before the tests: its own databases, and those of earlier tests. */
const MAY_EXIST = /^(postgres|template[01]|(test|empty)_\w+)$/

/**
 * Makes the roles and the migrated, distributed database that test files clone. Refuses a cluster with any database that
 * is not a test's.
 */
export async function prepareCitus(citusUrl: string): Promise<TestServerUrls> {
  const machines = await machinesOf(citusUrl)
  for (const machine of machines) await assertOnlyTests(machine)
  const { database, owner, service } = NAMES
  const password = randomBytes(12).toString('hex')
  for (const machine of machines) {
    await runSql(machine, 'set citus.enable_ddl_propagation = off', `drop database if exists ${database} with (force)`)
    await createRoles(machine, password)
  }
  await createClusterDatabase(machines, database, password)
  const urlOf = (username: string) =>
    Object.assign(new URL(within(machines[0]!, database)), { username, password }).href
  const urls = { ownerUrl: urlOf(owner), serviceUrl: urlOf(service) }
  await migrateDatabase(urls, () => undefined)
  await distribute(urls, { shards: SHARDS, isDryRun: false, onStep: () => undefined })
  // A template must have no connections, including those of the Citus daemon.
  for (const machine of machines) {
    await runSql(
      machine,
      `alter database ${database} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    )
  }
  return { superUrl: machines[0]!, ...urls, machines }
}

/** Makes the owner and the service on a machine, with this password. */
export async function createRoles(machine: string, password: string): Promise<void> {
  await runSql(
    machine,
    'set citus.enable_ddl_propagation = off',
    ...[NAMES.owner, NAMES.service].flatMap((role) => [
      `do $$ begin create role ${role}; exception when duplicate_object then null; end $$`,
      `alter role ${role} login password '${password}'`,
    ]),
    'revoke connect on database postgres, template1 from public',
  )
}

/** Makes an empty database on every machine of a cluster, the coordinator first. */
export async function createClusterDatabase(machines: string[], name: string, password: string): Promise<void> {
  for (const machine of machines) await createMachineDatabase(machine, name, password)
  const coordinator = within(machines[0]!, name)
  for (const [at, machine] of machines.entries()) {
    const { hostname, port } = new URL(machine)
    const call = at === 0 ? 'citus_set_coordinator_host' : 'citus_add_node'
    await runSql(coordinator, `select ${call}('${hostname}', ${port})`)
  }
}

/** Makes an empty database on a machine, which can sign in to the others. */
export async function createMachineDatabase(machine: string, name: string, password: string): Promise<void> {
  const { username, password: secret } = new URL(machine)
  const logins = [
    [username, decodeURIComponent(secret)],
    [NAMES.owner, password],
    [NAMES.service, password],
  ].filter(([, own]) => own !== '')
  await runSql(machine, `create database ${name} owner ${NAMES.owner} template template0 encoding 'UTF8'`)
  await runSql(
    within(machine, name),
    'create extension citus',
    ...logins.map(([role, own]) => `insert into pg_dist_authinfo values (0, '${role}', 'password=${own}')`),
  )
}

/** The addresses of the coordinator and of the workers. */
async function machinesOf(citusUrl: string): Promise<string[]> {
  const workers = await read<{ host: string; port: number }>(
    citusUrl,
    'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by 1, 2',
  )
  if (workers.length === 0) throw new Error('CITUS_URL names a database that knows no workers')
  return [
    citusUrl,
    ...workers.map(({ host, port }) => Object.assign(new URL(citusUrl), { hostname: host, port: String(port) }).href),
  ].map((url) => within(url, 'postgres'))
}

async function assertOnlyTests(machine: string): Promise<void> {
  const databases = await read<{ name: string }>(machine, 'select datname as name from pg_database order by 1')
  const others = databases.map(({ name }) => name).filter((name) => !MAY_EXIST.test(name))
  if (others.length === 0) return
  throw new Error(
    `the cluster of CITUS_URL has a database that is not a test's (${others.join(', ')}): give the tests a cluster of their own`,
  )
}

function within(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href
}

async function read<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
