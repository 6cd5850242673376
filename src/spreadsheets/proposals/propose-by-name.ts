import { trimBlanks } from '../../text/normalize-text.ts'
import { all, ask, type Candidate } from './candidate.ts'
import { TEXTS } from '../mapping/mapping.ts'
import type { ColumnSample, FileSample } from './column-samples.ts'
import { isDate, type Target } from '../mapping/mapping.ts'
import { readWord } from './propose-reading.ts'
import { findDateOrders } from '../values/read-date.ts'
import { isAboutWork, isPrivate } from '../words/recognize-header.ts'
import { readNameWithId } from '../values/split-name.ts'
import { readYesOrNo } from '../words/status-words.ts'
import { isDateText } from './weigh-values.ts'

/*
 * What columns are by their names, unless their values contradict. Of several columns for one attribute, the one that is
 * most likely meant wins; nobody but a person decides between equal ones.
 */

/** Proposes what columns become whose names are known. Changes the candidates. */
export function proposeByName(columns: readonly Candidate[], sample: FileSample): void {
  const others = findOthers(columns, sample)
  for (const column of columns) {
    const { header, meaning, evidence } = column
    // Yes and no are no text, whatever the name says.
    const isOther = evidence.isFlag && TEXTS.includes(meaning)
    if (isOther || (others.has(readParent(header)) && meaning !== 'manager')) column.meaning = null
    if (!column.isExact) column.to = readMeaning(column)
    // Values that nobody can read say when somebody has left, too, so that a person has to choose.
    const isUnread = column.to === null && (isDate(meaning) || meaning === 'status')
    // It may be another kind of status.
    if (isUnread) column.likely = meaning
    else if (column.to === 'status' && all(column.sample, (word) => readWord(word, column.meaning) === null))
      column.likely = 'status'
  }
  // A column that is called a title has salutations, where another one has the titles of jobs.
  if (columns.some(({ to }) => to === 'job_title'))
    for (const column of columns) if (column.meaning === 'job_title' && column.to === null) column.to = 'nothing'
  chooseNames(columns, sample)
  chooseIdentifiers(columns, sample)
  for (const target of new Set(columns.map(({ to }) => to))) chooseBest(columns, target)
  findKey(columns)
}

/** The object whose member a column is: `manager` of `manager.name`; empty if the person of the row is. */
function readParent(header: string): string {
  return header.slice(0, Math.max(0, header.lastIndexOf('.')))
}

/** What a person has alone. */
const PERSONAL: ReadonlySet<string | null> = new Set<Candidate['meaning']>([
  'full_name',
  'last_or_full_name',
  'first_or_full_name',
  'email',
  'external_id',
  'employee_number',
])

/**
 * Finds the objects that are about other people, such as managers: their names, addresses, and ids are missing in some
 * rows, or are the same in several.
 */
function findOthers(columns: readonly Candidate[], { rows }: FileSample): ReadonlySet<string> {
  const members = new Map<string, Candidate[]>()
  for (const column of columns.filter(({ header, meaning }) => PERSONAL.has(meaning) || /\.id$/i.test(header))) {
    const parent = readParent(column.header)
    members.set(parent, [...(members.get(parent) ?? []), column])
  }
  const isOther = (parts: readonly Candidate[]) =>
    rows.some((cells) => parts.every(({ at }) => (cells[at] ?? '') === '')) ||
    parts.some(({ sample }) => [...sample.values.values()].some((times) => times > 1))
  return new Set([...members].flatMap(([parent, parts]) => (parent !== '' && isOther(parts) ? parent : [])))
}

/** The different words of a column that is taken for one of statuses. */
const USUAL_WORDS = 50
const SALUTATION = /^\p{Script=Latin}{1,4}\.?$/u

const WORD = /\p{L}{2}/u
const isNamedWithId = (value: string) => {
  const words = (readNameWithId(value)?.name ?? '').split(/\s/)
  return words.filter((word) => WORD.test(word)).length >= 2
}

const isOneWord = (value: string) => !/[\s,]/.test(trimBlanks(value))

/** Whether a value says yes or no, or is a link, such as that of a nested manager. */
const namesNobody = (value: string) => readYesOrNo(value) !== undefined || /^https?:\/\//.test(value)

