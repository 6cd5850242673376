import type { TracedProgram, Tracing, TracingSettings } from './tracing.ts'

/**
 * Starts tracing if a collector is configured. Otherwise returns null and does not load OpenTelemetry's SDK. `onError`
 * is called when exports fail, at most once a minute.
 */
export async function openTracingIfConfigured(
  settings: TracingSettings,
  program: TracedProgram,
  onError: (error: Error) => void,
): Promise<Tracing | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings
  if (endpoint === undefined) return null
  const { openTracing } = await import('./open-tracing.ts')
  return openTracing(endpoint, settings, program, onError)
}
