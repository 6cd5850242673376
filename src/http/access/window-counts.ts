/** Counts by key, such as calls, or wrong passwords for an email address, in windows of fixed length. */
export interface WindowCounts {
  /** Seconds until another attempt with a key is allowed, at least 1; 0 if it is allowed now. */
  secondsToWait(key: string): number
  /** Begins an attempt, which counts as a failure until it ends. Returns a function that ends it; call it once. */
  begin(key: string): (hasFailed: boolean) => void
}

interface Window {
  failures: number
  running: number
  endsAt: number
}

/**
 * Allows at most `max` failures per key in a window that starts with the first attempt. At most `kept` windows are
 * stored; beyond that, the oldest is dropped. Keys without failures are not stored. `now` returns milliseconds.
 */
export function createWindowCounts(options: {
  max: number
  windowMs: number
  kept: number
  now?: () => number
}): WindowCounts {
  const { max, windowMs, kept, now = () => performance.now() } = options
  // Ordered by end time.
  const windows = new Map<string, Window>()

  function find(key: string): Window | undefined {
    const window = windows.get(key)
    if (!window || window.endsAt > now()) return window
    windows.delete(key)
    return window.running > 0 ? open(key, window.running) : undefined
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
      // Running attempts will end shortly.
      return failures + running >= max ? 1 : 0
    },
    begin(key) {
      const begun = find(key) ?? open(key, 0)
      begun.running += 1
      return (hasFailed) => {
        // The window may have ended or been dropped since the attempt began.
        const current = find(key) ?? (hasFailed ? open(key, 1) : undefined)
        if (!current) return
        current.running = Math.max(0, current.running - 1)
        if (hasFailed) current.failures += 1
        else if (current.failures + current.running === 0) windows.delete(key)
      }
    },
  }
}