/** What the name of a column says; null if its values contradict, so that somebody is asked. */
function readMeaning({ meaning, header, sample, evidence }: Candidate): Target | null {
  const ifMost = (target: Target, isSo: (value: string) => boolean) =>
    [...sample.values.keys()].filter(isSo).length * 2 >= sample.values.size ? target : null
  const isName = () =>
    (evidence.fullNames > 0.5 || (sample.filled > 0 && ifMost('full_name', isNamedWithId) !== null)) &&
    evidence.codes === 0
  switch (meaning) {
    case null:
    case 'never_store':
    case 'not_ours':
      return 'nothing'
    case 'email':
      return isPrivate(header) ? 'nothing' : ifMost('email', (value) => value.includes('@'))
    case 'phone':
      return isPrivate(header) ? 'nothing' : ifMost('phone', (value) => value.replaceAll(/\D/g, '').length >= 6)
    case 'start_date':
    case 'termination_date':
      return ifMost(meaning, (value) => findDateOrders(value) !== null)
    case 'first_name':
    case 'last_name':
      return ifMost(meaning, (value) => /\p{L}/u.test(value) && !isDateText(value))
    case 'status':
    case 'status_flag':
    case 'status_inverted':
      return sample.values.size > USUAL_WORDS ? null : 'status'
    case 'job_title':
      return sample.filled > 0 && all(sample, (value) => SALUTATION.test(value)) ? null : meaning
    case 'manager':
      return sample.filled > 0 && all(sample, namesNobody) ? 'nothing' : meaning
    case 'country':
      return evidence.areCountries ? 'phone_country' : 'nothing'
    case 'id':
    case 'user_name':
    case 'external_id':
      // A column of names is never one of ids.
      return isName() ? 'full_name' : 'external_id'
    case 'employee_number':
      // What begins like "employee" may be a job title.
      return isName() ? 'full_name' : ifMost(meaning, (value) => /\p{N}/u.test(value))
    case 'first_or_full_name':
    case 'last_or_full_name':
      return 'full_name'
    case 'full_name':
      // Where nobody has two words, it is a part of names: `name.given`.
      return sample.filled > 0 && !evidence.isUnspaced && all(sample, isOneWord) ? null : meaning
    case 'department':
    case 'division':
    case 'location':
      return meaning
  }
}

/** A full name is not needed beside first and last names, and a name may be one of these. */
function chooseNames(columns: readonly Candidate[], sample: FileSample): void {
  const has = (target: Target) => columns.some(({ to }) => to === target)
  const [isFirst, isLast] = [has('last_name'), has('first_name')]
  for (const candidate of columns) {
    // A single word is no full name, apart from languages without blanks.
    const { meaning, evidence } = candidate
    const isPart = evidence.shortNames > 0 && evidence.fullNames === 0 && !evidence.isUnspaced
    if (meaning === 'first_or_full_name' && (isFirst || isPart) && !isLast) candidate.to = 'first_name'
    if (meaning === 'last_or_full_name' && (isLast || isPart) && !isFirst) candidate.to = 'last_name'
    // Beside last names, a name of one word is a first name: Name, Surname.
    if (meaning === 'last_or_full_name' && isFirst && !isLast && evidence.fullNames <= 0.5) candidate.to = 'first_name'
  }
  const isPartOfName = ({ to, isExact }: Candidate) => !isExact && (to === 'first_name' || to === 'last_name')
  const isWhole = () => has('first_name') && has('last_name')
  // A column of full names is no part of a name where no other one is.
  for (const column of columns)
    if (isPartOfName(column) && column.evidence.fullNames > 0.5 && !isWhole()) column.to = 'full_name'
  const [hasParts, isFull] = [isWhole(), has('full_name')]
  const isLacking = hasParts && lacksNames(columns, sample)
  for (const column of columns)
    if (hasParts ? column.to === 'full_name' : isFull && isPartOfName(column)) {
      column.to = 'nothing'
      if (isLacking) column.meaning = null
    }
}

/** Whether rows have no name in the columns of first and last names: a full name may be theirs, or that of a room. */
export function lacksNames(columns: readonly Candidate[], { rows }: FileSample): boolean {
  const parts = columns.filter(({ to }) => to === 'first_name' || to === 'last_name')
  return parts.length > 0 && rows.some((cells) => parts.every(({ at }) => trimBlanks(cells[at] ?? '') === ''))
}

/** People need an identifier, so a number of employees becomes one if nothing else does. */
function chooseIdentifiers(columns: readonly Candidate[], sample: FileSample): void {
  const hasEmail = columns.some(({ to }) => to === 'email')
  const numbers = columns.filter(({ to, isExact }) => to === 'employee_number' && !isExact)
  for (const column of columns) {
    const { to, meaning, isExact, evidence } = column
    if (to !== 'external_id' || isExact) continue
    if (!hasEmail && evidence.addresses === 1) column.to = 'email'
    else if (meaning === 'id' && evidence.isCounter) column.to = numbers.length > 0 ? 'nothing' : null
    // A login is made of a name, and changes with it.
    else if (meaning === 'user_name' && numbers.length > 0 && evidence.codes < 0.5 && !namesManagers(column, columns))
      column.to = 'nothing'
  }
  if (!columns.some(({ to }) => to === 'external_id')) for (const column of numbers) column.to = 'external_id'
  const ids = columns.filter(({ to, isExact }) => to === 'external_id' && !isExact)
  ask(
    ids.filter((column) => isShared(column, columns, sample)),
    'employee_number',
  )
}

