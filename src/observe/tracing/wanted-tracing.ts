import type { SamplerName, Tracing } from './tracing.ts'

/** The settings of tracing, as defined by OpenTelemetry. */
interface TracingSettings {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string
  OTEL_EXPORTER_OTLP_HEADERS?: string
  OTEL_SERVICE_NAME?: string
  OTEL_RESOURCE_ATTRIBUTES?: string
  OTEL_TRACES_SAMPLER: SamplerName
  OTEL_TRACES_SAMPLER_ARG: number
}

/** Starts tracing if a collector is configured. Otherwise returns null and does not load OpenTelemetry's SDK. */
export async function openTracingIfConfigured(
  settings: TracingSettings,
  service: { name: string; version: string },
  onError: (error: Error) => void,
): Promise<Tracing | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings
  if (endpoint === undefined) return null
  const { openTracing } = await import('./open-tracing.ts')
  return openTracing({
    endpoint,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    service,
    serviceName: settings.OTEL_SERVICE_NAME,
    resourceAttributes: settings.OTEL_RESOURCE_ATTRIBUTES,
    sampler: settings.OTEL_TRACES_SAMPLER,
    samplerRatio: settings.OTEL_TRACES_SAMPLER_ARG,
    onError,
  })
}
