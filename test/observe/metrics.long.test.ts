import { pino } from 'pino'
import t, { type Test } from 'tap'
import { createMetrics } from '../../src/observe/metrics/metrics.ts'
import { startApi } from '../../src/bootstrap/api.ts'
import { startMetrics } from '../../src/bootstrap/observability.ts'
import { startWorkers } from '../../src/bootstrap/workers.ts'
import type { Config } from '../../src/config.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { eventually } from '../support/eventually.ts'
import { readSamples, readTypes, valueOf, type Sample } from '../support/processes/metrics.ts'
import type { Service } from '../support/service.ts'
import { employee, send, startService } from '../support/service.ts'

const log = pino({ level: 'silent' })
const CREATE = { method: 'POST', route: '/v1/employees' }

interface Watched {
  service: Service
  /** The address of the watched API. */
  address: string
  /** Reads the current values. */
  look(): Promise<Sample[]>
  /** Where it reads them. */
  url: string
}

/** A second API process with metrics; with workers where the test asks for them. */
async function watch(
  t: Test,
  { workers = false, ...settings }: Partial<Record<keyof Config, string>> & { workers?: boolean } = {},
): Promise<Watched> {
  const service = await startService(t, settings)
  const store = { ...service, close: async () => undefined }
  const config: Config = { ...service.config, METRICS_PORT: 0 }
  const metrics = createMetrics()
  if (workers) {
    const started = await startWorkers({ config, urls: service.urls, store, log, metrics })
    t.teardown(started.stop)
  }
  const api = await startApi({ config, urls: service.urls, store, log, metrics })
  t.teardown(api.stop)
  const listener = (await startMetrics(config, metrics))!
  t.teardown(listener.stop)
  return { service, address: api.address, look: () => readSamples(listener.url), url: listener.url }
}

await t.test('answers are counted by route template and status, never by the values in the path', async (t) => {
  const { service, address, look } = await watch(t)
  const { key } = service.company
  const created = await send(address, 'POST', '/v1/employees', { key, body: employee() })
  await send(address, 'POST', '/v1/employees', { key, body: { first_name: 'Only' } })
  await send(address, 'GET', `/v1/employees/${created.body.employees[0].id}`, { key })
  await send(address, 'GET', '/no/such/ana.perez@example.com', {})
  const samples = await look()
  const count = (labels: Record<string, string>) =>
    valueOf(samples, 'employee_ledger_http_request_duration_seconds_count', labels)
  t.equal(count({ ...CREATE, status: '201' }), 1)
  t.equal(count({ ...CREATE, status: '422' }), 1)
  t.equal(count({ method: 'GET', route: '/v1/employees/:id', status: '200' }), 1)
  t.equal(count({ method: 'GET', route: 'none', status: '404' }), 1)
  const text = JSON.stringify(samples)
  for (const personal of ['ana', 'example.com', 'emp_', key.api_id, service.company.name])
    t.notOk(text.includes(personal), personal)
})

await t.test('counts start at 0 for every known label, so that an alert counts the first burst in full', async (t) => {
  const { look } = await watch(t, { workers: true })
  const samples = await look()
  const labelsOf = (name: string, label: string) =>
    samples
      .filter((sample) => sample.name === `employee_ledger_${name}`)
      .map(({ labels, value }) => `${labels[label]} ${value}`)
      .toSorted()
  const limits = ['burst', 'credentials', 'heavy-reads', 'queue', 'quota', 'sign-in', 'streams', 'unread-answers']
  t.strictSame(
    labelsOf('refusals_total', 'limit'),
    limits.map((limit) => `${limit} 0`),
  )
  t.strictSame(labelsOf('projection_failures_total', 'projection'), ['bulk-user-logs 0', 'employees 0'])
  t.strictSame(labelsOf('erasures_total', 'of'), ['employee 0', 'user 0'])
  t.strictSame(labelsOf('webhook_delivery_duration_seconds_count', 'result'), ['delivered 0', 'failed 0'])
  for (const name of [
    'answers_expired_total',
    'records_retired_total',
    'checkpoint_failures_total',
    'unguarded_tables',
  ])
    t.equal(valueOf(samples, `employee_ledger_${name}`), 0, name)
})

await t.test('append metrics count the calls and records per commit', async (t) => {
  const { service, address, look } = await watch(t)
  const calls = Array.from({ length: 8 }, () =>
    send(address, 'POST', '/v1/employees', { key: service.company.key, body: [employee(), employee()] }),
  )
  await Promise.all(calls)
  const samples = await look()
  t.equal(valueOf(samples, 'employee_ledger_append_calls_sum'), 8)
  t.equal(valueOf(samples, 'employee_ledger_append_records_sum'), 16)
  const commits = valueOf(samples, 'employee_ledger_append_duration_seconds_count')
  t.ok(commits >= 1 && commits <= 8)
  t.equal(valueOf(samples, 'employee_ledger_append_calls_count'), commits)
  t.equal(valueOf(samples, 'employee_ledger_append_calls_pending'), 0)
  t.ok(valueOf(samples, 'employee_ledger_pool_connections', { pool: 'appends', state: 'idle' }) >= 1)
  t.equal(valueOf(samples, 'employee_ledger_pool_waiting', { pool: 'reads' }), 0)
})

