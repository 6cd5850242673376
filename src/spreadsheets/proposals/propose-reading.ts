import { trimBlanks } from '../../text/normalize-text.ts'
import type { ColumnSample, FileSample } from './column-samples.ts'
import type { ColumnMapping, ManagerKey, Target } from '../mapping/mapping.ts'
import { isDate } from '../mapping/mapping.ts'
import { listMarks } from '../values/name-marks.ts'
import type { DateOrder } from '../values/read-date.ts'
import { findDateOrders, hasTime, isOtherYear } from '../values/read-date.ts'
import { isBooleanText, isNumberText } from '../values/read-custom.ts'
import type { NameRule } from '../values/split-name.ts'
import { spellManager } from '../rows/plan-rows.ts'
import { foldName, guessNameRule, readNameWithId, splitName } from '../values/split-name.ts'
import type { Status } from '../words/status-words.ts'
import { readStatusWord, readWordOf, readYesOrNo } from '../words/status-words.ts'

/** A column of a file, and the others, to find out how its values are read. */
interface ReadColumn {
  to: Target | null
  /** What its name says. */
  meaning: string | null
  own: ColumnSample
  candidates: readonly { to: Target | null; at: number; sample: ColumnSample }[]
  sample: FileSample
  /** Whether this program wrote the file, as it writes values. */
  isOwn: boolean
}

type Reading = Omit<ColumnMapping, 'header' | 'to' | 'name'>

/** Proposes how the values of a column are read. What they don't tell is null. */
export function proposeReading(column: ReadColumn): Reading {
  const { to, meaning, isOwn } = column
  const values = [...column.own.values.keys()]
  if (isDate(to)) return proposeDates(values)
  if (to === 'status') return { words: proposeWords(values, meaning, column) }
  if (to === 'full_name') {
    const plain = values.filter((value) => listMarks(value).length === 0)
    return { names: proposeNames(plain.length > 0 ? plain : values, column) }
  }
  if (to === 'manager') return { by: proposeKey(values, column) }
  return to === 'custom' ? { type: isOwn ? 'as_written' : proposeType(values) } : {}
}

/** How dates are read, as far as their values leave it open. */
function proposeDates(values: readonly string[]): Pick<Reading, 'dates' | 'clock' | 'calendar'> {
  return {
    ...proposeOrder(values),
    ...(values.some(hasTime) ? { clock: null } : {}),
    ...(values.some(isOtherYear) ? { calendar: null } : {}),
  }
}

/** The order in which all values are dates, if there is only one. Absent if it doesn't matter. */
function proposeOrder(values: readonly string[]): Pick<Reading, 'dates'> {
  const open = values.map(findDateOrders).filter((orders) => orders !== null && orders.length > 0)
  if (open.length === 0) return {}
  const orders = (['day_first', 'month_first', 'year_first'] as DateOrder[]).filter((order) =>
    open.every((fitting) => fitting!.includes(order)),
  )
  // Years of two digits at the beginning are rare.
  const [first, second] = orders.length > 1 ? orders.filter((order) => order !== 'year_first') : orders
  return { dates: second === undefined ? (first ?? null) : null }
}

function proposeWords(
  values: readonly string[],
  meaning: string | null,
  { own, sample }: ReadColumn,
): Record<string, Status | null> {
  const words = [...new Set(values.map(readWordOf))].map((word): [string, Status | null] => [
    word,
    readWord(word, meaning),
  ])
  // That most people have left is more likely the opposite of what the name of a column seems to say.
  const isGone = (value: string) => readWord(readWordOf(value), meaning) === 'inactive'
  const gone = values.reduce((sum, value) => sum + (isGone(value) ? own.values.get(value)! : 0), 0)
  const isFlag = meaning === 'status_flag' || meaning === 'status_inverted'
  if (isFlag && gone * 2 > sample.count)
    return Object.fromEntries(words.map(([word]) => [word, readStatusWord(word) ?? null]))
  // A mark, such as an x: what its absence means is open, too.
  const isMark = words.length === 1 && (meaning !== 'status' || words[0]![1] === null)
  return Object.fromEntries(isMark && own.filled < sample.count ? [...words, ['', null]] : words)
}

/** What a word says in a column with such a name; null if that is not known. */
export function readWord(value: string, meaning: string | null): Status | null {
  const isYes = readYesOrNo(value)
  if (isYes !== undefined && meaning === 'status_flag') return isYes ? 'active' : 'inactive'
  if (isYes !== undefined && meaning === 'status_inverted') return isYes ? 'inactive' : 'active'
  return readStatusWord(value) ?? null
}

