import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { DatabaseUrls } from '../../../src/postgres/database-urls.ts'
import { runSql } from './run-sql.ts'
import { NAMES, testServerUrls } from './test-server.ts'

/** An empty database on the test server, dropped at the end. */
export async function createEmptyDatabase(t: Test): Promise<DatabaseUrls> {
  const urls = testServerUrls()
  const name = `empty_${randomBytes(6).toString('hex')}`
  await runSql(urls.superUrl, `create database ${name} template template0 owner ${NAMES.owner}`)
  t.teardown(() => runSql(urls.superUrl, `drop database if exists ${name} with (force)`))
  const inIt = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  return { ownerUrl: inIt(urls.ownerUrl), serviceUrl: inIt(urls.serviceUrl) }
}
