import type { Pool } from 'pg'
import { fail, ok, warn, type Finding } from './finding.ts'
import { randomUUID } from 'node:crypto'
import { canWrite } from '#bootstrap/write-probe'
import { assertOwnSessions, SharedSessionsError, type DatabaseSetting } from '#postgres/pooler'

const OLDEST_SERVER = 150_000
const CLOCK_SECONDS = 2
const GIB = 1024 ** 3

/** The maximum number of connections per process. */
interface Connections {
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
  verbosity: string
  checksums: string
  connections: number
  /** Of the role, unless it is a superuser, and of the database; -1 without one. */
  role_limit: number
  database_limit: number
  /** The age of the oldest transaction id in the database. */
  age: number
  is_standby: boolean
  is_read_only: boolean
  database: string
  /** The version of the rules by which the database sorts text: of its indexes, and of the server's machine. */
  sorted_as: string | null
  sorts_as: string | null
}

/** Checks the database server: its version, its clock, and the settings that the ledger depends on. */
export async function checkServer(pool: Pool, connections: Connections): Promise<Finding[]> {
  const { rows } = await pool.query<Server>(`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
      current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('log_error_verbosity') as verbosity, current_setting('data_checksums') as checksums,
      current_setting('max_connections')::integer
        - current_setting('superuser_reserved_connections')::integer as connections,
      (select case when rolsuper then -1 else rolconnlimit end from pg_roles
        where rolname = current_user) as role_limit,
      datconnlimit as database_limit, age(datfrozenxid) as age,
      pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
      datname as database, datcollversion as sorted_as, pg_database_collation_actual_version(oid) as sorts_as
    from pg_database where datname = current_database()`)
  const server = rows[0]!
  return [
    server.number >= OLDEST_SERVER
      ? ok('version', `PostgreSQL ${server.version}`)
      : fail('version', `PostgreSQL ${server.version}`, 'upgrade to PostgreSQL 15 or newer'),
    server.encoding === 'UTF8'
      ? ok('encoding', 'UTF8')
      : fail('encoding', server.encoding, "create the database with encoding 'UTF8' template template0"),
    checkCollation(server),
    await checkWrites(server, pool),
    ...checkDurability(server),
    ...checkSettings(server),
    checkConnections(server, connections),
    ageFinding(server.age),
    await checkClock(pool),
  ]
}

function checkCollation({ database, sorted_as: sortedAs, sorts_as: sortsAs }: Server): Finding {
  if (sortedAs === null || sortsAs === null || sortedAs === sortsAs)
    return ok('collation', 'the indexes are sorted as the server sorts text')
  return fail(
    'collation',
    `the indexes were sorted by version ${sortedAs} of the collation, and the server has version ${sortsAs}; ` +
      'queries can miss rows',
    `as the owner, run: reindex database "${database}"; then: alter database "${database}" refresh collation version`,
  )
}

async function checkWrites({ is_standby: isStandby, is_read_only: isReadOnly }: Server, pool: Pool): Promise<Finding> {
  if (isStandby)
    return fail('writes', 'the server is a standby', 'point DATABASE_URL to the primary, or promote the standby')
  if (isReadOnly) {
    const advice =
      'find out why default_transaction_read_only is on (some providers set it when the disk is full), fix that, ' +
      'and reset it'
    return fail('writes', 'the server accepts no writes', advice)
  }
  if (await canWrite(pool)) return ok('writes', 'the server accepts writes')
  return fail('writes', 'the server answers, but stores nothing', 'free space on its disk; its log says what fails')
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
          `${names} ${off.length === 1 ? 'is' : 'are'} off; a crash of the machine can corrupt the ledger`,
          `set ${names} to on and restart PostgreSQL`,
        ),
    isLate
      ? warn(
          'commits',
          'synchronous_commit is off; a crash can lose changes to keys and users (appends to the ledger always set it)',
          'run: alter database … set synchronous_commit = on',
        )
      : ok('commits', `synchronous_commit is ${commit}`),
  ]
}

function checkSettings({ verbosity, checksums }: Server): Finding[] {
  return [
    verbosity === 'terse'
      ? ok('server log', 'error details, which can contain personal data, are not logged')
      : warn(
          'server log',
          `log_error_verbosity is ${verbosity}; PostgreSQL logs error details, which can contain personal data`,
          'as a superuser, run: alter database … set log_error_verbosity = terse',
        ),
    checksums === 'on'
      ? ok('checksums', 'data checksums are on')
      : warn(
          'checksums',
          'data checksums are off; disk corruption goes unnoticed until the ledger is verified',
          'stop PostgreSQL and run pg_checksums --enable',
        ),
  ]
}

