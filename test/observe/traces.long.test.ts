import { randomBytes } from 'node:crypto'
import t from 'tap'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { makeDataDir, startServer, startWorker } from '../support/processes/cli.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { readSamples, valueOf } from '../support/processes/metrics.ts'
import { employee, send, startService } from '../support/service.ts'
import { startCollector, type CollectedSpan } from '../support/processes/trace-collector.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { holdHead, letGo } from '../support/postgres/held-rows.ts'

/* Traces of real processes: an API and a worker, whose spans a collector puts together. */

const service = await startService(t)
const { company } = service
const collector = await startCollector(t)
const settings = {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: makeDataDir(t),
  SIGNING_KEY: service.config.SIGNING_KEY!,
  LOG_LEVEL: 'debug',
  METRICS_PORT: '0',
  SWEEP_INTERVAL_MS: '100',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary-of-the-collector',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=not this one',
  OTEL_SERVICE_NAME: 'ledger under test',
}
const api = await startServer(t, ['serve'], settings)
const metricsUrl = await api.prints(/metrics are at (http:\S+)/)
const worker = await startWorker(t, settings)

const SERVER = 2
const CLIENT = 3
const CONSUMER = 5
const FAILED = 2

function newTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex')
  const parentId = randomBytes(8).toString('hex')
  return { traceId, parentId, traceparent: `00-${traceId}-${parentId}-${flags}` }
}

const named = (spans: CollectedSpan[], name: string) => spans.filter((span) => span.name === name)
const one = (spans: CollectedSpan[], name: string) => named(spans, name)[0]!
const create = (traceparent: string, more = {}) =>
  send(api.address, 'POST', '/v1/employees', { key: company.key, body: employee(), headers: { traceparent, ...more } })

await t.test('a call is one trace: from its caller, through the append, to the folds in another process', async (t) => {
  const { traceId, parentId, traceparent } = newTrace()
  const { status, body, headers } = await create(traceparent, { 'x-request-id': 'request-4711' })
  t.equal(status, 201)
  const spans = await collector.trace(traceId, 6)
  t.strictSame(spans.map(({ name }) => name).toSorted(), [
    'POST /v1/employees',
    'append',
    'commit',
    'fold bulk-user-logs',
    'fold employees',
    'wait for lane',
  ])
  const http = one(spans, 'POST /v1/employees')
  const ids = { 'employee_ledger.company_id': company.id, 'employee_ledger.call_id': body.log_id }
  t.match(http, { kind: SERVER, parentSpanId: parentId })
  t.strictSame(http.attributes, {
    'http.request.method': 'POST',
    'http.route': '/v1/employees',
    'http.response.status_code': 201,
    'employee_ledger.request_id': 'request-4711',
    ...ids,
  })
  const append = one(spans, 'append')
  const position = Number(headers['x-ledger-position'])
  t.match(append, {
    parentSpanId: http.spanId,
    attributes: { ...ids, 'employee_ledger.records': 1, 'employee_ledger.position': position },
  })
  t.equal(one(spans, 'wait for lane').parentSpanId, append.spanId)
  const commit = one(spans, 'commit')
  t.match(commit, {
    kind: CLIENT,
    parentSpanId: append.spanId,
    links: [append.spanId],
    attributes: { 'employee_ledger.calls': 1 },
  })
  t.strictSame(append.links, [commit.spanId])
  for (const projection of ['employees', 'bulk-user-logs']) {
    const fold = one(spans, `fold ${projection}`)
    t.match(fold, { kind: CONSUMER, parentSpanId: append.spanId })
    t.match(fold.attributes, { 'employee_ledger.projection': projection, 'employee_ledger.company_id': company.id })
    t.not(fold.resource['service.instance.id'], append.resource['service.instance.id'], 'another process')
    t.match(fold.resource, { 'service.name': 'ledger under test', 'deployment.environment.name': 'test' })
  }
  t.equal(collector.headers[0]!.authorization, 'Bearer canary-of-the-collector')
})

