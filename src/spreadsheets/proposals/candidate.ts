import type { ColumnSample } from './column-samples.ts'
import type { HeaderMeaning } from '../words/header-words.ts'
import type { Target } from '../mapping/mapping.ts'
import type { Evidence } from './weigh-values.ts'

/** A column and what it is likely to be. */
export interface Candidate {
  at: number
  header: string
  sample: ColumnSample
  evidence: Evidence
  /** What the name says; null if nothing is known about it. */
  meaning: HeaderMeaning | 'id' | null
  /** Whether it is named as the API or the log names columns, or holds a secret, so that it needs no proposal. */
  isExact: boolean
  to: Target | null
  /** What the values make likely, where it is open. */
  likely?: Target
}

/** Whether all different values are so. */
export function all({ values }: ColumnSample, isSo: (value: string) => boolean): boolean {
  for (const value of values.keys()) if (!isSo(value)) return false
  return true
}

/** Leaves open what columns become. */
export function ask(columns: readonly Candidate[], likely?: Target): void {
  for (const column of columns) {
    column.to = null
    if (likely) column.likely = likely
  }
}
