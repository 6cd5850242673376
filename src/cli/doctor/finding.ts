export type Level = 'ok' | 'warn' | 'fail'

/** The result of one check of the installation. */
export interface Finding {
  /** The name of the check. */
  check: string
  level: Level
  found: string
  /** What to do; null when the level is `ok`. */
  advice: string | null
}

export const ok = (check: string, found: string): Finding => ({ check, level: 'ok', found, advice: null })
export const warn = (check: string, found: string, advice: string): Finding => ({ check, level: 'warn', found, advice })
export const fail = (check: string, found: string, advice: string): Finding => ({ check, level: 'fail', found, advice })
