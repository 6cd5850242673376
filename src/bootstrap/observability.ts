import type { Logger } from 'pino'
import program from '../../package.json' with { type: 'json' }
import type { Config } from '../config.ts'
import { createMetrics, type Metrics } from '#observe/metrics/metrics'
import { startMetricsListener } from '#observe/metrics/metrics-listener'
import type { Tracing } from '#observe/tracing/tracing'
import { openTracingIfConfigured } from '#observe/tracing/wanted-tracing'
import { makeListenError } from '#postgres/listen-error'
import { lastMigration } from '#migration/migrate'
import type { RunningPart } from './running-part.ts'

/** Serves the metrics of this process on METRICS_PORT. Returns null when METRICS_PORT is unset. */
export async function startMetrics(config: Config, metrics: Metrics): Promise<(RunningPart & { url: string }) | null> {
  const { METRICS_PORT: port, METRICS_HOST: host } = config
  if (port === undefined) return null
  const build = { version: program.version, node: process.versions.node, migration: await lastMigration() }
  return startMetricsListener(metrics, { host, port }, build).catch((error: unknown) => {
    throw makeListenError(error, 'METRICS_PORT', config)
  })
}

/** Opens what all parts of a process report to. `tracing` is null unless OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export async function openObservability(
  config: Config,
  log: Logger,
): Promise<{ metrics: Metrics; tracing: Tracing | null }> {
  const onError = (error: Error) => log.warn({ err: error }, 'could not export traces; nothing else is affected')
  return { metrics: createMetrics(), tracing: await openTracingIfConfigured(config, program, onError) }
}
