import type { Pool } from 'pg'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'

const OLDEST_SERVER = 150_000
const CLOCK_SECONDS = 2
const GIB = 1024 ** 3
/** An instant, as a server with the settings of our connections writes it. */
const INSTANT = '2026-02-03 04:05:06+00'

/** Connections that processes of each kind open at most. */
export interface Connections {
  api: number
  worker: number
}

interface Server {
  number: number
  version: string
  encoding: string
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  statement_timeout: string
  written: string
  verbosity: string
  checksums: string
  connections: number
}

/** Looks at the database server: its version, its clock, and the settings on which the promises of the ledger rest. */
export async function checkServer(pool: Pool, connections: Connections): Promise<Finding[]> {
  const { rows } = await pool.query<Server>(`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
      current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit,
      current_setting('statement_timeout') as statement_timeout, current_setting('log_error_verbosity') as verbosity,
      timestamptz '${INSTANT}'::text as written,
      current_setting('data_checksums') as checksums,
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as connections`)
  const server = rows[0]!
  return [
    server.number >= OLDEST_SERVER
      ? ok('version', `PostgreSQL ${server.version}`)
      : fail('version', `PostgreSQL ${server.version}`, 'upgrade to PostgreSQL 15 or newer'),
    server.encoding === 'UTF8'
      ? ok('encoding', 'UTF8')
      : fail('encoding', server.encoding, "make the database with encoding 'UTF8' template template0"),
    ...checkDurability(server),
    ...checkSettings(server),
    checkConnections(server.connections, connections),
    await checkClock(pool),
  ]
}

function checkDurability({ fsync, full_page_writes: pages, synchronous_commit: commit }: Server): Finding[] {
  const off = Object.entries({ fsync, full_page_writes: pages }).filter(([, value]) => value === 'off')
  const names = off.map(([name]) => name).join(' and ')
  const isLate = commit === 'off'
  return [
    off.length === 0
      ? ok('durability', 'fsync and full_page_writes are on')
      : fail(
          'durability',
          `${names} off: a crash of the machine can destroy the ledger`,
          `set ${names} to on and restart PostgreSQL`,
        ),
    isLate
      ? warn(
          'commits',
          'synchronous_commit is off: a crash can lose changes of keys and users (appends set it themselves)',
          'alter database … set synchronous_commit = on',
        )
      : ok('commits', `synchronous_commit is ${commit}`),
  ]
}

function checkSettings({ statement_timeout: timeout, written, verbosity, checksums }: Server): Finding[] {
  return [
    timeout === '0'
      ? warn(
          'time-outs',
          'the time-outs that the program sets do not reach the server: a pooler drops them',
          'connect to PostgreSQL itself, or have the pooler pass on the settings of a connection',
        )
      : ok('time-outs', `a statement may take ${timeout}`),
    written === INSTANT
      ? ok('times', 'the server writes times as the program reads them')
      : fail(
          'times',
          `the server writes ${INSTANT} as ${written}: a pooler drops the DateStyle and TimeZone that the program sets`,
          'connect to PostgreSQL itself, or have the pooler pass on the `options` of a connection',
        ),
    verbosity === 'terse'
      ? ok('server log', 'error details, which quote values of rows, are left out')
      : warn(
          'server log',
          `log_error_verbosity is ${verbosity}: details of errors, which quote values of rows, get into PostgreSQL's log`,
          'as superuser: alter database … set log_error_verbosity = terse',
        ),
    checksums === 'on'
      ? ok('checksums', 'data pages have checksums')
      : warn(
          'checksums',
          'data pages have no checksums: a disk that corrupts them goes unnoticed until the ledger is verified',
          'stop PostgreSQL and run pg_checksums --enable',
        ),
  ]
}

function checkConnections(free: number, { api, worker }: Connections): Finding {
  const found = `an API process opens up to ${api} connections, a worker ${worker}; the server allows ${free}`
  if (api + worker <= free) return ok('connections', found)
  return warn('connections', found, 'raise max_connections, or lower POOL_SIZE and LANES')
}

/** Whether the clock of the database, by which events are recorded, agrees with this machine's. */
export async function checkClock(pool: Pool): Promise<Finding> {
  const before = Date.now()
  const { rows } = await pool.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
  )
  const after = Date.now()
  // Whatever lies within the time of the question itself is no difference.
  const aheadMs = Math.max(rows[0]!.ms - after, 0) - Math.max(before - rows[0]!.ms, 0)
  const seconds = Math.round(aheadMs / 1_000)
  if (Math.abs(seconds) <= CLOCK_SECONDS) return ok('clock', "this machine's and the database's agree")
  const differs = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`
  return warn(
    'clock',
    `the database's is ${differs} this machine's; events get the time of the database`,
    'keep both by NTP; see docs/operations.md, “ClocksDiffer”',
  )
}

/** How large the database is. What room its disk has is known of a server on this machine alone. */
export async function checkSize(pool: Pool, isHere: boolean): Promise<Finding> {
  const { rows } = await pool.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
  const size = `${(rows[0]!.bytes / GIB).toFixed(2)} GiB`
  return ok('size', isHere ? size : `${size}; how much room the server's disk has cannot be seen from here`)
}
