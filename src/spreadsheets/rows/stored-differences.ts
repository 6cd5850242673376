import { normalizeEmail, normalizeText } from '../../text/normalize-text.ts'
import { DATE_TARGETS, type Target } from '../mapping/mapping.ts'
import { exchangeDay } from '../values/read-date.ts'
import { foldName } from '../values/split-name.ts'

/*
 * What a system has begun to write otherwise shows only beside what is stored about the same people: days and months
 * that are exchanged, ids with other zeros, the ids or addresses of other people, and columns that are exchanged.
 */

/** A record of a file, or an employee, by the names of attributes. */
export type ComparedRecord = Readonly<Record<string, unknown>>

/** What many records of a file would change at once, as hardly anybody means it. */
export interface StoredDifference {
  reason: 'exchanged_dates' | 'respelled_ids' | 'other_people' | 'exchanged_columns'
  /** The attribute that it is about; null if it is about several. */
  field: string | null
  /** For people: a sentence without a period. */
  message: string
}

/** The records that are compared: more of them tell no more. */
export const MAX_COMPARED = 500

/** Chooses some of many things, evenly spread. */
export function spread<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, items.length / most)
  return Array.from({ length: Math.min(items.length, most) }, (_, at) => items[Math.floor(at * step)]!)
}

/** The people of a company, as far as they are known, by what identifies them. */
class KnownPeople {
  readonly #people = new Map<string, ComparedRecord>()

  constructor(people: Iterable<ComparedRecord>) {
    for (const person of people) for (const key of allKeysOf(person)) this.#people.set(key, person)
  }

  /** Finds the employee whom a record changes. */
  find(record: ComparedRecord): ComparedRecord | undefined {
    const [key] = keysOf(record)
    return key === undefined ? undefined : this.#people.get(key)
  }

  findByAddress(record: ComparedRecord): ComparedRecord | undefined {
    return this.#people.get(`email ${read(record, 'email')}`)
  }

  /** Finds somebody with the same number as external id, whatever zeros it has. */
  findBySpelling(record: ComparedRecord): ComparedRecord | undefined {
    return this.#people.get(spelledKey(record) ?? '')
  }

  findByNames(record: ComparedRecord): ComparedRecord | undefined {
    return this.#people.get(namesKey(record) ?? '')
  }
}

/** What identifies a person, as the API looks for them. */
function keysOf(person: ComparedRecord): string[] {
  return ['id', 'external_id', 'email'].flatMap((name) => {
    const text = read(person, name)
    return text === null ? [] : [`${name} ${text}`]
  })
}

function allKeysOf(person: ComparedRecord): string[] {
  return [...keysOf(person), spelledKey(person), namesKey(person)].filter((key) => key !== null)
}

/** Returns whether people are those of records, or have their addresses, names, or numbers. */
export function createFilter(records: readonly ComparedRecord[]): (person: ComparedRecord) => boolean {
  const keys = new Set(records.flatMap((record) => [record, ...listMoved(record)].flatMap(allKeysOf)))
  return (person) => allKeysOf(person).some((key) => keys.has(key))
}

function spelledKey(person: ComparedRecord): string | null {
  const number = readNumber(read(person, 'external_id'))
  return number === null ? null : `number ${number}`
}

function namesKey(person: ComparedRecord): string | null {
  const words = wordsOf(person)
  return words.length < 2 ? null : `names ${words.join(' ')}`
}

/** Reads a text as it is compared; null if there is none. */
function read(person: ComparedRecord, name: string): string | null {
  const value = person[name]
  if (typeof value !== 'string') return null
  const text = name === 'email' ? normalizeEmail(value) : normalizeText(value)
  return text === '' ? null : text
}

function wordsOf(person: ComparedRecord): string[] {
  const words = foldName(`${read(person, 'first_name') ?? ''} ${read(person, 'last_name') ?? ''}`).split(/[\s,.-]+/)
  return words.filter((word) => word !== '').toSorted()
}

/** Reads an id that is a number, as a spreadsheet does. */
function readNumber(id: string | null): string | null {
  return /^0*(\d{1,20})(?:[.,]0+)?$/.exec(id ?? '')?.[1] ?? null
}

/** The zeros that an id may have more or less. */
const MAX_PADDING = 8

/** Lists the ways in which the external id of a record may be written, if it is a number. */
export function listSpellings(record: ComparedRecord): string[] {
  const number = readNumber(read(record, 'external_id'))
  if (number === null) return []
  return Array.from({ length: MAX_PADDING + 1 }, (_, zeros) => '0'.repeat(zeros) + number)
}