await t.test('a 429 is counted by the limit that caused it', async (t) => {
  const { service, address, look } = await watch(t, { BURST_LIMIT: '2', FAILURE_LIMIT: '1', SIGN_IN_LIMIT: '1' })
  const small = await service.manage('POST', '/api-keys', { name: 'small', quota_limit: 1, refresh_period: 'monthly' })
  const key = { api_id: small.body.id ?? small.body.api_id, api_key: small.body.api_key }
  t.equal((await send(address, 'POST', '/v1/employees', { key, body: employee() })).status, 201)
  t.equal((await send(address, 'POST', '/v1/employees', { key, body: employee() })).body.code, 'quota_exceeded')
  const wrong = { api_id: key.api_id, api_key: 'wrong' }
  for (let tries = 0; tries < 2; tries += 1) await send(address, 'GET', '/v1/auth/verify', { key: wrong })
  const form = {
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: address },
    body: 'email=a%40example.com&password=x',
  }
  for (let tries = 0; tries < 2; tries += 1) await send(address, 'POST', '/sign-in', form)
  const burst = await Promise.all(
    Array.from({ length: 12 }, () => send(address, 'GET', '/v1/auth/verify', { key: service.company.key })),
  )
  const samples = await look()
  const refused = (limit: string) => valueOf(samples, 'employee_ledger_refusals_total', { limit })
  t.equal(refused('quota'), 1)
  t.equal(refused('credentials'), 1)
  t.equal(refused('sign-in'), 1)
  t.equal(refused('burst'), burst.filter(({ status }) => status === 429).length)
})

await t.test("each projection's lag is exported, and that of the few companies furthest behind", async (t) => {
  const { service, look } = await watch(t, { workers: true, SWEEP_INTERVAL_MS: '100' })
  await eventually(
    'nothing lags',
    async () => valueOf(await look(), 'employee_ledger_projection_lag_events', { projection: 'employees' }) === 0,
  )
  const companies = [service.company]
  for (let at = 0; at < 6; at += 1) companies.push(await service.makeCompany(`Other ${at}`))
  await eventually(
    'all is folded',
    async () => valueOf(await look(), 'employee_ledger_projection_lag_events', { projection: 'employees' }) === 0,
  )
  // Parked companies stay behind.
  await service.db
    .updateTable('checkpoints')
    .set({ parked_at: new Date().toISOString() })
    .where('projection', '=', 'employees')
    .execute()
  for (const [at, company] of companies.entries()) {
    for (let calls = 0; calls <= at; calls += 1)
      await service.call('POST', '/v1/employees', { key: company.key, body: employee() })
  }
  const samples = await look()
  const of = (name: string, labels = {}) =>
    valueOf(samples, `employee_ledger_projection_${name}`, { projection: 'employees', ...labels })
  t.equal(of('lag_events'), 2 * (1 + 2 + 3 + 4 + 5 + 6 + 7))
  const seconds = async () =>
    valueOf(await look(), 'employee_ledger_projection_lag_seconds', { projection: 'employees' })
  await eventually('the oldest event is a second old', async () => (await seconds()) >= 1)
  t.equal(of('lagging_companies'), 7)
  t.equal(of('parked_companies'), 7)
  t.equal(of('complete'), 1)
  const named = samples.filter(
    ({ name, labels }) =>
      name === 'employee_ledger_projection_company_lag_events' && labels['projection'] === 'employees',
  )
  t.strictSame(
    named.map(({ labels }) => labels['company']),
    companies
      .slice(2)
      .map(({ id }) => id)
      .toReversed(),
  )
  t.equal(of('company_lag_events', { company: companies[6]!.id }), 14)
  t.ok(
    samples.some(
      ({ name, labels }) => name === 'employee_ledger_queue_jobs' && labels['queue'] === 'project-employees',
    ),
  )
})

await t.test(
  "recorded times ahead of the database's clock are exported, and how this machine's clock differs",
  async (t) => {
    const { service, look } = await watch(t, { workers: true })
    const ahead = async () => valueOf(await look(), 'employee_ledger_recorded_time_ahead_seconds')
    t.equal(await ahead(), 0)
    t.equal(valueOf(await look(), 'employee_ledger_database_clock_ahead_seconds'), 0, 'one machine has one clock')
    await service.pool.query(`update heads set recorded_at = '2200-01-01T00:00:00Z'`)
    const seconds = (Date.parse('2200-01-01T00:00:00Z') - Date.now()) / 1_000
    t.ok(Math.abs((await ahead()) - seconds) < 3_600)
    await service.call('POST', '/v1/employees', { body: employee() })
    t.ok((await ahead()) > 0, 'new events are ahead as well')
    t.equal(
      valueOf(await look(), 'employee_ledger_projection_lag_seconds', { projection: 'employees' }),
      0,
      'future times do not lag',
    )
  },
)

