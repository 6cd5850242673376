import type { ColumnMapping } from './mapping.ts'
import { recognizeHeader } from '../words/recognize-header.ts'

const STATUSES: ReadonlySet<string | null> = new Set(['status', 'status_flag', 'status_inverted'])

/**
 * What becomes of a column that files before didn't have, as is proposed: nothing. One that says who has left is asked
 * about, because nobody may look at what is not used.
 */
export function chooseNewColumn({ header, to }: ColumnMapping): ColumnMapping {
  const meanings = [to, recognizeHeader(header)]
  if (meanings.includes('termination_date')) return { header, to: null, likely: 'termination_date' }
  if (meanings.some((meaning) => STATUSES.has(meaning))) return { header, to: null, likely: 'status' }
  return { header, to: 'nothing' }
}
