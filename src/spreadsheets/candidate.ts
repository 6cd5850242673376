import type { ColumnSample } from './column-samples.ts'
import type { HeaderMeaning } from './header-words.ts'
import type { Target } from './mapping.ts'
import type { Evidence } from './weigh-values.ts'

/** A column and what it is likely to be. */
export interface Candidate {
  at: number
  header: string
  sample: ColumnSample
  /** What the name says; null if nothing is known about it. */
  meaning: HeaderMeaning | 'id' | null
  /** Whether it is named as the API names the attribute. */
  isExact: boolean
  to: Target | null
  score: number
  /** What the values make likely, where it is open. */
  likely?: Target
  evidence: Evidence
}
