import t from 'tap'
import { migrateDatabase } from '../../src/bootstrap/maintenance.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { makeDataDir, runCommand } from '../support/processes/cli.ts'
import { NAMES } from '../support/postgres/test-server.ts'
import { eventually } from '../support/eventually.ts'
import { employee, startService } from '../support/service.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/* The service's roles have their own settings, with which PostgreSQL writes times in an unexpected format. */

const ODD = [`datestyle = 'SQL, DMY'`, `timezone = 'Pacific/Chatham'`, `intervalstyle = 'sql_standard'`]
const PINNED = 'ISO, MDY | UTC | postgres'

const ofLogins = CITUS_URL === undefined ? {} : { skip: 'Citus may run on a PostgreSQL without triggers on login' }

const urls = await createTestDatabase(t)
for (const role of [NAMES.owner, NAMES.service]) {
  await asSuperuser(
    urls.superUrl,
    ...ODD.map((setting) => `alter role ${role} in database ${urls.name} set ${setting}`),
  )
}
if (CITUS_URL === undefined) {
  // Records the settings with which each connection starts (PostgreSQL 17 and newer).
  await asSuperuser(
    urls.superUrl,
    'create table logins (role text, program text, settings text)',
    `grant select on logins to ${NAMES.service}`,
    `create function note_login() returns event_trigger language plpgsql security definer as $$ begin
      insert into public.logins values (session_user, current_setting('application_name'),
        concat_ws(' | ', current_setting('datestyle'), current_setting('timezone'), current_setting('intervalstyle')));
    end $$`,
    'create event trigger note_login on login execute function note_login()',
    'alter event trigger note_login enable always',
  )
}
const service = await startService(
  t,
  { SWEEP_INTERVAL_MS: '100', CHECKPOINT_INTERVAL_MS: '100' },
  { urls, workers: true },
)

/** Whether this is a time in the last hour. In another zone, or with day and month swapped, it would not be. */
const isRecent = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && Math.abs(Date.now() - Date.parse(text)) < 3_600_000

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

await t.test('every connection of the program begins with the same settings', ofLogins, async (t) => {
  await asSuperuser(urls.superUrl, 'delete from setup')
  await migrateDatabase(urls, () => undefined)
  await runCommand(t, ['doctor'], {
    DATABASE_URL: urls.serviceUrl,
    READ_DATABASE_URL: urls.serviceUrl,
    DATA_DIR: makeDataDir(t),
  })
  await runCommand(t, ['projections', 'verify'], {
    DATABASE_URL: urls.serviceUrl,
    MIGRATE_DATABASE_URL: urls.ownerUrl,
    DATA_DIR: makeDataDir(t),
  })
  const seen = await eventually('all parts have connected', async () => {
    const { rows } = await service.pool.query<{ program: string; settings: string }>(
      `select distinct program, settings from logins where role like 'ledger_%' order by program, settings`,
    )
    return rows.some(({ program }) => program === 'employee-ledger checkpoints') && rows
  })
  t.strictSame(
    seen.filter(({ settings }) => settings !== PINNED),
    [],
  )
  const programs = seen.map(({ program }) => program)
  for (const part of ['', ' appends', ' jobs', ' projections', ' checkpoints', ' migrate', ' maintenance'])
    t.ok(programs.includes(`employee-ledger${part}`), part)
})

await t.test('settings in DATABASE_URL are kept unless the program sets them', async (t) => {
  const url = `${urls.serviceUrl}?options=${encodeURIComponent('-c work_mem=5MB -c timezone=Asia/Tokyo')}`
  const { pool } = await startService(t, {}, { urls: { ...urls, serviceUrl: url } })
  const { rows } = await pool.query(`select current_setting('work_mem') as memory, current_setting('timezone') as zone`)
  t.strictSame(rows, [{ memory: '5MB', zone: 'UTC' }])
})
