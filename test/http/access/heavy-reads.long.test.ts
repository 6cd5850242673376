import http from 'node:http'
import t, { type Test } from 'tap'
import { inCompany } from '../../../src/postgres/company-scope.ts'
import { lockTables } from '../../support/postgres/lock-tables.ts'
import { eventually } from '../../support/eventually.ts'
import type { Answer, TestCompany } from '../../support/service.ts'
import { employee, send, startService } from '../../support/service.ts'
import { browse, cookieOf, OWN_PAGE } from '../../support/http/sessions.ts'
import { copyEntry } from '../../support/postgres/copy-entry.ts'

/* One company's searches and exports do not block other work: here each of them waits for a locked table. */

const AT_ONCE = 4
/** The connections of a company: one is left for what else it does. */
const SHARE = AT_ONCE + 1
const service = await startService(t, { POOL_SIZE: String(4 * SHARE), HEAVY_READS: String(AT_ONCE) })
const a = service.company
const [b, c, d, e] = (await Promise.all((['B', 'C', 'D', 'E'] as const).map((name) => service.makeCompany(name)))) as [
  TestCompany,
  TestCompany,
  TestCompany,
  TestCompany,
]
const made = await service.call('POST', '/v1/employees', { body: employee({ first_name: 'Zoe' }) })
await service.project()
const employeeId = made.body.employees[0].id as string
const cookie = await cookieOf(service, a.admin)
const logPath = `/admin/v1/bulk-user-logs/${made.body.log_id}`

type Read = (of: TestCompany) => Promise<Answer>
const byToken =
  (path: string): Read =>
  ({ admin: { token } }) =>
    send(service.address, 'GET', path, { key: null, headers: { authorization: `Bearer ${token}` } })
const byKey =
  (path: string): Read =>
  ({ key }) =>
    send(service.address, 'GET', path, { key })
const HEAVY: Record<string, Read> = {
  'a search of employees': byKey('/v1/employees?q=zoe'),
  'a search of entries': byToken('/admin/v1/bulk-user-logs?q=zoe'),
  'the entries of an employee': byToken(`/admin/v1/bulk-user-logs?employee=${employeeId}`),
  'the entries as CSV': byToken('/admin/v1/bulk-user-logs.csv'),
  'a search of keys': ({ admin: { token }, key }) =>
    send(service.address, 'POST', '/admin/v1/secrets/find', {
      key: null,
      headers: { authorization: `Bearer ${token}` },
      body: { q: key.api_id },
    }),
  'the failed records of all entries as CSV': byToken('/admin/v1/bulk-user-logs/failed-records.csv'),
  events: byToken('/audit/v1/events?limit=1'),
  'an employee as it was': byToken(`/audit/v1/employees/${employeeId}`),
}
/** For company A alone, whose entry it is. */
const OF_ENTRY: Record<string, Read> = {
  'a search of records': byToken(`${logPath}/records?q=zoe`),
  'the records as CSV': byToken(`${logPath}/records.csv`),
  'the failed records': byToken(`${logPath}/failed-records.json`),
  'the refused records of a cause': byToken('/admin/v1/refusals/failed-records.csv?code=invalid_format'),
  'the failed records as CSV': byToken(`${logPath}/failed-records.csv`),
  'the records with an error': byToken(`${logPath}/records?error=invalid_format`),
}

/** Locks the tables that heavy reads use, until the test ends at the latest. Call the returned function to unlock them. */
async function holdReaders(t: Test): Promise<() => Promise<void>> {
  const { rows } = await service.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname ~ '^(bulk_user_logs|employees)_v' or tablename = 'events'`,
  )
  const release = await lockTables(service, ...rows.map(({ name }) => name))
  t.teardown(release)
  return release
}

const areInUse = (connections: number) =>
  eventually(
    `${connections} connections for reading are in use`,
    async () => service.pool.totalCount - service.pool.idleCount === connections,
  )
/** Lists the service's backends that wait for a lock, on the machine of company A. */
async function listWaiting(): Promise<number[]> {
  const { rows } = await inCompany(a.id, () =>
    service.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and usename = current_user and wait_event_type = 'Lock'`,
    ),
  )
  return rows.map(({ pid }) => pid)
}
/** Whether any of these backends is there, busy or idle. */
async function isAnyThere(pids: number[]): Promise<boolean> {
  const { rows } = await inCompany(a.id, () =>
    service.pool.query('select from pg_stat_activity where pid = any($1)', [pids]),
  )
  return rows.length > 0
}
const search = HEAVY['a search of entries']!
const list = byToken('/admin/v1/bulk-user-logs')

await t.test(
  'while searches and lists hold every connection for reading, keys, sessions, sign-in and /readyz answer',
  async (t) => {
    const cookie = await cookieOf(service, b.member)
    const release = await holdReaders(t)
    const held = [a, c, d, e].flatMap((company) => [
      ...Array.from({ length: AT_ONCE }, () => search(company)),
      list(company),
    ])
    await areInUse(4 * SHARE)
    const { email, password } = b.admin
    t.equal((await service.call('GET', '/v1/auth/verify', { key: b.key })).status, 200, 'a key is checked')
    t.equal(
      (await browse(service, '/sign-in', { form: { email, password, company: b.id } })).status,
      303,
      'somebody signs in',
    )
    t.match(await browse(service, '/sign-in', { cookie }), { status: 303, location: '/account' }, 'a session is known')
    t.equal((await send(service.address, 'GET', '/readyz', { key: null })).status, 200, 'the process is ready')
    t.equal((await send(service.address, 'GET', '/admin/v1/nowhere', { key: null })).status, 404)
    await release()
    // Those behind them may have waited too long on a slow machine.
    for (const answer of await Promise.all(held)) t.ok([200, 503].includes(answer.status))
  },
)