/** Whether a record shows nothing of what `findDifferences` counts, and no other name. */
export function isAsStored(record: ComparedRecord, people: Iterable<ComparedRecord>): boolean {
  const known = new KnownPeople(people)
  const person = known.find(record)
  if (person === undefined || hasOtherNames(record, person) || isOther(record, person, known)) return false
  return !compareNumbers(record, person).isRespelled && listExchanged(record, person).size === 0
}

/** Compares employee numbers, as far as they are numbers. */
function compareNumbers(record: ComparedRecord, person: ComparedRecord): { isSame: boolean; isRespelled: boolean } {
  const [sent, stored] = [read(record, 'employee_number'), read(person, 'employee_number')]
  const isSame = readNumber(sent) !== null && readNumber(sent) === readNumber(stored)
  return { isSame, isRespelled: isSame && sent !== stored }
}

/** Whether a record has the address or the names of somebody else than the person with its id. */
function isSomebodyElse(record: ComparedRecord, person: ComparedRecord, known: KnownPeople): boolean {
  const holder = known.findByAddress(record)
  if (holder !== undefined && holder !== person) return true
  return hasOtherNames(record, person) && known.findByNames(record) !== undefined
}

/** Whether a record is about another person than the one with its id. */
function isOther(record: ComparedRecord, person: ComparedRecord, known: KnownPeople): boolean {
  if (isSomebodyElse(record, person, known)) return true
  // The id and the address say who it is: the name is written otherwise.
  if (!hasOtherNames(record, person) || known.findByAddress(record) === person) return false
  const [now, before] = [wordsOf(record), wordsOf(person)]
  return !now.some((word) => before.includes(word))
}

/** Whether both have names, and other ones. */
function hasOtherNames(record: ComparedRecord, person: ComparedRecord): boolean {
  const [now, before] = [wordsOf(record).join(' '), wordsOf(person).join(' ')]
  return now !== '' && before !== '' && now !== before
}

/**
 * Whether no word of the first name is left, nor its beginning, as hardly anybody means it. A family may get another
 * last name, and an initial become a name.
 */
function isRenamed(record: ComparedRecord, person: ComparedRecord): boolean {
  const [now, before] = [record, person].map(({ first_name: name }) => wordsOf({ first_name: name }))
  const isLeft = (word: string) => before!.some((one) => one.startsWith(word) || word.startsWith(one))
  return now!.length > 0 && before!.length > 0 && !now!.some(isLeft)
}

/** Finds who has the address, or else the whole name, of somebody with a new id, and another id. */
function findRenumbered(record: ComparedRecord, known: KnownPeople): ComparedRecord | undefined {
  const [holder, namesake] = [known.findByAddress(record), known.findByNames(record)]
  const mayBeSame = namesake && (read(record, 'email') === null || read(namesake, 'email') === null)
  const found = holder ?? (mayBeSame ? namesake : undefined)
  return found && read(found, 'external_id') !== null ? found : undefined
}

/** Lists who a record may be about if its cells have moved by a column, so that its external id is part of the name. */
export function listMoved(record: ComparedRecord): ComparedRecord[] {
  const { external_id: id, first_name: first, last_name: last } = record
  return [first, last].flatMap((part) => [
    { first_name: id, last_name: part },
    { first_name: part, last_name: id },
  ])
}

function findMoved(record: ComparedRecord, known: KnownPeople): ComparedRecord | undefined {
  const found = listMoved(record).map((moved) => known.findByNames(moved))
  return found.find((person) => person !== undefined)
}

/** Lists the pairs of attributes whose values a record exchanges. */
function listExchanged(record: ComparedRecord, person: ComparedRecord): Set<string> {
  const pairs = new Set<string>()
  const [sent, stored] = [flatten(record), flatten(person)]
  const places = new Map([...stored].map(([name, value]) => [value, name]))
  for (const [name, value] of sent) {
    const other = places.get(value)
    if (other === undefined || other === name || stored.get(name) === value) continue
    if (sent.get(other) === stored.get(name)) pairs.add([name, other].toSorted().join(' and '))
  }
  return pairs
}

/** The longest text that is looked for in other columns. */
const MAX_TEXT = 256

const isShort = (value: unknown) => typeof value === 'string' && value.length <= MAX_TEXT