/** Whether people with different addresses have the same id, as where each company of a group counts its own. */
function isShared({ at, evidence }: Candidate, columns: readonly Candidate[], { rows }: FileSample): boolean {
  const email = columns.find(({ to, evidence: { isUnique } }) => to === 'email' && isUnique)
  if (!email || evidence.isUnique) return false
  const addresses = new Map<string, string>()
  return rows.some((cells) => {
    const [id, address] = [cells[at] ?? '', cells[email.at] ?? '']
    const before = addresses.get(id)
    if (id !== '' && address !== '') addresses.set(id, address)
    return id !== '' && address !== '' && before !== undefined && before !== address
  })
}

const REPEATABLE: ReadonlySet<Target | null> = new Set(['nothing', 'custom', 'as_named', null])
const CODE = /^[A-Z0-9][A-Z0-9_.-]{0,7}$/

/** How likely a column is the one for its attribute, beside others that are named so, too. */
function rate({ to, meaning, isExact, header, sample, evidence }: Candidate): number {
  const isCoded = sample.filled > 0 && all(sample, (value) => CODE.test(value))
  return (
    (isExact ? 100 : 0) +
    (isAboutWork(header) ? 2 : 0) -
    (sample.filled === 0 ? 5 : 0) -
    (isCoded && TEXTS.includes(to) ? 1 : 0) -
    (meaning === 'id' || meaning === 'user_name' || meaning === 'status_flag' ? 1 : 0) -
    (meaning === 'status_inverted' || (to === 'external_id' && evidence.addresses === 1) ? 2 : 0) +
    // Ids tell people apart whose names are alike.
    (to === 'manager' && all(sample, (value) => !/\s/.test(trimBlanks(value))) ? 1 + evidence.addresses : 0)
  )
}

/** Of several columns for an attribute, the best one becomes it. Between those that differ, a person has to decide. */
function chooseBest(columns: readonly Candidate[], target: Target | null): void {
  if (REPEATABLE.has(target)) return
  const scores = new Map(columns.flatMap((column) => (column.to === target ? [[column, rate(column)]] : [])))
  const [first, ...others] = [...scores.keys()].toSorted((a, b) => scores.get(b)! - scores.get(a)!)
  if (!first) return
  const equal = others.filter((column) => scores.get(column) === scores.get(first))
  // Several columns may say who has left: those that name anybody are asked.
  const isDoubted = (column: Candidate) =>
    target === 'status'
      ? !all(column.sample, (value) => readWord(value, column.meaning) === 'active') &&
        !isSame(column.sample, first.sample)
      : equal.includes(column) && !equal.every(({ sample }) => isSame(sample, first.sample))
  const doubted = others.filter(isDoubted)
  for (const column of others) column.to = 'nothing'
  if (doubted.length > 0) ask([first, ...doubted], target!)
}

/** Whether two columns have the same values in the same order, as far as the sample shows. */
function isSame(one: ColumnSample, other: ColumnSample): boolean {
  const write = ({ values, filled }: ColumnSample) => JSON.stringify([filled, ...values])
  return one.filled > 0 && write(one) === write(other)
}

/** The columns of ids that are looked at. */
const MAX_KEYS = 8

/** Managers may be named by an id that is no attribute. */
function findKey(columns: readonly Candidate[]): void {
  const keys = columns.filter(({ to, meaning }) => to === 'nothing' && meaning === 'id').slice(0, MAX_KEYS)
  const key = keys.find((column) => namesManagers(column, columns))
  if (key && !columns.some((one) => IDENTIFIERS.has(one.to) && namesManagers(one, columns))) key.to = 'key'
}

/** Whether managers are named by values of a column. */
export function namesManagers({ sample: { values } }: Candidate, columns: readonly Candidate[]): boolean {
  const manager = columns.find(({ to }) => to === 'manager')
  return manager !== undefined && [...manager.sample.values.keys()].some((text) => values.has(text))
}

const IDENTIFIERS: ReadonlySet<Target | null> = new Set(['external_id', 'employee_number', 'email'])
