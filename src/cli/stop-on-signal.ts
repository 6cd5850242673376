import type { Logger } from 'pino'

// A terminal sends Ctrl-C to npm and to us, and npm passes it on: the same key arrives twice within a moment.
const SAME_KEY_MS = 1_000

/**
 * Stops the program on SIGTERM, SIGINT or SIGHUP, or when something throws that nobody caught; it exits with 0 after a
 * signal and with 1 otherwise. Stopping that takes too long, or a second signal, ends it at once.
 * A signal that comes while the program is still starting is kept until `ready`.
 */
export function stopOnSignal(stop: () => Promise<void>, timeoutMs: number, log: Logger): { ready(): void } {
  let firstSignalAt: number | undefined
  let isReady = false
  let isStopping = false

  async function finish(exitCode: number): Promise<void> {
    if (isStopping) return
    isStopping = true
    const timer = setTimeout(() => {
      log.error(`stopping took longer than ${timeoutMs} ms`)
      process.exit(1)
    }, timeoutMs)
    try {
      await stop()
      clearTimeout(timer)
      process.exit(exitCode)
    } catch (error) {
      log.error({ err: error }, 'stopping failed')
      process.exit(1)
    }
  }

  function onSignal(): void {
    const now = performance.now()
    if (firstSignalAt !== undefined && now - firstSignalAt > SAME_KEY_MS) process.exit(1)
    firstSignalAt ??= now
    if (isReady) void finish(0)
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, event)
      void finish(1)
    })
  }
  return {
    ready() {
      isReady = true
      if (firstSignalAt !== undefined) void finish(0)
    },
  }
}
