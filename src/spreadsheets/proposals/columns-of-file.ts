import { trimBlanks } from '../../text/normalize-text.ts'
import { TEXTS } from '../mapping/mapping.ts'
import type { Candidate } from './candidate.ts'
import type { FileSample } from './column-samples.ts'
import { spellManager } from '../rows/plan-rows.ts'
import { readDate } from '../values/read-date.ts'
import { foldName } from '../values/split-name.ts'

/* What the columns of a file say about each other. */

/** The share of values that tells what a column is. */
export const MOST = 0.8
/** The ages at which people work, and the fewest rows that show them. */
const [YOUNGEST, OLDEST, MIN_LENGTHS] = [14, 90, 3]
/** In fewer rows, values stand beside each other by chance. */
const MANY_ROWS = 8
/** The columns that may have parts of names, and the places of a text that are kept. */
const [MAX_PARTS, MAX_PLACES] = [4, 4]
/** The managers of a file, and their levels, that are no coincidence. */
const [MIN_MANAGERS, MIN_LEVELS] = [3, 3]

/** The columns of dates with which another one is compared. */
const MAX_COMPARED = 12

/** What the columns of a file are so far. */
export class ColumnsOfFile {
  readonly all: readonly Candidate[]
  readonly sample: FileSample
  readonly #years = new Map<number, readonly number[]>()
  readonly #ofOthers = new Map<number, boolean>()
  readonly #people: ReadonlyMap<string, readonly { row: number; at: number }[]>

  constructor(all: readonly Candidate[], sample: FileSample) {
    this.all = all
    this.sample = sample
    this.#people = this.#listPeople()
  }

  has(target: Candidate['to'] | Candidate['meaning']): boolean {
    return this.all.some(({ to }) => to === target)
  }

  /** Whether managers are named by the values of a column; or what may be managers. */
  isReferred({ sample: { values } }: Candidate, orMaybe = false): boolean {
    const manager = this.all.find(({ to, likely }) => to === 'manager' || (orMaybe && likely === 'manager'))
    const texts = [...(manager?.sample.values.keys() ?? [])]
    const isIn = (text: string) => spellManager('external_id', trimBlanks(text)).some((id) => values.has(id))
    return texts.length > 0 && texts.filter(isIn).length >= texts.length * MOST
  }

  /** Whether each value of a column stands beside one value of another that is used, and the other way round. */
  isImplied({ at }: Candidate): boolean {
    if (this.sample.count < MANY_ROWS) return false
    return this.all.some((other) => other.at !== at && TEXTS.includes(other.to) && this.#isSame(at, other.at))
  }

  /**
   * Whether a column has nothing to do with who has left, as far as another one says that: each of its values stands
   * beside people who have left, and beside others.
   */
  isIndependent({ at }: Candidate): boolean {
    const told = this.all.find((other) => other.at !== at && other.to === 'status')
    if (!told) return false
    const words = new Map<string, Set<string>>()
    for (const cells of this.sample.rows) {
      const word = trimBlanks(cells[at] ?? '')
      words.set(word, (words.get(word) ?? new Set()).add(trimBlanks(cells[told.at] ?? '')))
    }
    return words.size > 1 && [...words.values()].every(({ size }) => size > 1)
  }

  /**
   * Whether the dates of a column can't be those on which people have left: most of those have passed who have not left,
   * as another column says.
   */
  isOfEverybody({ at }: Candidate): boolean {
    const end = this.all.find((other) => other.at !== at && other.to === 'termination_date')
    if (!end) return false
    const others = this.sample.rows.filter((cells) => trimBlanks(cells[end.at] ?? '') === '')
    return others.length > 0 && others.filter((cells) => trimBlanks(cells[at] ?? '') !== '').length * 2 > others.length
  }

  /** The years of the dates of a column in the first rows; NaN where there is none. */
  #yearsOf({ at }: Candidate): readonly number[] {
    const known = this.#years.get(at)
    if (known) return known
    const read = (cell = '') => Number(readDate(cell, { order: 'day_first', clock: 'ignore' }).value?.slice(0, 4))
    const years = this.sample.rows.map((cells) => read(cells[at]))
    this.#years.set(at, years)
    return years
  }