await t.test('calls that share a commit keep their own traces, and the commit links to all of them', async (t) => {
  const traces = Array.from({ length: 6 }, () => newTrace())
  const held = await holdHead(service)
  const calls = traces.map(({ traceparent }) => create(traceparent))
  await eventually(
    'all calls wait',
    async () => valueOf(await readSamples(metricsUrl), 'employee_ledger_append_calls_pending') === 6,
  )
  await letGo(held)
  for (const { status } of await Promise.all(calls)) t.equal(status, 201)
  const ofTraces = () => collector.spans.filter(({ traceId }) => traces.some((trace) => trace.traceId === traceId))
  await eventually(
    'all are folded by both',
    async () => ofTraces().filter(({ name }) => name.startsWith('fold ')).length === 12,
  )
  await eventually('all are answered', async () => ofTraces().filter(({ kind }) => kind === SERVER).length === 6)
  const spans = ofTraces()
  const commits = new Map(named(spans, 'commit').map((commit) => [commit.spanId, commit]))
  t.ok(
    [...commits.values()].some(({ links }) => links.length > 1),
    'some shared one',
  )
  for (const append of named(spans, 'append')) {
    const commit = commits.get(append.links.at(-1)!)
    t.ok(commit?.links.includes(append.spanId), 'it and its commit link to each other')
  }
  for (const { traceId } of traces)
    t.equal(named(spans, 'fold employees').filter((span) => span.traceId === traceId).length, 1)
})

await t.test('the caller decides whether a call is traced; without a valid header, a new trace starts', async (t) => {
  const { rows: before } = await service.pool.query('select count(*) from event_traces')
  const unwanted = newTrace('00')
  t.equal((await create(unwanted.traceparent)).status, 201)
  const { rows: after } = await service.pool.query('select count(*) from event_traces')
  t.strictSame(after, before, 'uncollected traces are not stored')
  const requestId = `bent-${randomBytes(8).toString('hex')}`
  await create('00-not-a-trace', { 'x-request-id': requestId })
  const http = await eventually('its span', async () =>
    collector.spans.find(({ attributes }) => attributes['employee_ledger.request_id'] === requestId),
  )
  t.equal(http.parentSpanId, undefined)
  t.equal((await collector.trace(http.traceId, 6)).length, 6)
  t.strictSame(
    collector.spans.filter(({ traceId }) => traceId === unwanted.traceId),
    [],
  )
})

await t.test("an administrator's change is traced from its request to the folds, too", async (t) => {
  const { traceId, traceparent } = newTrace()
  const headers = { traceparent, authorization: `Bearer ${company.admin.token}` }
  const body = { name: 'Another', quota_limit: 1, refresh_period: 'daily' }
  t.equal((await send(api.address, 'POST', '/admin/v1/api-keys', { headers, body })).status, 201)
  const spans = await collector.trace(traceId, 3)
  const http = one(spans, 'POST /admin/v1/api-keys')
  t.match(http.attributes, { 'employee_ledger.company_id': company.id, 'http.response.status_code': 201 })
  for (const projection of ['employees', 'bulk-user-logs'])
    t.equal(one(spans, `fold ${projection}`).parentSpanId, http.spanId)
})