/**
 * Proposes how full names are split, if their values prove it: words in capitals, or addresses that begin with an
 * initial. An address such as ek.ada@… proves nothing: it may be written in the order of the name, whatever that is.
 */
function proposeNames(values: readonly string[], { to, candidates, sample }: ReadColumn): NameRule | null {
  const plain = values.filter((value) => splitName(value, null) === null)
  if (plain.length === 0) return values.length === 0 ? null : 'first_last'
  if (guessNameRule(plain) === 'capitals') return 'capitals'
  const nameAt = candidates.find((other) => other.to === to)?.at ?? -1
  const emailAt = candidates.find((other) => other.to === 'email')?.at ?? -1
  const counts = { first_last: 0, last_first: 0 }
  for (const cells of sample.rows) {
    const [first = '', last = '', more] = foldLatin(cells[nameAt] ?? '').split(' ')
    const local = foldLatin((cells[emailAt] ?? '').replace(/@.*/, '')).replaceAll(/[^\p{L}]/gu, '')
    if (last === '' || more !== undefined || first.length < 2 || last.length < 2) continue
    const [isFirstLast, isLastFirst] = [local === first.slice(0, 1) + last, local === last.slice(0, 1) + first]
    if (isFirstLast && !isLastFirst) counts.first_last += 1
    if (isLastFirst && !isFirstLast) counts.last_first += 1
  }
  const { first_last: firstLast, last_first: lastFirst } = counts
  if (firstLast + lastFirst < MIN_PROOFS || (firstLast > 0 && lastFirst > 0)) return null
  return firstLast > 0 ? 'first_last' : 'last_first'
}

/** The addresses that prove an order. */
const MIN_PROOFS = 2

/** The letters of a text without capitals and accents. */
export function foldLatin(text: string): string {
  return foldName(text)
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\p{L}\p{N}@ ]/gu, '')
}

/** By what most managers are found among the people of the file; otherwise, by how the values look. */
function proposeKey(values: readonly string[], { candidates, sample }: ReadColumn): ManagerKey | null {
  if (values.length === 0) return 'full_name'
  if (values.every((value) => value.includes('@'))) return 'email'
  const keys = candidates.filter(({ to }) => to === 'external_id' || to === 'employee_number' || to === 'key')
  const texts = new Map<ManagerKey, ReadonlySet<string>>([
    ...keys.map(({ to, sample: { values: ids } }): [ManagerKey, Set<string>] => [
      to as ManagerKey,
      new Set([...ids.keys()].map((id) => trimBlanks(id))),
    ]),
    ['full_name', listNames(candidates, sample)],
  ])
  const counts = [...texts].map(([by, known]) => {
    const count = values.filter((value) => spellManager(by, trimBlanks(value)).some((text) => known.has(text))).length
    return { by, count }
  })
  const [best, next] = counts.toSorted((a, b) => b.count - a.count)
  // A name with an id behind it is found by either: an id belongs to one person.
  if (best && best.count > 0 && (next === undefined || next.count < best.count || next.by === 'full_name'))
    return best.by
  const shapes = new Set(keys.flatMap(({ sample: { values: ids } }) => [...ids.keys()].map(shapeOf)))
  if (values.some((value) => shapes.has(shapeOf(readNameWithId(value)?.id ?? value))))
    return keys.length === 1 ? (keys[0]!.to as ManagerKey) : null
  return values.some((value) => /\p{L}/u.test(value) && /\s/.test(trimBlanks(value))) ? 'full_name' : null
}

/** The full names of the first rows and of a column, as managers are spelled. */
export function listNames(candidates: ReadColumn['candidates'], { rows }: FileSample): Set<string> {
  const full = candidates.find(({ to }) => to === 'full_name')?.sample.values.keys() ?? []
  const at = (to: Target) => candidates.find((candidate) => candidate.to === to)?.at ?? -1
  const [firstAt, lastAt] = [at('first_name'), at('last_name')]
  const both =
    firstAt === -1 || lastAt === -1 ? [] : rows.map((cells) => `${cells[firstAt] ?? ''} ${cells[lastAt] ?? ''}`)
  const unspaced = both.length === 0 ? [] : rows.map((cells) => `${cells[lastAt] ?? ''}${cells[firstAt] ?? ''}`)
  return new Set([...full, ...both, ...unspaced].flatMap((name) => spellManager('full_name', name)))
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
