import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { ExportResultCode } from '@opentelemetry/core'

/** An exporter that tells of batches that could not be handed over. */
export function watchExports(exporter: SpanExporter, onFault: (error: Error) => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) onFault(result.error ?? new Error('the collector took no spans'))
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

/** While a collector is away, every batch fails: one line in so long says enough. */
const QUIET_MS = 60_000

/** Passes on the first fault, and then no other for a while. */
export function nowAndThen(onFault: (error: Error) => void): (error: Error) => void {
  let quietUntil = -Infinity
  return (error) => {
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + QUIET_MS
    onFault(error)
  }
}
