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

export const ok = (check: string, summary: string): Finding => ({ check, level: 'ok', found: summary, advice: null })
export const warn = (check: string, summary: string, advice: string): Finding => ({
  check,
  level: 'warn',
  found: summary,
  advice,
})
export const fail = (check: string, summary: string, advice: string): Finding => ({
  check,
  level: 'fail',
  found: summary,
  advice,
})
