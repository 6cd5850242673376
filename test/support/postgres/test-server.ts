import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The folder of the PostgreSQL server that all test files of this checkout share; one for each checkout, and name. */
export const TEST_DATA_DIR = path.join(
  os.tmpdir(),
  `employee-ledger-test-${createHash('sha256')
    .update(`${process.cwd()}${process.env['TEST_SERVER'] ?? ''}`)
    .digest('hex')
    .slice(0, 12)}`,
)

const URLS_FILE = path.join(TEST_DATA_DIR, 'urls.json')

export interface TestServerUrls {
  superUrl: string
  ownerUrl: string
  serviceUrl: string
  /** Where a database has to be made, as the superuser: on the one server, or on every machine of a Citus cluster. */
  machines: string[]
}

export function makeTestFolder(): void {
  mkdirSync(TEST_DATA_DIR, { recursive: true })
  chmodSync(TEST_DATA_DIR, 0o755)
}

export function urlsFile(): string {
  return URLS_FILE
}

/** Where the server of this test run is; `start-postgres.ts` wrote it before the first test. */
export function testServerUrls(): TestServerUrls {
  return JSON.parse(readFileSync(URLS_FILE, 'utf8')) as TestServerUrls
}
