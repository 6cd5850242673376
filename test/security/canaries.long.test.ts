import t from 'tap'
import { launch, makeDataDir, runCommand } from '../support/processes/cli.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { rowsWith } from '../support/postgres/rows-with.ts'
import { employee, send, startService } from '../support/service.ts'

/*
 * No personal data and no secret in logs, jobs and errors of the audit endpoint, the workers and the command line.
 * `test/http/server/log-canaries*.test.ts` does the same for the public calls, the admin endpoint and the pages.
 */

const service = await startService(t)
const { company } = service
const CANARIES = [
  'Canaria',
  'canary@example.com',
  'CANARY-1',
  company.key.api_key,
  company.auditor.token,
  company.admin.token,
]
const environment = { DATABASE_URL: service.urls.serviceUrl, DATA_DIR: makeDataDir(t), LOG_LEVEL: 'trace' }
const server = launch(t, ['start'], {
  ...environment,
  MIGRATE_DATABASE_URL: service.urls.ownerUrl,
  SWEEP_INTERVAL_MS: '200',
  SIGNING_KEY: service.config.SIGNING_KEY!,
})
const address = await server.prints(/listens on (http:\S+)/)

await t.test('the audit endpoint is read in every way, and refuses in every way', async (t) => {
  const people = [employee({ first_name: 'Canaria', email: 'canary@example.com', external_id: 'CANARY-1' })]
  const created = await send(address, 'POST', '/v1/employees', { key: company.key, body: people })
  const { id } = created.body.employees[0]
  t.equal((await send(address, 'POST', '/v1/employees', { key: company.key, body: people })).status, 409)
  await eventually('the workers have folded it', () => isCaughtUp(service.db))
  const paths = [
    ...[
      '/events',
      '/events?format=proof',
      '/events?type=Canaria',
      '/events?employee=canary@example.com',
      '/events?call=CANARY-1',
      '/events?Canaria=1',
    ],
    ...[
      `/employees/${id}`,
      `/employees/${id}/history`,
      '/employees/canary@example.com',
      `/employees/${id}?at=Canaria`,
      `/employees/${id}/history?cursor=CANARY-1`,
    ],
    ...[
      '/checkpoint',
      '/keys',
      '/proofs/inclusion?position=1',
      '/proofs/inclusion?position=Canaria',
      '/proofs/consistency?from=Canaria',
      '/events/stream?after=Canaria',
    ],
  ]
  const statuses = new Set<number>()
  for (const path of paths) {
    const headers = { authorization: `Bearer ${company.auditor.token}`, 'last-event-id': 'CANARY-1' }
    const { status, body } = await send(address, 'GET', `/audit/v1${path}`, { headers })
    statuses.add(status)
    if (status >= 400)
      t.notOk(
        CANARIES.some((canary) => JSON.stringify(body).includes(canary)),
        `the error of ${path} quotes nothing`,
      )
  }
  t.strictSame(
    [...statuses].toSorted((a, b) => a - b),
    [200, 400, 404],
  )
})

await t.test('jobs name only the companies with new events', async (t) => {
  const rows = await rowsWith(service.urls.superUrl, CANARIES)
  t.ok(rows.length > 0, 'the canaries are found where they belong')
  t.strictSame(
    rows.filter((row) => row.startsWith('pgboss')),
    [],
  )
})

await t.test('personal data is only in tables of people and their events; secrets are in none', async (t) => {
  const tables = async (words: string[]) =>
    new Set((await rowsWith(service.urls.superUrl, words)).map((row) => row.split(':', 1)[0]))
  const expected = [
    'bulk_user_logs_v',
    'employees_v',
    'public.employee_directory',
    'public.events',
    'public.idempotency_keys',
  ]
  for (const table of await tables(['Canaria', 'canary@example.com', 'CANARY-1']))
    t.ok(
      expected.some((name) => table!.startsWith(name)),
      String(table),
    )
  t.strictSame([...(await tables([company.key.api_key, company.auditor.token, company.admin.token]))], [])
})

await t.test('no error of the command line shows a password or a secret from its input', async (t) => {
  const password = 'canary-password'
  const bent = Object.assign(new URL(service.urls.serviceUrl), { password }).href
  const runs = [
    runCommand(t, ['company', 'list'], { DATABASE_URL: bent }),
    runCommand(t, ['migrate'], { DATABASE_URL: service.urls.serviceUrl, MIGRATE_DATABASE_URL: bent }),
    launch(t, ['serve'], { ...environment, SIGNING_KEY: `-----BEGIN PRIVATE KEY-----\n${password}` }).ended,
    runCommand(t, ['company', 'list'], { DATABASE_URL: `mysql://u:${password}@x/y` }),
    runCommand(t, ['company', 'list'], { DATABASE_URL: `postgres://u:${password}@127.0.0.1:1/y` }),
  ]
  for (const { exitCode, stdout, stderr } of await Promise.all(runs)) {
    t.not(exitCode, 0)
    t.notOk((stdout + stderr).includes(password), stderr)
  }
})

await t.test('nothing that was sent is in the log of the API and the workers', async (t) => {
  const { stderr } = await server.end('SIGTERM')
  for (const canary of CANARIES) t.notOk(stderr.includes(canary), canary.slice(0, 8))
})
