import { readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { makeDataDir, startServer, startWorker } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { employee, send, startService } from '../support/service.ts'
import { startCollector } from '../support/processes/trace-collector.ts'

/* Tracing costs nothing when it is off, and a collector that is down or does not answer affects nobody. */

const service = await startService(t)
const settings = {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: makeDataDir(t),
  SIGNING_KEY: service.config.SIGNING_KEY!,
  LOG_LEVEL: 'debug',
  SWEEP_INTERVAL_MS: '100',
}
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const noted = async () => (await service.pool.query('select traceparent from event_traces')).rows

/** Makes calls to a process, one after the other. */
async function makeCalls(t: Test, address: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const headers = { traceparent: TRACEPARENT }
    const { status } = await send(address, 'POST', '/v1/employees', {
      key: service.company.key,
      body: employee(),
      headers,
    })
    t.equal(status, 201)
  }
}

/** All files that an API and a worker in one process load. */
async function loadedBy(t: Test, more: Record<string, string>): Promise<{ modules: string[]; log: string }> {
  const list = path.join(path.dirname(makeDataDir(t)), 'loaded')
  const recording = { NODE_OPTIONS: '--import ./test/support/processes/loaded-modules.ts', LOADED_MODULES_FILE: list }
  const migrating = { MIGRATE_DATABASE_URL: service.urls.ownerUrl }
  const server = await startServer(t, ['start'], { ...settings, ...migrating, ...recording, ...more })
  await makeCalls(t, server.address, 1)
  await eventually('it is folded', () => isCaughtUp(service.db))
  const { exitCode, stderr } = await server.end('SIGTERM')
  t.equal(exitCode, 0)
  return { modules: readFileSync(list, 'utf8').split('\n'), log: stderr }
}

const isTracing = (file: string) => /@opentelemetry\/(?!api\/)|src\/observe\/tracing\/open-tracing/.test(file)

await t.test('when off, nothing is loaded, stored or logged', async (t) => {
  const { modules, log } = await loadedBy(t, {})
  t.ok(
    modules.some((file) => file.includes('node_modules/fastify/')),
    'loaded files are listed',
  )
  // @opentelemetry/api alone, which does nothing by itself, comes with the Prometheus client.
  t.strictSame(modules.filter(isTracing), [])
  t.strictSame(await noted(), [])
  t.notMatch(log, /trace_id|0af7651916cd43dd8448eb211c80319c/)
})

await t.test('when on, it is loaded, which proves the test before', async (t) => {
  const { endpoint, spans } = await startCollector(t)
  const { modules } = await loadedBy(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  t.ok(modules.some(isTracing))
  t.equal((await noted()).length, 1)
  t.equal(
    spans.filter(({ traceId }) => TRACEPARENT.includes(traceId)).length,
    6,
    'the last spans are sent before it ends',
  )
})

/**
 * Makes calls to an API and a worker whose collector fails, and stops both: neither is delayed, and each says so
 * once.
 */
async function disturbsNobody(t: Test, endpoint: string): Promise<void> {
  const on = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
  const api = await startServer(t, ['serve'], on)
  const worker = await startWorker(t, on)
  await makeCalls(t, api.address, 40)
  await eventually('all is folded', () => isCaughtUp(service.db))
  for (const { exitCode, stderr } of await Promise.all([api.end('SIGTERM'), worker.end('SIGTERM')])) {
    t.equal(exitCode, 0)
    t.equal(stderr.match(/could not export traces/g)?.length, 1)
    // Logged when a part is still running after SHUTDOWN_TIMEOUT_MS.
    t.notMatch(stderr, /cut off|failed to stop/)
  }
}

await t.test('with the collector down, calls and folds continue and the stop is clean', async (t) => {
  await disturbsNobody(t, 'http://127.0.0.1:1')
})

await t.test('a collector that never answers delays no call, no fold and no stop', async (t) => {
  const collector = await startCollector(t, { hangs: true })
  await disturbsNobody(t, collector.endpoint)
  t.ok(collector.bodies.length > 0, 'something was sent')
})
