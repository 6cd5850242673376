import { collectSamples } from '../../../src/spreadsheets/column-samples.ts'
import type { Mapping } from '../../../src/spreadsheets/mapping.ts'
import { proposeMapping } from '../../../src/spreadsheets/propose-mapping.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import type { Expected } from './compare-people.ts'

/** Proposes what the columns of a table mean. */
export function proposeFor(header: readonly string[], rows: readonly (readonly string[])[], today: string): Mapping {
  const { sample, add } = collectSamples(header.length)
  for (const cells of rows) add(cells)
  return doAtOnce(proposeMapping(header, sample, today))
}

/** Answers the questions about a file as its administrator would. */
export function answerQuestions(mapping: Mapping, { hints }: Pick<Expected, 'hints'>): Mapping {
  const columns = mapping.columns.map((column) => {
    const words = Object.entries(column.words ?? {}).map(([word, status]) => [
      word,
      hints.status_words?.[word] ?? status,
    ])
    return {
      ...column,
      ...(words.length > 0 ? { words: Object.fromEntries(words) } : {}),
      ...(column.names === null && hints.names ? { names: hints.names } : {}),
    }
  })
  return {
    ...mapping,
    columns,
    unreadable_values: 'leave_out',
    past_end_dates: hints.past_end_date === 'inactive' ? 'deactivate' : 'keep',
    country: hints.country ?? 'company',
  }
}
