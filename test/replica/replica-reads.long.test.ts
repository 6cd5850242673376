import { pino } from 'pino'
import t, { type Test } from 'tap'
import { openMetrics } from '../../src/observe/metrics/metrics.ts'
import { startApi } from '../../src/bootstrap/api.ts'
import { startMetrics } from '../../src/bootstrap/observability.ts'
import { readConfig } from '../../src/config.ts'
import { eventually } from '../support/eventually.ts'
import { openEventStream } from '../support/http/event-stream.ts'
import { readSamples, valueOf } from '../support/processes/metrics.ts'
import { employee, send, type TestCompany } from '../support/service.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { startReplicated } from '../support/postgres/standby.ts'

/* Reading from a real streaming standby: which reads go there, and that no answer differs. */

const replicated = await startReplicated(t)
const { service, line, standby, replicaUrl, pause, resume, followed } = replicated
const { company } = service
/** Longer than any test: only its position shows that the standby is behind. */
const FOR_EVER = '3600000'

interface Reading {
  address: string
  /** How many reads went to a server, for a reason. */
  reads(place: string, reason: string): Promise<number>
  get(path: string, of?: TestCompany): ReturnType<typeof send>
  isUsable(): Promise<boolean>
}

/** Another API process on the same database, which reads from the standby. */
async function startReading(t: Test, settings: Record<string, string> = {}): Promise<Reading> {
  const environment = {
    DATABASE_URL: service.urls.serviceUrl,
    READ_DATABASE_URL: replicaUrl,
    SIGNING_KEY: service.config.SIGNING_KEY!,
    DATA_DIR: service.config.DATA_DIR,
  }
  const config = readConfig({
    ...environment,
    PORT: '0',
    METRICS_PORT: '0',
    READ_STALENESS_MS: FOR_EVER,
    STREAM_HEARTBEAT_MS: FOR_EVER,
    ...settings,
  })
  const metrics = openMetrics()
  const store = { ...service, close: async () => undefined }
  const api = await startApi({ config, urls: service.urls, store, log: pino({ level: 'silent' }), metrics })
  t.teardown(api.stop)
  const listener = (await startMetrics(config, metrics))!
  t.teardown(listener.stop)
  const look = () => readSamples(listener.url)
  const isUsable = async () => valueOf(await look(), 'employee_ledger_replica_usable') === 1
  await eventually('the standby is read', isUsable)
  return {
    address: api.address,
    isUsable,
    reads: async (place, reason) => valueOf(await look(), 'employee_ledger_reads_total', { place, reason }),
    get: (path, of = company) =>
      send(api.address, 'GET', path, { headers: { authorization: `Bearer ${of.admin.token}` } }),
  }
}

async function makeEntry(of = company) {
  const { body } = await service.call('POST', '/v1/employees', { key: of.key, body: employee() })
  await service.project(of.id)
  return { logId: body.log_id as string, employeeId: body.employees[0].id as string }
}

const first = await makeEntry()
// Sign in while only one company has this e-mail address.
const cookie = await cookieOf(service, company.admin)
const other = await service.makeCompany('Other')
const ofOther = await makeEntry(other)
await followed()

const READS = [
  '/admin/v1/bulk-user-logs',
  `/admin/v1/bulk-user-logs/${first.logId}`,
  `/admin/v1/bulk-user-logs/${first.logId}/records`,
  '/admin/v1/bulk-user-logs.csv',
  `/admin/v1/bulk-user-logs/${first.logId}/records.csv`,
  '/admin/v1/usage',
  '/audit/v1/events',
  '/audit/v1/events?format=proof',
  `/audit/v1/employees/${first.employeeId}`,
  `/audit/v1/employees/${first.employeeId}/history`,
]
const PAGES = [
  '/settings/bulk-user-logs',
  `/settings/bulk-user-logs/${first.logId}`,
  `/settings/bulk-user-logs/${first.logId}/records/0`,
  '/settings/usage',
  '/settings/events',
  '/settings/events/1',
  '/settings/employees?q=nobody',
  `/settings/employees/${first.employeeId}`,
]

await t.test(
  'the admin and audit endpoints and pages read from the standby, and answer like the primary',
  async (t) => {
    const { get, reads, address } = await startReading(t)
    for (const path of READS) {
      t.strictSame(
        (await get(path)).body,
        (await send(service.address, 'GET', path, { headers: { authorization: `Bearer ${company.admin.token}` } }))
          .body,
        path,
      )
    }
    for (const path of PAGES) t.equal((await browse({ address }, path, { cookie })).status, 200, path)
    t.equal(await reads('replica', 'current'), READS.length + PAGES.length)
    for (const reason of ['unusable', 'behind', 'failed']) t.equal(await reads('primary', reason), 0, reason)
  },
)

