import { createHash } from 'node:crypto'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DATABASE_NAME, OWNER_NAME, SERVICE_NAME } from '../../../src/postgres/embedded/create-cluster.ts'
import { CITUS_URL } from './citus-url.ts'

const MEMORY_DISK = '/dev/shm'
const ENOUGH_BYTES = 4 * 1024 ** 3

/** Where the servers of the tests have their files. */
export const DATA_PARENT = isRoomy(MEMORY_DISK) ? MEMORY_DISK : os.tmpdir()

const checkout = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 12)
const FOLDER_OF_CHECKOUT = path.join(DATA_PARENT, `employee-ledger-test-${checkout}-`)

/*
 * A run's server is named after the process that starts the run's scripts and test files, so that two runs in one
 * checkout don't meet. The programs that a test starts inherit the name.
 */
process.env['TEST_SERVER'] ??= String(process.ppid)

/** The folder of the PostgreSQL server that the test files of this run share. */
export const TEST_DATA_DIR = FOLDER_OF_CHECKOUT + process.env['TEST_SERVER']

/** The folders of servers whose runs were interrupted in this checkout. */
export function abandonedFolders(): string[] {
  return globSync(`${FOLDER_OF_CHECKOUT}*`).filter((folder) => {
    const name = folder.slice(FOLDER_OF_CHECKOUT.length)
    return /^\d+$/.test(name) && !existsSync(`/proc/${name}`)
  })
}

/** The migrated database that test files clone, and its roles. On a cluster, only tests use these names. */
export const NAMES =
  CITUS_URL === undefined
    ? { database: DATABASE_NAME, owner: OWNER_NAME, service: SERVICE_NAME }
    : { database: 'test_template', owner: 'test_owner', service: 'test_service' }

const URLS_FILE = path.join(TEST_DATA_DIR, 'urls.json')

export interface TestServerUrls {
  superUrl: string
  ownerUrl: string
  serviceUrl: string
  /** The superuser's addresses for making a database: the one server, or every machine of a Citus cluster. */
  machines: string[]
}

/** A database is hundreds of small files, which a disk in memory copies and deletes much faster than any other. */
function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false
  // Not what is free: every process of a run must come to the same answer.
  const { blocks, bsize } = statfsSync(folder)
  return blocks * bsize >= ENOUGH_BYTES
}

export function makeTestFolder(): void {
  mkdirSync(TEST_DATA_DIR, { recursive: true })
  chmodSync(TEST_DATA_DIR, 0o755)
}

export function urlsFile(): string {
  return URLS_FILE
}

/** The addresses of this run's server; `start-postgres.ts` wrote them before the first test. */
export function testServerUrls(): TestServerUrls {
  return JSON.parse(readFileSync(URLS_FILE, 'utf8')) as TestServerUrls
}
