import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Looks at once, and again `intervalMs` after each look, until it is stopped. Logs `failure` if a look throws. */
export function watch(
  look: () => Promise<void>,
  { log, intervalMs, failure }: { log: Logger; intervalMs: number; failure: string },
): { stop(): Promise<void> } {
  const stopped = new AbortController()

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      await look().catch((error: unknown) => log.warn({ err: error }, failure))
      await pause(intervalMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