/** The least of the limits counts. */
function checkConnections(server: Server, { api, worker }: Connections): Finding {
  const limits = [
    { of: 'the server', limit: server.connections, mend: 'raise max_connections' },
    { of: 'the role', limit: server.role_limit, mend: 'run as the owner: alter role … connection limit -1' },
    {
      of: 'the database',
      limit: server.database_limit,
      mend: 'run as the owner: alter database … connection limit -1',
    },
  ].filter(({ limit }) => limit >= 0)
  const least = limits.toSorted((one, other) => one.limit - other.limit)[0]!
  const opened = `an API process opens up to ${api} connections and a worker up to ${worker}`
  const summary = `${opened}; ${least.of} allows ${least.limit}`
  if (api + worker <= least.limit) return ok('connections', summary)
  return warn('connections', summary, `${least.mend}, or lower POOL_SIZE`)
}

/** PostgreSQL refuses writes three million transactions before their ids come round, at 2^31. */
const [OLD, TOO_OLD] = [1_000_000_000, 1_600_000_000]

/** The finding about the age of the oldest transaction id. */
export function ageFinding(age: number): Finding {
  const summary = `the oldest transaction id is ${Math.round(age / 1e6)} million transactions old`
  if (age < OLD) return ok('transaction ids', summary)
  const advice =
    'find out why autovacuum does not freeze: a long transaction, a prepared one (pg_prepared_xacts), a ' +
    'replication slot, or autovacuum = off; then run: vacuum freeze'
  return age < TOO_OLD
    ? warn('transaction ids', `${summary}; PostgreSQL refuses writes at 2,144 million`, advice)
    : fail('transaction ids', `${summary}; PostgreSQL refuses writes at 2,144 million`, advice)
}

/** Checks that the clock of the database, which timestamps events, agrees with this machine's. */
export async function checkClock(pool: Pool): Promise<Finding> {
  const before = Date.now()
  const { rows } = await pool.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
  )
  const after = Date.now()
  // A difference within the duration of the query does not count.
  const aheadMs = Math.max(rows[0]!.ms - after, 0) - Math.max(before - rows[0]!.ms, 0)
  const seconds = Math.round(aheadMs / 1_000)
  if (Math.abs(seconds) <= CLOCK_SECONDS) return ok('clock', 'the clocks of the database and this machine agree')
  const differs = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`
  return warn(
    'clock',
    `the database clock is ${differs} this machine's; events get the time of the database`,
    'synchronize both with NTP; see docs/operations.md, “ClocksDiffer”',
  )
}

/** Reports the size of the database. `isHere`: the server runs on this machine, where its disk is checked, too. */
export async function checkSize(pool: Pool, isHere: boolean): Promise<Finding> {
  const { rows } = await pool.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
  const size = `${(rows[0]!.bytes / GIB).toFixed(2)} GiB`
  return ok('size', isHere ? size : `${size}; check the free space on the disk of the server yourself`)
}

const ARRIVES_WITHIN_MS = 2_000

/** Checks that notifications arrive on a listening connection. Something between here and the server may drop them. */
export async function checkListen(pool: Pool): Promise<Finding> {
  const channel = `doctor_${randomUUID().replaceAll('-', '')}`
  const [listener, other] = await Promise.all([pool.connect(), pool.connect()])
  let timer: NodeJS.Timeout | undefined
  try {
    const arrived = new Promise<boolean>((resolve) => {
      listener.on('notification', (message) => message.channel === channel && resolve(true))
      timer = setTimeout(() => resolve(false), ARRIVES_WITHIN_MS)
    })
    await listener.query(`listen ${channel}`)
    await other.query(`notify ${channel}`)
    if (await arrived) return ok('LISTEN', 'notifications arrive')
    return fail(
      'LISTEN',
      'notifications do not arrive, so workers see events late',
      'connect directly to PostgreSQL, or through a pooler that passes on notifications',
    )
  } finally {
    clearTimeout(timer)
    // Destroy the listening connection instead of returning it to the pool.
    listener.release(true)
    other.release()
  }
}

const CHECK = 'pooler'
const SETTINGS: DatabaseSetting[] = ['DATABASE_URL', 'MIGRATE_DATABASE_URL']

/** Checks that no address leads to a pooler whose clients share sessions. Other checks report those without answer. */
export async function checkPoolers(urls: Partial<Record<DatabaseSetting, string>>): Promise<Finding> {
  for (const setting of SETTINGS) {
    try {
      const url = urls[setting]
      if (url !== undefined) await assertOwnSessions(url, setting)
    } catch (error) {
      if (error instanceof SharedSessionsError) return fail(CHECK, error.found, error.advice)
      return warn(CHECK, `not checked: ${setting} does not answer`, 'see the other checks, then run doctor again')
    }
  }
  return ok(CHECK, 'each connection has its own session')
}
