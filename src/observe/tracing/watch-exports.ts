import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { ExportResultCode } from '@opentelemetry/core'

/** Wraps an exporter to report failed exports. */
export function watchExports(exporter: SpanExporter, onError: (error: Error) => void): SpanExporter {
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
export function throttle(onError: (error: Error) => void): (error: Error) => void {
  let quietUntil = -Infinity
  return (error) => {
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + QUIET_MS
    onError(error)
  }
}