await t.test('failures are shown by status and code; no span holds personal data or a secret', async (t) => {
  const canaries = [
    'Canaria',
    'canary@example.com',
    'CANARY-1',
    'canary-state',
    company.key.api_key,
    company.key.api_id,
    company.admin.token,
  ]
  const headers = (traceparent: string) => ({
    traceparent,
    tracestate: 'vendor=canary-state',
    'user-agent': 'Canaria',
    cookie: 'a=Canaria',
  })
  const body = employee({ first_name: 'Canaria', email: 'canary@example.com', external_id: 'CANARY-1' })
  const call = async (method: string, path: string, more: object) => {
    const { traceId, traceparent } = newTrace()
    const { status } = await send(api.address, method, path, {
      key: company.key,
      headers: headers(traceparent),
      ...more,
    })
    return { status, traceId }
  }
  t.equal((await call('POST', '/v1/employees', { body })).status, 201)
  t.equal((await call('POST', '/v1/employees', { body })).status, 409)
  t.equal((await call('PATCH', '/v1/employees/canary@example.com', { body: { first_name: 'Canaria' } })).status, 404)
  t.equal((await call('GET', '/Canaria?email=canary@example.com', {})).status, 404)
  t.equal((await call('GET', '/v1/employees?q=Canaria', {})).status, 200)
  t.equal((await call('GET', '/invitation?token=CANARY-1', {})).status, 404)
  await asSuperuser(
    service.urls.superUrl,
    `alter table employee_directory add constraint canary check (email <> 'canary2@example.com') not valid`,
  )
  const broken = await call('POST', '/v1/employees', {
    body: { ...body, email: 'canary2@example.com', external_id: null },
  })
  await asSuperuser(service.urls.superUrl, 'alter table employee_directory drop constraint canary')
  t.equal(broken.status, 500)
  // The append that fails, and the one that records the failure.
  const spans = await collector.trace(broken.traceId, 9)
  t.match(one(spans, 'POST /v1/employees'), { status: { code: FAILED }, attributes: { 'error.type': '500' } })
  t.match(
    named(spans, 'commit').find(({ status }) => status.code === FAILED),
    { attributes: { 'error.type': '23514' } },
  )
  t.match(
    named(spans, 'append').find(({ status }) => status.code === FAILED),
    { attributes: { 'error.type': 'UnstorableCallError' } },
  )
  const bodies = collector.bodies.join('\n')
  for (const canary of canaries) t.notOk(bodies.includes(canary), canary.slice(0, 8))
  t.ok(bodies.includes(company.id), 'the ids are there')
})

await t.test("events that cannot be folded fail in their call's trace", async (t) => {
  const other = await service.makeCompany('Other')
  await eventually('the worker is done', () => isCaughtUp(service.db))
  await service.db.updateTable('checkpoints').set({ parked_at: new Date().toISOString() }).execute()
  const { traceId, traceparent } = newTrace()
  const { body } = await send(api.address, 'POST', '/v1/employees', {
    key: other.key,
    body: employee(),
    headers: { traceparent },
  })
  await asSuperuser(
    service.urls.superUrl,
    `update events set type = 'Unknown' || type where call_id = '${toUuid(body.log_id)}'`,
  )
  await service.db.updateTable('checkpoints').set({ parked_at: null }).execute()
  const spans = await collector.trace(traceId, 6)
  for (const projection of ['employees', 'bulk-user-logs']) {
    t.match(one(spans, `fold ${projection}`), {
      status: { code: FAILED },
      attributes: { 'error.type': 'UnfoldableError' },
    })
  }
  t.notOk(
    spans.some(({ status }) => status.message),
    'its message may quote stored data',
  )
})

await t.test('log lines have the ids of the request, the call, the company and the trace', async (t) => {
  const { traceId, traceparent } = newTrace()
  const { body } = await create(traceparent, { 'x-request-id': 'request-4712' })
  await collector.trace(traceId, 6)
  const { stderr, exitCode } = await api.end('SIGTERM')
  t.equal(exitCode, 0)
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const answered = lines.find(({ msg, reqId }) => msg === 'request completed' && reqId === 'request-4712')
  const http = collector.spans.find((span) => span.traceId === traceId && span.kind === SERVER)!
  t.match(answered, { companyId: company.id, callId: body.log_id, trace_id: traceId, span_id: http.spanId })
  t.match(
    lines.find(({ msg }) => msg === 'could not store a call'),
    { companyId: company.id, callId: /^log_/, trace_id: /^[0-9a-f]{32}$/, span_id: /^[0-9a-f]{16}$/ },
  )
  t.notOk(stderr.includes('canary-of-the-collector'))
  const ended = await worker.end('SIGTERM')
  const failed = ended.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find(({ projection }) => projection === 'employees')
  t.match(failed, { companyId: /^com_/, trace_id: /^[0-9a-f]{32}$/, span_id: /^[0-9a-f]{16}$/ })
})
