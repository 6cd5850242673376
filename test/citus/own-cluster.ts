import { randomBytes } from 'node:crypto'
import { appendFile, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { DatabaseOsUser } from '../../src/postgres/embedded/database-os-user.ts'
import { findDatabaseOsUser, giveTo, runAs } from '../../src/postgres/embedded/database-os-user.ts'
import { freePort } from '../support/processes/free-port.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { DATA_PARENT } from '../support/postgres/test-server.ts'

const MACHINES = 3
const SUPERUSER = 'postgres'
/** What a cluster of the service needs. */
const NEEDED = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '300',
  max_prepared_transactions: '310',
  max_locks_per_transaction: '256',
  log_error_verbosity: 'terse',
  authentication_timeout: '10s',
}
/** A test that failed can leave a transaction open. Those that wait for its locks go on after this time. */
const LEFT_OPEN = { idle_in_transaction_session_timeout: '5min' }
/** No test data outlives the run, so nothing waits for the disk. */
const FAST = {
  max_wal_size: '256MB',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  'citus.enable_statistics_collection': 'off',
}

/** A cluster that lives as long as a run of the tests. */
interface OwnCluster {
  /** The coordinator's address, as a superuser. */
  url: string
  stop(): Promise<void>
}

/** Starts three servers on this machine from an installation's folder of programs, and joins them to a cluster. */
export async function startCluster(programs: string): Promise<OwnCluster> {
  const folder = await mkdtemp(path.join(DATA_PARENT, 'ledger-citus-'))
  await chmod(folder, 0o755)
  const user = await findDatabaseOsUser(folder)
  const password = randomBytes(12).toString('hex')
  const machines: { folder: string; url: string }[] = []
  const stop = async () => {
    for (const machine of machines)
      await runAs(user, path.join(programs, 'pg_ctl'), ['-D', machine.folder, '-m', 'immediate', 'stop'])
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (let at = 0; at < MACHINES; at += 1) {
      const port = await freePort()
      const machine = {
        folder: path.join(folder, String(at)),
        url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`,
      }
      machines.push(machine)
      await startServer(user, programs, { folder: machine.folder, password, port })
      await runSql(
        machine.url,
        'create extension citus',
        `insert into pg_dist_authinfo values (0, '${SUPERUSER}', 'password=${password}')`,
      )
    }
    const url = machines[0]!.url
    for (const [at, machine] of machines.entries()) {
      const call = at === 0 ? 'citus_set_coordinator_host' : 'citus_add_node'
      await runSql(url, `select ${call}('127.0.0.1', ${new URL(machine.url).port})`)
    }
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startServer(
  user: DatabaseOsUser,
  programs: string,
  { folder, password, port }: { folder: string; password: string; port: number },
): Promise<void> {
  const own = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: folder }
  await makeServer(user, programs, { folder, password, settings: { ...FAST, ...LEFT_OPEN, ...own } })
  await run(user, path.join(programs, 'pg_ctl'), ['-D', folder, '-l', path.join(folder, 'server.log'), '-w', 'start'])
}

/** Makes the files of a server with Citus, with the superuser `postgres` and these settings. */
export async function makeServer(
  user: DatabaseOsUser,
  programs: string,
  { folder, password, settings }: { folder: string; password: string; settings: Record<string, string> },
): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  await giveTo(user, folder)
  const passwordFile = `${folder}.password`
  await writeFile(passwordFile, password, { mode: 0o600 })
  await giveTo(user, passwordFile)
  const initial = ['-U', SUPERUSER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  await run(user, path.join(programs, 'initdb'), [
    '-D',
    folder,
    ...initial,
    '-k',
    '-N',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  ])
  await rm(passwordFile)
  const lines = Object.entries({ ...NEEDED, ...settings }).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(path.join(folder, 'postgresql.conf'), lines.join(''))
}

async function run(user: DatabaseOsUser, program: string, args: string[]): Promise<void> {
  const { ok, lines } = await runAs(user, program, args)
  if (!ok) throw new Error(`${program}: ${lines.join('\n')}`)
}
