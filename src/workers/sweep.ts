import type { Logger } from 'pino'

/** Sweeps at once, at every interval, and when it is asked for; never twice at a time. Logs an error as this fault. */
export function startSweep(task: () => Promise<void>, intervalMs: number, log: Logger, fault: string) {
  let sweeping: Promise<void> | undefined
  const sweep = () => {
    sweeping ??= task()
      .catch((error: unknown) => log.warn({ err: error }, fault))
      .finally(() => (sweeping = undefined))
  }
  sweep()
  const timer = setInterval(sweep, intervalMs)
  return {
    sweep,
    /** Stops, and waits for a sweep that is under way. */
    async stop() {
      clearInterval(timer)
      await sweeping
    },
  }
}
