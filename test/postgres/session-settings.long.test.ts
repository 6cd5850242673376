import t from 'tap'
import { migrateDatabase } from '../../src/bootstrap/store.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { makeDataDir, runCommand } from '../support/processes/cli.ts'
import { NAMES } from '../support/postgres/test-server.ts'
import { eventually } from '../support/eventually.ts'
import { employee, startService } from '../support/service.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'
import { startWatchedLine } from '../support/lines/watched-line.ts'

/*
 * The service's roles have their own settings, with which PostgreSQL writes times in an unexpected format, and looks for
 * tables elsewhere.
 */

const ODD = [
  `datestyle = 'SQL, DMY'`,
  `timezone = 'Pacific/Chatham'`,
  `intervalstyle = 'sql_standard'`,
  `search_path = 'elsewhere'`,
]

const urls = await createTestDatabase(t)
/** Only PostgreSQL 17 and newer have it. */
const hasTransactionTimeout = (await askFor(`select 1 from pg_settings where name = 'transaction_timeout'`)).length > 0
if (hasTransactionTimeout) ODD.push(`transaction_timeout = '200ms'`)
for (const role of [NAMES.owner, NAMES.service]) {
  await asSuperuser(
    urls.superUrl,
    ...ODD.map((setting) => `alter role ${role} in database ${urls.name} set ${setting}`),
  )
}
const line = await startWatchedLine(t, urls.serviceUrl)
const watched = { ...urls, serviceUrl: line.through(urls.serviceUrl), ownerUrl: line.through(urls.ownerUrl) }
const service = await startService(
  t,
  { SWEEP_INTERVAL_MS: '100', CHECKPOINT_INTERVAL_MS: '100' },
  { urls: watched, workers: true },
)

/** Whether this is a time in the last hour. In another zone, or with day and month swapped, it would not be. */
const isRecent = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && Math.abs(Date.now() - Date.parse(text)) < 3_600_000

async function askFor(text: string): Promise<unknown[]> {
  const pool = openPool({ url: urls.superUrl, name: 'test', max: 1 })
  try {
    return (await pool.query(text)).rows
  } finally {
    await pool.end()
  }
}

await t.test('a transaction may take longer than its role allows', async (t) => {
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_sleep(0.5)')
    await t.resolves(client.query('commit'))
  } finally {
    client.release()
  }
})

await t.test(
  "times are right whatever the roles' settings: of employees, entries, spreadsheets, keys and sessions",
  async (t) => {
    const { status, body } = await service.call('POST', '/v1/employees', { body: employee() })
    t.equal(status, 201)
    const [made] = body.employees
    t.ok(isRecent(made.created_at), made.created_at)
    const entry = await eventually('a worker has folded the call', async () => {
      const answer = await service.admin(`/bulk-user-logs/${body.log_id}`)
      return answer.status === 200 && answer.body
    })
    t.ok(isRecent(entry.requested_at), entry.requested_at)
    const { items } = (
      await service.admin(`/bulk-user-logs?from=${encodeURIComponent(made.created_at.slice(0, 10))}T00:00:00Z`)
    ).body
    t.strictSame(
      items.map(({ id }: { id: string }) => id),
      [body.log_id],
    )
    const csv = await service.admin('/bulk-user-logs.csv')
    t.ok(csv.body.includes(entry.requested_at), csv.body)
    t.strictSame((await service.call('GET', `/v1/employees?min_position=${entry.position ?? 1}`)).body.items[0], made)

    const rotated = await service.manage('POST', `/api-keys/${service.company.key.api_id}/rotate`, {
      overlap_seconds: 3_600,
    })
    const { rotated_at: from, previous_secret_expires_at: to } = rotated.body.rotation
    t.ok(isRecent(from), from)
    t.equal(Date.parse(to) - Date.parse(from), 3_600_000)
    t.equal(
      (await service.call('POST', '/v1/employees', { body: employee() })).status,
      201,
      'the old secret works for the hour',
    )
    t.equal((await browse(service, '/account', { cookie: await cookieOf(service, service.company.admin) })).status, 200)
  },
)

const SETTINGS = /^select set_config\(/
/** Statements of connections that send no times and wait for nothing. */
const OTHERS = /^(?:LISTEN |select pg_backend_pid\(\)|select current_(?:user|database\(\).*) as value$)/
/** Those to each machine of a cluster: its heartbeat, and what `migrate` and `doctor` ask it. */
const OF_MACHINES = /^\s*select (?:1$|coalesce\(\(select setconfig|current_setting\('server_version'\))/
/** The parameters that a pooler takes from any client. */
const PARAMETERS = ['user', 'database', 'application_name', 'client_encoding']

await t.test('every connection begins with its settings, and asks for nothing that a pooler refuses', async (t) => {
  await asSuperuser(urls.superUrl, 'delete from setup')
  await migrateDatabase(watched, () => undefined)
  const own = { DATABASE_URL: watched.serviceUrl, MIGRATE_DATABASE_URL: watched.ownerUrl }
  await runCommand(t, ['doctor'], { ...own, DATA_DIR: makeDataDir(t) })
  await runCommand(t, ['projections', 'verify'], { ...own, DATA_DIR: makeDataDir(t) })
  const beganAs = (program: string) =>
    line.beginnings.filter(({ parameters }) => parameters['application_name'] === program)
  await eventually('all parts have connected', async () => beganAs('employee-ledger checkpoints').length > 0)
  t.strictSame(
    line.beginnings
      .map(({ statement }) => statement)
      .filter(
        (text) =>
          ![SETTINGS, OTHERS, ...(CITUS_URL === undefined ? [] : [OF_MACHINES])].some((known) => known.test(text)),
      ),
    [],
  )
  const asked = new Set(line.beginnings.flatMap(({ parameters }) => Object.keys(parameters)))
  t.strictSame(
    [...asked].filter((name) => !PARAMETERS.includes(name)),
    [],
  )
  // On a cluster, these go straight to the machine of a company, past this line.
  const toCompanies = CITUS_URL === undefined ? [' appends', ' projections'] : []
  for (const part of ['', ...toCompanies, ' access', ' jobs', ' checkpoints', ' migrate', ' maintenance'])
    t.ok(
      beganAs(`employee-ledger${part}`).some(({ statement }) => SETTINGS.test(statement)),
      part,
    )
})

await t.test('a connection whose settings fail is not handed out', async (t) => {
  const pool = openPool({ url: urls.serviceUrl, name: 'test', max: 1, settings: { jit: 'perhaps' } })
  t.teardown(() => pool.end())
  await t.rejects(pool.query('select 1'), { code: '22023' })
  t.equal(pool.totalCount, 0)
})

await t.test('settings in DATABASE_URL are kept unless the program sets them', async (t) => {
  const url = `${urls.serviceUrl}?options=${encodeURIComponent('-c work_mem=5MB -c timezone=Asia/Tokyo')}`
  const { pool } = await startService(t, {}, { urls: { ...urls, serviceUrl: url } })
  const { rows } = await pool.query(`select current_setting('work_mem') as memory, current_setting('timezone') as zone`)
  t.strictSame(rows, [{ memory: '5MB', zone: 'UTC' }])
})
