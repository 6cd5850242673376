import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Test } from 'tap'
import type { DatabaseUrls } from '../../../src/postgres/database-urls.ts'
import { openDatabase } from '../../../src/postgres/kysely.ts'
import { machineSettingsLeft } from '../../../src/migration/machine-settings.ts'
import { openPool } from '../../../src/postgres/pool.ts'
import { createClusterDatabase } from './citus-cluster.ts'
import { NAMES, testServerUrls } from './test-server.ts'

/** A database of its own for a test: a clone of the migrated one, dropped at the end. */
export async function createTestDatabase(
  t: Pick<Test, 'teardown'>,
): Promise<DatabaseUrls & { superUrl: string; name: string }> {
  const urls = testServerUrls()
  const name = `test_${randomBytes(6).toString('hex')}`
  for (const machine of urls.machines)
    await asSuperuser(machine).query(
      `create database ${name} template ${NAMES.database} strategy file_copy owner ${NAMES.owner}`,
    )
  t.teardown(() => dropEverywhere(urls.machines, name))
  const onClone = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  const clone = { ownerUrl: onClone(urls.ownerUrl), serviceUrl: onClone(urls.serviceUrl) }
  // What `distribute` sets for a role in a database is not cloned.
  if (urls.machines.length > 1) await setMachines(clone)
  return { name, ...clone, superUrl: onClone(urls.superUrl) }
}

/** An empty database on a Citus cluster, dropped at the end. */
export async function createClusterTestDatabase(t: Pick<Test, 'teardown'>): Promise<DatabaseUrls> {
  const { machines, ...urls } = testServerUrls()
  const name = `test_${randomBytes(6).toString('hex')}`
  t.teardown(() => dropEverywhere(machines, name))
  await createClusterDatabase(machines, name, new URL(urls.ownerUrl).password)
  const inIt = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  return { ownerUrl: inIt(urls.ownerUrl), serviceUrl: inIt(urls.serviceUrl) }
}

async function setMachines(urls: DatabaseUrls): Promise<void> {
  const db = openDatabase<unknown>(openPool({ url: urls.ownerUrl, name: 'test', max: 1 }))
  try {
    for (const { run } of await machineSettingsLeft(db, urls)) await run()
  } finally {
    await db.destroy()
  }
}

async function dropEverywhere(machines: string[], name: string): Promise<void> {
  for (const machine of machines) {
    const superuser = asSuperuser(machine)
    const drop = async () => {
      // A Citus daemon connects to each database, and would return before it is dropped.
      await superuser.query(`alter database ${name} allow_connections false`)
      await superuser.query(`drop database ${name} with (force)`)
    }
    await drop().catch(drop).catch(drop)
  }
}

const superusers = new Map<string, pg.Pool>()

/** A connection that all tests of this process share: opening one costs half as much as making a database. */
function asSuperuser(machine: string): pg.Pool {
  const known = superusers.get(machine)
  if (known) return known
  const pool = new pg.Pool({ connectionString: machine, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // A test may end every connection: the next use opens another one.
  pool.on('error', () => undefined)
  superusers.set(machine, pool)
  return pool
}
