/** Sweeps at once, at every interval, and when it is asked for; never twice at a time. */
export function startSweep(task: () => Promise<void>, intervalMs: number, onError: (error: unknown) => void) {
  let sweeping: Promise<void> | undefined
  const sweep = () => {
    sweeping ??= task()
      .catch(onError)
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
