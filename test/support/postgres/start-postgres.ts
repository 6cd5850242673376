import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { migrateDatabase } from '../../../src/bootstrap/store.ts'
import { openEmbeddedDatabase } from '../../../src/postgres/embedded/embedded-postgres.ts'
import { prepareCitus } from './citus-cluster.ts'
import { CITUS_URL } from './citus-url.ts'
import { runSql } from './run-sql.ts'
import type { TestServerUrls } from './test-server.ts'
import { abandonedFolders, makeTestFolder, TEST_DATA_DIR, urlsFile } from './test-server.ts'
import { stopTestServer } from './stop-test-server.ts'

/*
 * Runs before the first test: starts a real PostgreSQL with one migrated database, which each test file clones. The
 * server keeps running until stop-postgres.ts ends it. With CITUS_URL, that cluster is used instead.
 */

// What interrupted runs left behind.
for (const folder of [TEST_DATA_DIR, ...abandonedFolders()]) await stopTestServer(folder)
makeTestFolder()
const urls = CITUS_URL === undefined ? await startEmbedded() : await prepareCitus(CITUS_URL)
rmSync(urlsFile(), { force: true })
writeFileSync(urlsFile(), JSON.stringify(urls), { mode: 0o600 })
process.exit(0)

async function startEmbedded(): Promise<TestServerUrls> {
  // No test data outlives the run, so nothing waits for the disk.
  const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  // Its data folder may be in memory. A password need not be expensive to check, as each test connects often.
  const settings = { ...careless, max_wal_size: '256MB', max_connections: '300', scram_iterations: '1' }
  const { ownerUrl, serviceUrl } = await openEmbeddedDatabase({ dataDir: TEST_DATA_DIR, purpose: 'visit', settings })
  await migrateDatabase({ ownerUrl, serviceUrl }, () => undefined)

  const { superuserPassword } = JSON.parse(readFileSync(path.join(TEST_DATA_DIR, 'database.json'), 'utf8')) as {
    superuserPassword: string
  }
  const superUrl = new URL(ownerUrl)
  superUrl.username = 'postgres'
  superUrl.password = superuserPassword
  superUrl.pathname = '/postgres'
  await runSql(superUrl.href, `alter role postgres password '${superuserPassword}'`)
  // Nor does a client prove that it knows its password without sending it: that takes half of the time of connecting.
  const rules = path.join(TEST_DATA_DIR, 'postgres', 'pg_hba.conf')
  writeFileSync(rules, readFileSync(rules, 'utf8').replaceAll('scram-sha-256', 'password'))
  await runSql(superUrl.href, 'select pg_reload_conf()')
  // The first connection after the migrations writes what the server knows of the catalog, which the clones get, too.
  await runSql(ownerUrl, 'select 1')
  return { superUrl: superUrl.href, ownerUrl, serviceUrl, machines: [superUrl.href] }
}
