import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Test } from 'tap'
import type { DatabaseUrls } from '../../../src/postgres/database-urls.ts'
import { createClusterDatabase } from './citus-cluster.ts'
import { testServerUrls } from './test-server.ts'

/** A database of its own for a test: a clone of the migrated one, dropped at the end. */
export async function createTestDatabase(
  t: Pick<Test, 'teardown'>,
): Promise<DatabaseUrls & { superUrl: string; name: string }> {
  const urls = testServerUrls()
  const name = `test_${randomBytes(6).toString('hex')}`
  for (const machine of urls.machines)
    await asSuperuser(machine, `create database ${name} template employee_ledger strategy file_copy owner ledger_owner`)
  t.teardown(() => dropEverywhere(urls.machines, name))
  const onClone = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  return {
    name,
    ownerUrl: onClone(urls.ownerUrl),
    serviceUrl: onClone(urls.serviceUrl),
    superUrl: onClone(urls.superUrl),
  }
}

/** An empty database on a Citus cluster, dropped at the end. */
export async function createClusterTestDatabase(t: Pick<Test, 'teardown'>): Promise<DatabaseUrls> {
  const { machines, ...urls } = testServerUrls()
  const name = `test_${randomBytes(6).toString('hex')}`
  t.teardown(() => dropEverywhere(machines, name))
  await createClusterDatabase(machines, name)
  const inIt = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  return { ownerUrl: inIt(urls.ownerUrl), serviceUrl: inIt(urls.serviceUrl) }
}

async function dropEverywhere(machines: string[], name: string): Promise<void> {
  for (const machine of machines) {
    const drop = () => asSuperuser(machine, `drop database if exists ${name} with (force)`)
    // A Citus daemon connects to each database, and may return before it is dropped.
    await drop().catch(drop).catch(drop)
  }
}

async function asSuperuser(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
