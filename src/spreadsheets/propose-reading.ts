import type { ColumnSample, FileSample } from './column-samples.ts'
import type { ColumnMapping, ManagerKey, Target } from './mapping.ts'
import { isDate } from './mapping.ts'
import type { DateOrder } from './read-date.ts'
import { findDateOrders } from './read-date.ts'
import { isBooleanText, isNumberText } from './read-custom.ts'
import type { NameRule } from './split-name.ts'
import { foldName, readParentheses, splitName } from './split-name.ts'
import type { Status } from './status-words.ts'
import { readStatusWord, readYesOrNo } from './status-words.ts'

/** A column of a file, and the others, to find out how its values are read. */
interface ReadColumn {
  to: Target | null
  /** What its name says. */
  meaning: string | null
  values: Iterable<string>
  candidates: readonly { to: Target | null; at: number; sample: ColumnSample }[]
  sample: FileSample
  /** Whether this program wrote the file, as it writes values. */
  isOwn: boolean
}

type Reading = Omit<ColumnMapping, 'header' | 'to' | 'name'>

/** Proposes how the values of a column are read. What they don't tell is null. */
export function proposeReading(column: ReadColumn): Reading {
  const { to, meaning, isOwn } = column
  const values = [...column.values]
  if (isDate(to)) return proposeDates(values)
  if (to === 'status') return { words: proposeWords(values, meaning) }
  if (to === 'full_name') return { names: proposeNames(values, column) }
  if (to === 'manager') return { by: proposeKey(values, column) }
  return to === 'custom' ? { type: isOwn ? 'as_written' : proposeType(values) } : {}
}

/** The order in which all values are dates, if there is only one. Absent if it doesn't matter. */
function proposeDates(values: readonly string[]): Pick<Reading, 'dates'> {
  const open = values.map(findDateOrders).filter((orders) => orders !== null && orders.length > 0)
  if (open.length === 0) return {}
  const orders = (['day_first', 'month_first', 'year_first'] as DateOrder[]).filter((order) =>
    open.every((fitting) => fitting!.includes(order)),
  )
  // Years of two digits at the beginning are rare.
  const [first, second] = orders.length > 1 ? orders.filter((order) => order !== 'year_first') : orders
  return { dates: second === undefined ? (first ?? null) : null }
}

function proposeWords(values: readonly string[], meaning: string | null): Record<string, Status | null> {
  return Object.fromEntries(values.map((value) => [value.trim(), proposeStatus(value, meaning)]))
}

function proposeStatus(value: string, meaning: string | null): Status | null {
  const isYes = readYesOrNo(value)
  if (isYes !== undefined && meaning === 'status_flag') return isYes ? 'active' : 'inactive'
  if (isYes !== undefined && meaning === 'status_inverted') return isYes ? 'inactive' : 'active'
  return readStatusWord(value) ?? null
}

/** Proposes how full names are split. Few headers say it, so addresses of people, such as ana.perez@…, decide. */
function proposeNames(values: readonly string[], { to, candidates, sample }: ReadColumn): NameRule | null {
  const plain = values.filter((value) => splitName(value, null) === null)
  if (values.length === 0 || plain.length > 0) {
    const nameAt = candidates.find((other) => other.to === to)?.at ?? -1
    const emailAt = candidates.find((other) => other.to === 'email')?.at ?? -1
    const counts = { first_last: 0, last_first: 0 }
    for (const cells of sample.rows) {
      const [first = '', last = '', more] = foldLatin(cells[nameAt] ?? '').split(' ')
      const local = foldLatin(cells[emailAt] ?? '').replaceAll(/@.*|[^\p{L}@]/gu, '')
      if (last === '' || more !== undefined) continue
      if (local === first + last) counts.first_last += 1
      if (local === last + first) counts.last_first += 1
    }
    const { first_last: firstLast, last_first: lastFirst } = counts
    if (lastFirst === 0 && firstLast > 0) return 'first_last'
    return null
  }
  return 'first_last'
}

function foldLatin(text: string): string {
  return foldName(text)
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\p{L}\p{N}@ ]/gu, '')
}

/** By what most managers are found among the people of the file; otherwise, by how the values look. */
function proposeKey(values: readonly string[], { candidates, sample }: ReadColumn): ManagerKey | null {
  if (values.length === 0) return 'full_name'
  if (values.every((value) => value.includes('@'))) return 'email'
  const referred = new Set(values.flatMap((value) => [value, readParentheses(value) ?? value]))
  const keys = candidates.filter(({ to }) => to === 'external_id' || to === 'employee_number' || to === 'key')
  const found = keys
    .map(({ to, sample: { values: ids } }) => ({ to, count: [...referred].filter((value) => ids.has(value)).length }))
    .toSorted((a, b) => b.count - a.count)
  const [best, next] = found
  if (best && best.count > 0 && best.count > (next?.count ?? 0)) return best.to as ManagerKey
  const shapes = new Set(keys.flatMap(({ sample: { values: ids } }) => [...ids.keys()].map(shapeOf)))
  const isId = values.some((value) => shapes.has(shapeOf(readParentheses(value) ?? value)))
  if (isId) return best && best.count === 0 && keys.length === 1 ? (keys[0]!.to as ManagerKey) : null
  const isName = values.every((value) => /\p{L}/u.test(value) && /[\s,]/.test(value.trim())) || sample.rows.length === 0
  return isName ? 'full_name' : values.some((value) => /\s/.test(value.trim())) ? 'full_name' : null
}

/** A number of the file, as a text with other digits and letters would look. */
function shapeOf(value: string): string {
  return value.replaceAll(/\p{L}+/gu, 'a').replaceAll(/[0-9]/g, '9')
}

function proposeType(values: readonly string[]): NonNullable<Reading['type']> {
  if (values.length === 0) return 'text'
  if (values.every(isBooleanText)) return 'boolean'
  return values.every(isNumberText) ? 'number' : 'text'
}
