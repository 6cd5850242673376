import { collectSamples } from '../../../src/spreadsheets/proposals/column-samples.ts'
import { RowCounts } from '../../../src/spreadsheets/rows/count-rows.ts'
import type { Mapping } from '../../../src/spreadsheets/mapping/mapping.ts'
import { proposeMapping } from '../../../src/spreadsheets/proposals/propose-mapping.ts'
import { planRows } from '../../../src/spreadsheets/rows/plan-rows.ts'
import { openRows } from '../../../src/spreadsheets/rows/read-records.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import type { Expected } from './compare-people.ts'

/** Proposes what the columns of a table mean. */
export function proposeFor(header: readonly string[], rows: readonly (readonly string[])[], today: string): Mapping {
  const { sample, add } = collectSamples(header.length)
  for (const cells of rows) add(cells)
  return countFor(doAtOnce(proposeMapping(header, sample)), header, rows, today)
}

/** Counts what the rows of a table say about what is open. */
export function countFor(
  mapping: Mapping,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  today: string,
): Mapping {
  const lines = rows.map((cells, at) => ({ line: at + 2, cells: [...cells] }))
  const file = openRows({ line: 1, cells: [...header] }, mapping, today)
  const plan = doAtOnce(planRows(lines.map(file.readKeys), mapping, String))
  const counts = new RowCounts(header, mapping, today)
  for (const cells of rows) counts.add(cells)
  return counts.finish(plan, { absent: 0, linkable: 0 })
}

/** Answers the questions about a file as its administrator would. */
export function answerQuestions(
  mapping: Mapping,
  { hints, columns: known }: Pick<Expected, 'hints' | 'columns'>,
): Mapping {
  const columns = mapping.columns.map((column) => {
    const words = Object.entries(column.words ?? {}).map(([word, status]) => [
      word,
      hints.status_words?.[word] ?? status,
    ])
    if (column.to === null)
      return { header: column.header, to: (known[column.header]?.split(' ')[0] ?? 'nothing') as 'nothing' }
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
