export type Level = 'ok' | 'warn' | 'fail'

/** What one look at the installation came to. */
export interface Finding {
  /** What was looked at, in a word or two. */
  check: string
  level: Level
  /** What was found. */
  found: string
  /** What to do about it; null when all is well. */
  advice: string | null
}

export const ok = (check: string, found: string): Finding => ({ check, level: 'ok', found, advice: null })
export const warn = (check: string, found: string, advice: string): Finding => ({ check, level: 'warn', found, advice })
export const fail = (check: string, found: string, advice: string): Finding => ({ check, level: 'fail', found, advice })