await t.test(
  'writers see their own writes at once, while companies without new ones are still read from the standby',
  async (t) => {
    const { get, reads } = await startReading(t)
    await pause()
    t.teardown(resume)
    const { logId, employeeId } = await makeEntry()
    t.equal((await get('/admin/v1/bulk-user-logs')).body.items[0].id, logId)
    const { body: events } = await get('/audit/v1/events')
    t.equal(
      (await get(`/audit/v1/employees/${employeeId}?at=${events.at(-1).position}`)).status,
      200,
      'a position known to a client',
    )
    t.equal((await service.manage('POST', '/erasures', { employee_id: employeeId })).status, 200)
    t.match(await get(`/audit/v1/employees/${employeeId}`), { status: 404 }, 'erased people are gone at once')
    t.equal(await reads('primary', 'behind'), 4)
    t.equal(await reads('replica', 'current'), 0)
    t.equal((await get('/admin/v1/bulk-user-logs', other)).body.items[0].id, ofOther.logId)
    t.equal(await reads('replica', 'current'), 1)
    await resume()
    await followed()
    await get('/admin/v1/bulk-user-logs')
    t.equal(await reads('replica', 'current'), 2)
  },
)

await t.test('a live stream sends events that the standby lacks, at once and each once', async (t) => {
  const { address } = await startReading(t)
  const headers = { authorization: `Bearer ${company.admin.token}` }
  const logs = await openEventStream(t, `${address}/admin/v1/bulk-user-logs/stream`, headers)
  const events = await openEventStream(t, `${address}/audit/v1/events/stream`, headers)
  await pause()
  t.teardown(resume)
  const made = await makeEntry()
  t.equal((await logs.next())!.data.id, made.logId)
  const before = [(await events.next())!, (await events.next())!]
  await resume()
  const next = await makeEntry()
  t.equal((await logs.next())!.data.id, next.logId)
  const after = [(await events.next())!, (await events.next())!]
  const positions = [...before, ...after].map(({ data }) => data.position as number)
  t.strictSame(
    positions,
    Array.from({ length: 4 }, (_, at) => positions[0]! + at),
  )
})

await t.test(
  'a standby further behind than the bound is not read, and one whose primary is idle is not behind',
  async (t) => {
    const { get, reads, isUsable } = await startReading(t, { READ_STALENESS_MS: '400' })
    await pause()
    t.teardown(resume)
    await makeEntry()
    await eventually('it is too far behind', async () => !(await isUsable()))
    t.equal((await get('/admin/v1/bulk-user-logs', other)).status, 200)
    t.ok((await reads('primary', 'unusable')) > 0)
    await resume()
    await eventually('it is read again', isUsable)
    // Write nothing for longer than the bound.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await eventually('it is still read', isUsable)
  },
)

await t.test('when a standby dies no call fails, and it is read again when it is back', async (t) => {
  const { get, reads, isUsable } = await startReading(t)
  const over = new AbortController()
  let answered = 0
  const client = async () => {
    while (!over.signal.aborted) {
      for (const path of READS) {
        const { status } = await get(path)
        if (status !== 200) throw new Error(`${path} was answered with ${status}`)
        answered += 1
      }
    }
  }
  const clients = Promise.all([client(), client(), client()])
  await eventually('it is read', async () => (await reads('replica', 'current')) > READS.length)
  await standby.kill('SIGQUIT')
  await eventually('it is not read', async () => !(await isUsable()))
  const then = answered
  await eventually('calls are answered without it', async () => answered > then + READS.length)
  await standby.start()
  await eventually('it is read again', isUsable)
  const before = await reads('replica', 'current')
  await eventually('calls go there', async () => (await reads('replica', 'current')) > before)
  over.abort()
  await clients
  t.ok(answered > 0)
})

await t.test('a silent standby makes nobody wait for its time-outs', async (t) => {
  const { get, isUsable } = await startReading(t)
  line.silence(true)
  t.teardown(() => line.silence(false))
  for (const path of READS) t.equal((await get(path)).status, 200, path)
  await eventually('it is not read', async () => !(await isUsable()))
  line.silence(false)
  await eventually('it is read again', isUsable)
})
