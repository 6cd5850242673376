import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseKeyPairsIntoRecord, setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  type Sampler,
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { createBeginTrace } from './begin-trace.ts'
import { traceAppends, createFoldTracer } from './trace-appends.ts'
import type { TracedProgram, Tracing, TracingSettings } from './tracing.ts'

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
export function openTracing(
  endpoint: string,
  settings: TracingSettings,
  program: TracedProgram,
  report: (error: Error) => void,
): Tracing {
  const onError = throttle(report)
  // Gets failed exports. The OTLP exporter fails with errors only.
  setGlobalErrorHandler((error) => onError(error as Error))
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: parseKeyPairsIntoRecord(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: EXPORTS_AT_ONCE,
  })
  const spans = new BatchSpanProcessor({
    exporter,
    maxQueueSize: SPANS_WAITING,
    maxExportBatchSize: SPANS_AT_ONCE,
    scheduledDelayMillis: DELAY_MS,
    exportTimeoutMillis: 2 * EXPORT_MS,
  })
  const provider = new TracerProvider({
    sampler: createSampler(settings),
    spanLimits: { linkCountLimit: LINKS },
    resource: buildResource(settings, program),
    spanProcessors: [spans],
  })
  const tracer = provider.getTracer(program.name, program.version)
  return {
    beginTrace: createBeginTrace(tracer),
    ...traceAppends(tracer),
    foldTracer: (db) => createFoldTracer(tracer, db, onError),
    async stop() {
      const isOver = provider.shutdown().catch(onError)
      const isInTime = await Promise.race([isOver.then(() => true), pause(LAST_EXPORT_MS, false)])
      if (!isInTime) onError(new Error('the collector did not accept the last spans in time'))
    },
  }
}

/** The attributes of this process. Settings override the known values. */
function buildResource(
  { OTEL_SERVICE_NAME: serviceName, OTEL_RESOURCE_ATTRIBUTES: more }: TracingSettings,
  program: TracedProgram,
) {
  const attributes = {
    'service.name': program.name,
    'service.version': program.version,
    'service.instance.id': randomUUID(),
  }
  const named = serviceName === undefined ? {} : { 'service.name': serviceName }
  return defaultResource().merge(resourceFromAttributes({ ...attributes, ...parseKeyPairsIntoRecord(more), ...named }))
}

/** What a caller that sends no trace gets; `parentbased_…`: one that sends a trace decides. */
function createSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingSettings) {
  const roots: Record<string, Sampler> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(ratio),
  }
  const rootName = name.replace(/^parentbased_/, '')
  const root = roots[rootName]!
  return rootName === name ? root : new ParentBasedSampler({ root })
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
