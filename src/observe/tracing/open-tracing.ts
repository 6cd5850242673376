import { randomUUID } from 'node:crypto'
import { ExportResultCode, parseKeyPairsIntoRecord } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { createBeginTrace } from './begin-trace.ts'
import { traceAppends } from './trace-appends.ts'
import { createFoldTracer } from './trace-folds.ts'
import type { SamplerName, Tracing, TracingOptions } from './tracing.ts'

/** Maximum spans that wait for export; further ones are dropped. */
const SPANS_WAITING = 4_096
const SPANS_AT_ONCE = 512
const DELAY_MS = 1_000
/** The timeout of one export. */
const EXPORT_MS = 5_000
const EXPORTS_AT_ONCE = 8
/** The timeout of the last export, so that a collector that does not answer cannot delay the shutdown for long. */
const LAST_EXPORT_MS = 2_000
/** As many as the calls that share a transaction by default. */
const LINKS = 500

/** Starts tracing. Import this file only if tracing is on, because it loads OpenTelemetry's SDK. */
export function openTracing(options: TracingOptions): Tracing {
  const onError = throttle(options.onError)
  const exporter = watchExports(
    new OTLPTraceExporter({
      url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
      headers: parseKeyPairsIntoRecord(options.headers),
      timeoutMillis: EXPORT_MS,
      concurrencyLimit: EXPORTS_AT_ONCE,
    }),
    onError,
  )
  const spans = new BatchSpanProcessor({
    exporter,
    maxQueueSize: SPANS_WAITING,
    maxExportBatchSize: SPANS_AT_ONCE,
    scheduledDelayMillis: DELAY_MS,
    exportTimeoutMillis: 2 * EXPORT_MS,
  })
  const provider = new TracerProvider({
    sampler: createSampler(options.sampler, options.samplerRatio),
    spanLimits: { linkCountLimit: LINKS },
    resource: buildResource(options),
    spanProcessors: [spans],
  })
  const tracer = provider.getTracer(options.service.name, options.service.version)
  return {
    beginTrace: createBeginTrace(tracer),
    ...traceAppends(tracer),
    foldTracer: (db) => createFoldTracer(tracer, db, onError),
    async stop() {
      // watchExports has reported any failure.
      const isOver = provider.shutdown().catch(() => undefined)
      if (!(await finishesWithin(LAST_EXPORT_MS, isOver)))
        onError(new Error('the collector did not accept the last spans in time'))
    },
  }
}

/** The attributes of this process. Settings override the known values. */
function buildResource({ service, serviceName, resourceAttributes }: TracingOptions): Resource {
  const attributes = {
    'service.name': service.name,
    'service.version': service.version,
    'service.instance.id': randomUUID(),
  }
  const named = serviceName === undefined ? {} : { 'service.name': serviceName }
  return defaultResource().merge(
    resourceFromAttributes({ ...attributes, ...parseKeyPairsIntoRecord(resourceAttributes), ...named }),
  )
}

function createSampler(name: SamplerName, ratio: number): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler()
    case 'always_off':
      return new AlwaysOffSampler()
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio)
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() })
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() })
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) })
  }
}

/** Waits for a task, up to a limit. Returns whether it finished in time. */
async function finishesWithin(limitMs: number, task: Promise<void>): Promise<boolean> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, limitMs, false)
  const isInTime = await Promise.race([task.then(() => true), timeIsUp])
  clearTimeout(timer)
  return isInTime
}

/** Wraps an exporter to report failed exports. */
function watchExports(exporter: SpanExporter, onError: (error: Error) => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED)
          onError(result.error ?? new Error('the collector did not accept spans'))
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

/** While the collector is down, every batch fails. Report this only once per interval. */
const QUIET_MS = 60_000

/** Passes on the first fault, and ignores others for a while. */
function throttle(onError: (error: Error) => void): (error: Error) => void {
  let quietUntil = -Infinity
  return (error) => {
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + QUIET_MS
    onError(error)
  }
}
