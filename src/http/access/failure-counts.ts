/** Tries with a key that may fail, such as passwords with an e-mail address, in windows of the same length. */
export interface FailureCounts {
  /** Seconds until another try with a key is let in, at least 1; 0 when one is let in now. */
  secondsToWait(key: string): number
  /** Begins a try, which counts as a failure until it has ended. Returns how to end it, once. */
  begin(key: string): (hasFailed: boolean) => void
}

interface Window {
  failures: number
  running: number
  endsAt: number
}

/**
 * Counts at most `max` failures of each key in a window that begins with its first try. Of keys beyond `kept` the oldest
 * window is forgotten; a key without failures is not kept at all. `now` tells milliseconds.
 */
export function openFailureCounts(options: {
  max: number
  windowMs: number
  kept: number
  now?: () => number
}): FailureCounts {
  const { max, windowMs, kept, now = () => performance.now() } = options
  // In the order in which they end.
  const windows = new Map<string, Window>()

  function find(key: string): Window | undefined {
    const found = windows.get(key)
    if (!found || found.endsAt > now()) return found
    windows.delete(key)
    return found.running > 0 ? open(key, found.running) : undefined
  }

  function open(key: string, running: number): Window {
    const opened = { failures: 0, running, endsAt: now() + windowMs }
    windows.set(key, opened)
    if (windows.size > kept) windows.delete(windows.keys().next().value!)
    return opened
  }

  return {
    secondsToWait(key) {
      const { failures, running, endsAt } = find(key) ?? { failures: 0, running: 0, endsAt: 0 }
      if (failures >= max) return Math.max(1, Math.ceil((endsAt - now()) / 1_000))
      // Whether those that run count is known in a moment.
      return failures + running >= max ? 1 : 0
    },
    begin(key) {
      const begun = find(key) ?? open(key, 0)
      begun.running += 1
      return (hasFailed) => {
        // Another one when its window has ended, or was forgotten.
        const current = find(key) ?? (hasFailed ? open(key, 1) : undefined)
        if (!current) return
        current.running = Math.max(0, current.running - 1)
        if (hasFailed) current.failures += 1
        else if (current.failures + current.running === 0) windows.delete(key)
      }
    },
  }
}
