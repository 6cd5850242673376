import pg from 'pg'
import t, { type Test } from 'tap'
import type { AddedUser } from '../../src/accounts/users/change-user.ts'
import type { IssuedApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import type { DatabaseUrls } from '../../src/postgres/database-urls.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { assertOwnSessions } from '../../src/postgres/pooler.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { startPgBouncer } from '../support/lines/pgbouncer.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'
import { failsWithLine, makeDataDir, runCommand, runJson, startServer, startWorker } from '../support/processes/cli.ts'
import { needs } from '../support/processes/installed.ts'
import { eventually } from '../support/eventually.ts'
import { employee, send } from '../support/service.ts'

const installed = needs('pgbouncer')

const environment = (t: Test, urls: DatabaseUrls) => ({
  DATABASE_URL: urls.serviceUrl,
  MIGRATE_DATABASE_URL: urls.ownerUrl,
  DATA_DIR: makeDataDir(t),
  LOG_LEVEL: 'warn',
})

async function doctor(t: Test, settings: Record<string, string>): Promise<Map<string, Finding>> {
  const { stdout } = await runCommand(t, ['doctor', '--json'], settings)
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return new Map(findings.map((finding) => [finding.check, finding]))
}

await t.test(
  'in session mode everything works: migrations, calls, jobs, rebuilds, and doctor',
  installed,
  async (t) => {
    const settings = environment(t, await startPgBouncer(t, await createEmptyDatabase(t)))
    t.match(await runCommand(t, ['migrate'], settings), { exitCode: 0, stderr: '' })
    const create = ['company', 'create', '--name', 'Acme', '--admin-email', 'ada@acme.example']
    const { company_id: id, admin } = await runJson<{ company_id: string; admin: AddedUser }>(t, create, settings)
    const key = await runJson<IssuedApiKey>(t, ['key', 'issue', '--company', id, '--name', 'HR sync'], settings)
    // The sweep does not come: only jobs bring events to the worker.
    const patient = { ...settings, SWEEP_INTERVAL_MS: '86400000' }
    const server = await startServer(t, ['serve'], patient)
    const worker = await startWorker(t, patient)
    for (let calls = 0; calls < 3; calls += 1) {
      const made = await send(server.address, 'POST', '/v1/employees', { key, body: [employee(), employee()] })
      t.equal(made.status, 201)
      const path = `/admin/v1/bulk-user-logs/${made.body.log_id}`
      await eventually('the entry is there', async () => {
        const answer = await send(server.address, 'GET', path, { headers: { authorization: `Bearer ${admin.token}` } })
        return answer.status === 200
      })
    }
    for (const args of [['rebuild', 'employees'], ['verify']])
      t.match(await runCommand(t, ['projections', ...args], settings), { exitCode: 0 }, args.join(' '))
    const found = await doctor(t, settings)
    for (const check of ['pooler', 'LISTEN', 'migrations']) t.match(found.get(check), { level: 'ok' }, check)
    for (const { end } of [server, worker]) t.match(await end('SIGTERM'), { exitCode: 0 })
  },
)

await t.test('in session mode, settings hold, and the next client of a session starts afresh', installed, async (t) => {
  const urls = await startPgBouncer(t, await createTestDatabase(t), { default_pool_size: '1' })
  for (const [timeout, commit] of [
    [7_000, 'on'],
    [9_000, 'off'],
  ] as const) {
    const settings = { synchronous_commit: commit }
    const pool = openPool({ url: urls.serviceUrl, name: 'test', max: 1, statementTimeoutMs: timeout, settings })
    const { rows } = await pool.query(
      `select current_setting('statement_timeout') as timeout, current_setting('synchronous_commit') as commit,
        current_setting('lock_timeout') as lock, timestamptz '2026-02-03 04:05:06+00' as at`,
    )
    t.strictSame(rows, [{ timeout: `${timeout / 1_000}s`, commit, lock: '10s', at: '2026-02-03T04:05:06.000Z' }])
    await pool.query({ name: 'same name', text: `select ${timeout} as n` })
    await pool.end()
  }
})

const REFUSAL = /^employee-ledger: [^\n]*DATABASE_URL leads to a pooler .* set its pool mode to session, .*\n$/
await t.test('shared sessions are refused in one line, and left as they were', installed, async (t) => {
  const direct = await createTestDatabase(t)
  const pooled = await startPgBouncer(t, direct, { pool_mode: 'transaction' })
  const settings = environment(t, pooled)
  for (const args of [['serve'], ['work'], ['migrate']]) failsWithLine(t, await runCommand(t, args, settings), REFUSAL)
  const ownerOnly = { ...settings, DATABASE_URL: direct.serviceUrl }
  for (const args of [['migrate'], ['projections', 'rebuild', 'employees']])
    failsWithLine(t, await runCommand(t, args, ownerOnly), REFUSAL)
  for (const place of [settings, ownerOnly])
    t.match((await doctor(t, place)).get('pooler'), { level: 'fail', advice: /^set its pool mode/ })
  t.equal(await readTimeout(pooled.serviceUrl), await readTimeout(direct.serviceUrl))
})

/** The limit that a session begins with. */
async function readTimeout(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ timeout: string }>(`select current_setting('statement_timeout') as timeout`)
  await client.end()
  return rows[0]!.timeout
}

const SHARING: Record<string, Record<string, string>> = {
  transaction: { pool_mode: 'transaction' },
  'transaction, sessions dealt out in turns': { pool_mode: 'transaction', server_round_robin: '1' },
  'transaction, a single session': { pool_mode: 'transaction', default_pool_size: '1' },
  statement: { pool_mode: 'statement' },
}

for (const [mode, changes] of Object.entries(SHARING)) {
  await t.test(`shared sessions are recognized every time: ${mode}`, installed, async (t) => {
    const { serviceUrl } = await startPgBouncer(t, await createTestDatabase(t), changes)
    for (let tries = 0; tries < 20; tries += 1)
      await t.rejects(assertOwnSessions(serviceUrl, 'DATABASE_URL'), { name: 'SharedSessionsError' })
  })
}

await t.test('the connections of PostgreSQL itself are taken as they are', async (t) => {
  const { serviceUrl } = await createTestDatabase(t)
  t.equal(await assertOwnSessions(serviceUrl, 'DATABASE_URL'), undefined)
})