await t.test('events that cannot be folded, checkpoints and the process itself are counted', async (t) => {
  const { service, look } = await watch(t, { workers: true, SWEEP_INTERVAL_MS: '100', CHECKPOINT_INTERVAL_MS: '100' })
  await eventually('checkpoints are recorded', async () => {
    const samples = await look()
    return valueOf(samples, 'employee_ledger_checkpoint_last_success_timestamp_seconds') > 0
  })
  const folded = (samples: Sample[]) =>
    valueOf(samples, 'employee_ledger_projection_batch_duration_seconds_count', { projection: 'employees' })
  await eventually('batches are folded', async () => folded(await look()) > 0)
  await asSuperuser(service.urls.superUrl, `update events set type = 'Unknown' || type`)
  await service.db.updateTable('checkpoints').set({ position: 0, parked_at: null }).execute()
  await eventually(
    'a failure is counted',
    async () => valueOf(await look(), 'employee_ledger_projection_failures_total', { projection: 'employees' }) > 0,
  )
  const samples = await look()
  t.equal(valueOf(samples, 'employee_ledger_database_up'), 1)
  t.equal(valueOf(samples, 'employee_ledger_build_info', { node: process.versions.node }), 1)
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'employee_ledger_checkpoint_failures_total',
  ]) {
    t.ok(
      samples.some((sample) => sample.name === name),
      name,
    )
  }
})

await t.test('only counters end in _total, as Prometheus has it', async (t) => {
  const { url } = await watch(t)
  const named = Object.entries(await readTypes(url)).filter(([name]) => name.endsWith('_total'))
  t.strictSame(
    named.filter(([, type]) => type !== 'counter'),
    [],
  )
  t.ok(named.length > 5)
})

await t.test('erased people are counted, once each', async (t) => {
  const { service, address, look } = await watch(t)
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const removed = await service.makeCompany('Other')
  const as = (company: typeof removed) => ({ authorization: `Bearer ${company.admin.token}` })
  const erase = () =>
    send(address, 'POST', '/admin/v1/erasures', {
      headers: as(service.company),
      body: { employee_id: body.employees[0].id },
    })
  t.strictSame([(await erase()).status, (await erase()).status], [200, 404])
  const user = `/admin/v1/users/${removed.member.user_id}`
  t.equal((await send(address, 'DELETE', user, { headers: as(removed) })).status, 204)
  t.equal((await send(address, 'POST', `${user}/erase`, { headers: as(removed) })).status, 200)
  await send(address, 'POST', `${user}/erase`, { headers: as(removed) })
  const samples = await look()
  for (const kind of ['employee', 'user'])
    t.equal(valueOf(samples, 'employee_ledger_erasures_total', { of: kind }), 1, kind)
})

await t.test("the job queues' connections are counted apart from the program's own", async (t) => {
  const { look } = await watch(t, { workers: true })
  const samples = await look()
  for (const pool of ['wake-ups', 'jobs']) {
    const states = samples.filter(
      ({ name, labels }) => name === 'employee_ledger_pool_connections' && labels['pool'] === pool,
    )
    t.ok(states.reduce((sum, { value }) => sum + value, 0) >= 1, pool)
    t.ok(samples.some(({ name, labels }) => name === 'employee_ledger_pool_waiting' && labels['pool'] === pool))
  }
})

await t.test('while the database does not answer, the other values are still exported', async (t) => {
  const { service, look } = await watch(t, { workers: true })
  await eventually('it answers', async () => valueOf(await look(), 'employee_ledger_database_up') === 1)
  await asSuperuser(service.urls.superUrl, 'alter table checkpoints rename to gone')
  const samples = await look()
  t.equal(valueOf(samples, 'employee_ledger_database_up'), 0)
  t.notOk(
    samples.some(({ name }) => name === 'employee_ledger_projection_lag_events'),
    'no stale values',
  )
  t.ok(samples.some(({ name }) => name === 'process_resident_memory_bytes'))
})

await t.test('the metrics port serves nothing else, and is closed unless it is set', async (t) => {
  const service = await startService(t)
  const metrics = createMetrics()
  t.equal(await startMetrics(service.config, metrics), null)
  const listener = (await startMetrics({ ...service.config, METRICS_PORT: 0 }, metrics))!
  t.teardown(listener.stop)
  const base = new URL(listener.url).origin
  t.equal((await fetch(`${base}/livez`)).status, 200)
  t.equal((await fetch(`${base}/v1/employees`)).status, 404)
  t.equal((await fetch(listener.url, { method: 'POST' })).status, 404)
  t.equal((await service.call('GET', '/metrics', { key: null })).status, 404, "the API's port does not serve them")
})