/** The texts of a person, with those of custom attributes. */
function flatten(person: ComparedRecord): Map<string, string> {
  const customs = Object.entries((person['custom_attributes'] ?? {}) as ComparedRecord)
  const all = [
    ...Object.entries(person),
    ...customs.map(([key, value]) => [`custom_attributes.${key}`, value] as const),
  ]
  const texts = all.filter((entry): entry is [string, string] => isShort(entry[1]))
  return new Map(texts.map(([name, value]) => [name, normalizeText(value)]))
}

/** How many records would change something in the same way, and how many say what is stored. */
interface Tally {
  changed: number
  same: number
}

/** So many people, or such a share of them, get another name, address, or column on purpose. */
const [USUAL_COUNT, USUAL_SHARE] = [1, 0.1]

/** Whether more of some people change than on purpose. */
export function isMany(changed: number, all: number): boolean {
  return changed > USUAL_COUNT && changed > USUAL_SHARE * all
}

/**
 * Compares records of a file with the people of the company: those whom they name, by any spelling of their ids, and
 * those who have their addresses and names. `dates` are those whose order the file leaves open. Works in pieces: it yields
 * where something else may be done.
 */
export function* findDifferences(
  records: readonly ComparedRecord[],
  people: Iterable<ComparedRecord>,
  dates: readonly Target[],
): Generator<void, StoredDifference[], void> {
  const known = new KnownPeople(people)
  const [exchanged, ids, pairs] = [new Map<string, Tally>(), new Map<string, Tally>(), new Map<string, Tally>()]
  let [compared, others, mixed, renamed] = [0, 0, 0, 0]
  for (const [at, record] of records.entries()) {
    if (at > 0) yield
    const person = known.find(record)
    const respelled = person ? undefined : known.findBySpelling(record)
    const stored = person ?? respelled ?? findRenumbered(record, known) ?? findMoved(record, known)
    if (stored === undefined) continue
    compared += 1
    if (person ? isOther(record, person, known) : !respelled) others += 1
    if (person && isSomebodyElse(record, person, known)) mixed += 1
    if (person && isRenamed(record, person)) renamed += 1
    if (spelledKey(record) !== null && (person || respelled)) count(ids, 'external_id', !person)
    const { isSame, isRespelled } = compareNumbers(record, stored)
    if (isSame) count(ids, 'employee_number', isRespelled)
    for (const name of DATE_TARGETS) {
      const [date, day] = [read(record, name) ?? '', read(stored, name)]
      const other = exchangeDay(date)
      if (dates.includes(name) && other !== null && (day === date || day === other))
        count(exchanged, name, day === other)
    }
    for (const pair of listExchanged(record, stored)) count(pairs, pair, true)
  }
  const found: StoredDifference[] = []
  for (const [name, { changed, same }] of exchanged)
    if (changed > same) found.push({ reason: 'exchanged_dates', field: name, message: describeDates(changed, name) })
  for (const [name, { changed, same }] of ids)
    if (changed > same) found.push({ reason: 'respelled_ids', field: name, message: describeIds(changed, name) })
  // That several rows have what is other people's is no coincidence, however large the file is.
  if (mixed > USUAL_COUNT || isMany(others, compared))
    found.push({ reason: 'other_people', field: null, message: describeOthers(others, compared) })
  for (const [pair, { changed }] of pairs)
    if (isMany(changed, compared))
      found.push({ reason: 'exchanged_columns', field: null, message: describePair(pair, changed, compared) })
  if (found.length === 0 && renamed > USUAL_COUNT && renamed * 2 > compared)
    found.push({ reason: 'other_people', field: null, message: describeRenamed(renamed, compared) })
  return found
}

function count(tallies: Map<string, Tally>, what: string, isChanged: boolean): void {
  const tally = tallies.get(what) ?? { changed: 0, same: 0 }
  tally[isChanged ? 'changed' : 'same'] += 1
  tallies.set(what, tally)
}

const describeDates = (many: number, name: string) =>
  `The day and the month of ${many} dates of ${name} would be exchanged, as they are stored`
const describeIds = (many: number, name: string) =>
  `${many} people have the ${name} of their row with more or fewer zeros, as it is stored`
const describeOthers = (many: number, compared: number) =>
  `By names or email addresses, ${many} of ${compared} rows are about other people than their ids say`
const describeRenamed = (many: number, compared: number) =>
  `The first names of ${many} of ${compared} people would change, as they are stored`
const describePair = (pair: string, many: number, compared: number) =>
  `The ${pair} of ${many} of ${compared} people would be exchanged, as they are stored`