await t.test("a company's next heavy read is a 429 on any route, and another company is let in", async (t) => {
  const quotaLeft = async () =>
    Number(/;r=(\d+)/.exec((await byKey('/v1/employees?limit=1')(a)).headers['ratelimit']!)![1])
  const left = await quotaLeft()
  const release = await holdReaders(t)
  const held = Array.from({ length: AT_ONCE }, () => search(a))
  await eventually('all of them are waiting', async () => service.pool.totalCount - service.pool.idleCount >= AT_ONCE)
  for (const [name, read] of Object.entries({ ...HEAVY, ...OF_ENTRY })) {
    const refused = await read(a)
    t.match(refused, { status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '1' } }, name)
  }
  for (const path of [
    '/settings/bulk-user-logs?q=zoe',
    '/settings/employees?q=zoe',
    `/settings/employees/${employeeId}`,
    `/settings/events?id=${employeeId}`,
  ]) {
    const page = await browse(service, path, { cookie })
    t.equal(page.status, 429, path)
    t.equal(page.headers['retry-after'], '1', path)
    t.match(page.text, 'A company can run at most 4 long requests (such as searches and exports) at once', path)
  }
  const ofOther = search(b)
  await areInUse(AT_ONCE + 1)
  await release()
  t.equal((await ofOther).status, 200)
  for (const answer of await Promise.all(held)) t.equal(answer.status, 200)
  t.equal(await quotaLeft(), left - 1, 'refused reads cost nothing')
  for (const [name, read] of Object.entries({ ...HEAVY, ...OF_ENTRY }))
    t.equal((await read(a)).status, 200, `${name} afterwards`)
})

await t.test('lists without a search are not counted, and wait for the connections of their company', async (t) => {
  const release = await holdReaders(t)
  const held = Array.from({ length: AT_ONCE }, () => search(a))
  await eventually('all of them are waiting', async () => service.pool.totalCount - service.pool.idleCount >= AT_ONCE)
  const lists = [byKey('/v1/employees')(a), list(a)]
  await areInUse(SHARE)
  const ofOther = list(b)
  await areInUse(SHARE + 1)
  await release()
  t.equal((await ofOther).status, 200)
  for (const answer of await Promise.all([...held, ...lists])) t.not(answer.status, 429)
})

const byTokenOfA = { authorization: `Bearer ${a.admin.token}` }
const byKeyOfA = { 'x-api-id': a.key.api_id, 'x-api-key': a.key.api_key }
const inSession = { ...OWN_PAGE, cookie, 'content-type': 'application/x-www-form-urlencoded' }
for (const [name, path, headers, form] of [
  ['a search', '/admin/v1/bulk-user-logs?q=zoe', byTokenOfA, undefined],
  ['a search by an API key', '/v1/employees?q=zoe', byKeyOfA, undefined],
  ['an export', '/admin/v1/bulk-user-logs.csv', byTokenOfA, undefined],
  ['a search of all pages', '/settings/search', inSession, 'q=zoe'],
] as const) {
  await t.test(
    `a client that disconnects during ${name} frees its place and connection, and PostgreSQL ends the statement`,
    async (t) => {
      const release = await holdReaders(t)
      const method = form === undefined ? 'GET' : 'POST'
      const requests = Array.from({ length: AT_ONCE }, () =>
        http
          .request(service.address + path, { method, headers, agent: false })
          .on('error', () => undefined)
          .end(form),
      )
      let waiting: number[] = []
      await eventually('all of them are waiting', async () => (waiting = await listWaiting()).length === AT_ONCE)
      const gone = requests.map((request) => new Promise((resolve) => request.once('close', resolve)))
      for (const request of requests) request.destroy()
      await Promise.all(gone)
      await areInUse(0)
      // A statement that only its timeout ends would leave its connection open.
      await eventually('their connections are closed', async () => !(await isAnyThere(waiting)))
      const others = Array.from({ length: AT_ONCE }, () => search(a))
      await areInUse(AT_ONCE)
      await release()
      for (const { status } of await Promise.all(others)) t.equal(status, 200)
    },
  )
}

await t.test('an open download keeps its slot until it ends, or its client disconnects or stops reading', async (t) => {
  const own = await startService(t, { HEAVY_READS: '1', REQUEST_TIMEOUT_MS: '4000' })
  await own.call('POST', '/v1/employees', { body: employee() })
  await own.project()
  await copyEntry(own.pool, own.company.id, 15_000, { request_id: "repeat('r', 2000)" })
  // More than the buffers of a connection take.
  const custom_attributes = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`a${at}`, 'x'.repeat(1_000)]))
  for (let calls = 0; calls < 4; calls += 1) {
    const people = Array.from({ length: 200 }, () => employee({ custom_attributes }))
    t.equal((await own.call('POST', '/v1/employees', { body: people })).status, 201)
  }
  const open = async (path: string) => {
    const request = http.get(`${own.address}${path}`, {
      headers: { authorization: `Bearer ${own.company.admin.token}` },
      agent: false,
    })
    const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
      request.once('response', resolve).once('error', reject),
    )
    return response.on('error', () => undefined)
  }
  const searched = async () => (await own.admin('/bulk-user-logs?q=zoe')).status
  // One handler returns its stream, the other one its reply.
  for (const path of ['/admin/v1/bulk-user-logs.csv', '/audit/v1/events?limit=10000']) {
    for (const end of [
      (response: http.IncomingMessage) => response.resume(),
      (response: http.IncomingMessage) => response.destroy(),
      () => undefined,
    ]) {
      const response = await open(path)
      response.pause()
      t.equal(await searched(), 429, path)
      end(response)
      await eventually('there is room again', async () => (await searched()) === 200)
    }
  }
})