  /**
   * Whether the dates of a column are so long before others of their rows that people were born then. They are not if
   * others are as long before them: people begin to work long before they retire.
   */
  isOfBirth(column: Candidate): boolean {
    const dates = this.all.filter((other) => other !== column && other.evidence.dates >= MOST).slice(0, MAX_COMPARED)
    return (
      dates.some((other) => this.#isLongBefore(column, other)) &&
      !dates.some((other) => this.#isLongBefore(other, column))
    )
  }

  #isLongBefore(column: Candidate, later: Candidate): boolean {
    const own = this.#yearsOf(column)
    const lengths = this.#yearsOf(later).map((year, row) => year - own[row]!)
    const known = lengths.filter((length) => !Number.isNaN(length))
    return (
      known.length >= Math.max(MIN_LENGTHS, lengths.length / 2) &&
      known.every((length) => length >= YOUNGEST && length < OLDEST)
    )
  }

  /** Whether most dates of a column are not before the start in their row, so that everybody may have left. */
  isAfterStart({ at }: Candidate): boolean {
    const start = this.all.find(({ to }) => to === 'start_date')?.at ?? -1
    const read = (cell = '') => readDate(cell, { order: 'day_first', clock: 'ignore' }).value ?? null
    const pairs = this.sample.rows.map((cells) => [read(cells[start]), read(cells[at])])
    return pairs.filter(([from, to]) => from === null || to === null || to! >= from!).length >= pairs.length * MOST
  }

  /** Whether most values of a column are what names people of other rows. */
  isOfOthers(column: Candidate): boolean {
    const known = this.#ofOthers.get(column.at) ?? this.#namesOthers(column)
    this.#ofOthers.set(column.at, known)
    return known
  }

  #namesOthers({ at, evidence, sample: { filled, values } }: Candidate): boolean {
    const { rows, count } = this.sample
    if (values.size === 0 || (evidence.isUnique && filled === count)) return false
    const isOwn = (cells: readonly string[]) => cells.some((cell, other) => other !== at && cell === cells[at])
    const owned = rows.filter((cells) => (cells[at] ?? '') !== '' && isOwn(cells)).length
    const found = [...values.keys()].filter((value) => this.#findPerson(value, at) !== undefined)
    return found.length >= values.size * MOST && owned * 2 < rows.length
  }

  /**
   * Whether a column leads from row to row as managers do: several of them, in levels, and never in a circle. Nothing
   * else is certain: it may name a deputy, or who is responsible in the personnel department.
   */
  isTree({ at, sample: { values } }: Candidate): boolean {
    const above = this.sample.rows.map((cells, row) => {
      const found = this.#findPerson(cells[at] ?? '', at)
      return found === row ? undefined : found
    })
    const managers = new Set(above.filter((row) => row !== undefined))
    // Small numbers count something else.
    if ([...values.keys()].every((text) => /^\d{1,3}$/.test(trimBlanks(text)))) return false
    const depths = above.map((_, start) => {
      let [row, depth]: [number | undefined, number] = [start, 0]
      while (row !== undefined && depth <= above.length) [row, depth] = [above[row], depth + 1]
      return depth
    })
    const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0)
    return managers.size >= MIN_MANAGERS && deepest >= MIN_LEVELS && deepest <= above.length
  }

  /** The row of the person whom a text of a column names. */
  #findPerson(text: string, at: number): number | undefined {
    const own = trimBlanks(text)
    if (own === '') return undefined
    for (const spelling of [...spellManager('full_name', own), ...spellManager('external_id', own)]) {
      const found = this.#people.get(foldName(spelling))?.find((place) => place.at !== at)
      if (found) return found.row
    }
    return undefined
  }

  /** The people of the first rows by what may name them: ids and addresses, which are unique in a column, and names. */
  #listPeople(): Map<string, { row: number; at: number }[]> {
    const people = new Map<string, { row: number; at: number }[]>()
    const isNaming = ({ evidence, sample: { filled } }: Candidate) =>
      evidence.isUnique && filled >= this.sample.count * MOST
    const unique = this.all.filter(isNaming)
    const parts = this.#listParts()
    for (const [row, cells] of this.sample.rows.entries()) {
      const add = (text: string, at: number) => {
        const places = people.get(text) ?? []
        if (text !== '' && places.length < MAX_PLACES) people.set(text, [...places, { row, at }])
      }
      for (const { at, evidence } of unique) {
        add(foldName(cells[at] ?? ''), at)
        if (evidence.fullNames > 0.5) for (const name of spellManager('full_name', cells[at] ?? '')) add(name, at)
      }
      for (const [one, other] of parts)
        for (const blank of [' ', ''])
          for (const name of spellManager('full_name', `${cells[one] ?? ''}${blank}${cells[other] ?? ''}`))
            add(name, -1)
    }
    return people
  }

  /** The columns that have the parts of names, or may have them, in pairs. */
  #listParts(): [number, number][] {
    const known = this.all.filter(({ to }) => to === 'first_name' || to === 'last_name')
    const isPart = ({ to, evidence }: Candidate) =>
      (to === 'nothing' || to === 'last_name') && evidence.shortNames >= MOST && evidence.isUnique
    const parts = known.length > 1 ? known : this.has('full_name') ? [] : this.all.filter(isPart).slice(0, MAX_PARTS)
    return parts.flatMap((one) =>
      parts.flatMap((other): [number, number][] => (one === other ? [] : [[one.at, other.at]])),
    )
  }

  #isSame(at: number, other: number): boolean {
    const [there, back] = [new Map<string, string>(), new Map<string, string>()]
    for (const cells of this.sample.rows) {
      const [a, b] = [cells[at] ?? '', cells[other] ?? '']
      if ((there.get(a) ?? b) !== b || (back.get(b) ?? a) !== a) return false
      there.set(a, b)
      back.set(b, a)
    }
    return there.size > 1
  }
}
