/** Counts failed attempts by key, such as passwords by e-mail address, in fixed windows. */
export interface FailureCounts {
  /** Seconds until the next attempt is allowed, at least 1; 0 if allowed now. */
  secondsToWait(key: string): number
  /** Begins an attempt, which counts as a failure until it ends. Returns a function to end it, once. */
  begin(key: string): (hasFailed: boolean) => void
}

interface Window {
  failures: number
  running: number
  endsAt: number
}

/**
 * Allows at most `max` failures of each key in a window that starts with its first attempt. Beyond `kept` keys, the
 * oldest window is dropped; keys without failures are not kept. `now` returns milliseconds.
 */
export function openFailureCounts(options: {
  max: number
  windowMs: number
  kept: number
  now?: () => number
}): FailureCounts {
  const { max, windowMs, kept, now = () => performance.now() } = options
  // In the order in which they expire.
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
      // Attempts in progress finish soon.
      return failures + running >= max ? 1 : 0
    },
    begin(key) {
      const begun = find(key) ?? open(key, 0)
      begun.running += 1
      return (hasFailed) => {
        // A different window if the first one has expired or was dropped.
        const current = find(key) ?? (hasFailed ? open(key, 1) : undefined)
        if (!current) return
        current.running = Math.max(0, current.running - 1)
        if (hasFailed) current.failures += 1
        else if (current.failures + current.running === 0) windows.delete(key)
      }
    },
  }
}
