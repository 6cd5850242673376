import t from 'tap'
import type { TracingSettings } from '../../src/observe/tracing/tracing.ts'
import { openTracingIfConfigured } from '../../src/observe/tracing/wanted-tracing.ts'
import { startCollector } from '../support/processes/trace-collector.ts'

type SamplerName = TracingSettings['OTEL_TRACES_SAMPLER']

const { endpoint } = await startCollector(t)

/** Whether a request is collected if its caller sends no trace, a sampled one, or an unsampled one. */
async function collects(name: SamplerName, ratio = 1) {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }
  const tracing = (await openTracingIfConfigured(settings, { name: 'x', version: '1' }, () => undefined))!
  t.teardown(() => tracing.stop())
  const isCollected = (traceparent: string | undefined) => {
    const trace = tracing.beginTrace({ method: 'GET', route: '/', requestId: 'r', traceparent })
    trace.end({ status: 200 })
    return trace.traceparent !== null
  }
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'
  return [isCollected(undefined), isCollected(`${parent}-01`), isCollected(`${parent}-00`)]
}

const SAMPLERS: [SamplerName, number, boolean[]][] = [
  ['always_on', 1, [true, true, true]],
  ['always_off', 1, [false, false, false]],
  ['traceidratio', 1, [true, true, true]],
  ['traceidratio', 0, [false, false, false]],
  ['parentbased_always_on', 1, [true, true, false]],
  ['parentbased_always_off', 1, [false, true, false]],
  ['parentbased_traceidratio', 1, [true, true, false]],
  ['parentbased_traceidratio', 0, [false, true, false]],
]

for (const [name, ratio, expected] of SAMPLERS) {
  await t.test(
    `${name} of ${ratio}: without a caller's trace, with a sampled one, with an unsampled one`,
    async (t) => {
      t.strictSame(await collects(name, ratio), expected)
    },
  )
}

await t.test('without an endpoint there is no tracing', async (t) => {
  const settings = { OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: 1 } as const
  t.equal(await openTracingIfConfigured(settings, { name: 'x', version: '1' }, () => undefined), null)
})
