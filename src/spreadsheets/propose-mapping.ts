import { trimBlanks } from '../text/normalize-text.ts'
import type { ColumnSample, FileSample } from './column-samples.ts'
import type { HeaderMeaning } from './header-words.ts'
import type { Candidate } from './candidate.ts'
import { readName } from './cells.ts'
import { proposeByValues } from './propose-by-values.ts'
import { type Evidence, isDateText, weighValues } from './weigh-values.ts'
import { hasOwnColumns, identifyColumn } from './record-columns.ts'
import type { ColumnMapping, Mapping, Target } from './mapping.ts'
import { locateColumns, MAX_WORDS, USUAL_CHOICES } from './mapping.ts'
import { proposeReading, readWord } from './propose-reading.ts'
import { findDateOrders } from './read-date.ts'
import { isAboutWork, isPrivate, isSecretHeader, recognizeHeader, simplify } from './recognize-header.ts'
import type { Status } from './status-words.ts'
import { readStatusWord, readYesOrNo } from './status-words.ts'

/*
 * A column becomes what its name says, if its values don't contradict. Of several columns for one attribute, the one
 * that is most likely meant wins; nobody but a person decides between equal ones.
 */

/**
 * Proposes what the columns of a file mean, by their names, by the values in the sample, and by what columns say about
 * each other. `country` is null if nobody has said where local phone numbers are. What only a person can decide is left
 * open: see `listQuestions`. Works in pieces, as does the next function: it yields where something else may be done.
 */
export function* proposeMapping(
  header: readonly string[],
  sample: FileSample,
  country: Mapping['country'] = null,
): Generator<void, Mapping, void> {
  const isOwn = hasOwnColumns(header)
  const candidates: Candidate[] = []
  const others = findOthers(header, sample)
  for (const [at, name] of header.entries()) {
    if (name === '') continue
    candidates.push(describe(name, at, sample, isOwn, others.has(readParent(name))))
    yield
  }
  chooseNames(candidates)
  chooseIdentifiers(candidates)
  for (const target of new Set(candidates.map(({ to }) => to))) chooseBest(candidates, target)
  findKey(candidates)
  yield
  if (!isOwn) proposeByValues(candidates, sample)
  const columns = candidates.map(({ header: name, to, likely }): ColumnMapping => ({
    header: name,
    to,
    ...(to === 'custom' ? { name: identifyColumn(name).name } : {}),
    ...(to === null && likely ? { likely } : {}),
  }))
  return yield* completeReadings({ ...USUAL_CHOICES, country, columns }, header, sample)
}

/**
 * Fills in how the values of columns are read, where the mapping doesn't say, as the values in the sample tell. What they
 * don't tell is left open, and words that are new are asked.
 */
export function* completeReadings(
  mapping: Mapping,
  header: readonly string[],
  sample: FileSample,
): Generator<void, Mapping, void> {
  const isOwn = hasOwnColumns(header)
  const places = locateColumns(header, mapping.columns)
  const placed = mapping.columns.map((column, at) => ({
    ...column,
    at: places[at]!,
    sample: sample.columns[places[at]!] ?? { values: new Map<string, number>(), filled: 0 },
  }))
  const columns: ColumnMapping[] = []
  for (const [at, column] of mapping.columns.entries()) {
    const values = placed[at]!.sample.values.keys()
    const given = { to: column.to, meaning: recognizeHeader(column.header), values }
    const reading = proposeReading({ ...given, candidates: placed, sample, isOwn })
    const words = reading.words && { words: joinWords(reading.words, column.words ?? {}) }
    columns.push({ ...reading, ...column, ...words })
    yield
  }
  agreeOnDates(columns)
  return { ...mapping, columns }
}

type Words = NonNullable<ColumnMapping['words']>

/** The words whose meaning is open come first, so that a column with too many words stays open. */
function joinWords(found: Words, given: Words): Words {
  const isKnown = ([, status]: [string, Status | null]) => status !== null
  const all = Object.entries({ ...found, ...Object.fromEntries(Object.entries(given).filter(isKnown)) })
  const open = all.filter((entry) => !isKnown(entry))
  return Object.fromEntries([...open, ...all.filter(isKnown)].slice(0, MAX_WORDS))
}

/** The object whose member a column is: `manager` of `manager.name`; empty if the person of the row is. */
function readParent(header: string): string {
  return header.slice(0, Math.max(0, header.lastIndexOf('.')))
}

/**
 * Finds the objects that are about other people, such as managers: their names, addresses, and ids are missing in some
 * rows, or are the same in several.
 */
function findOthers(header: readonly string[], { columns, rows }: FileSample): ReadonlySet<string> {
  const members = new Map<string, number[]>()
  for (const [at, name] of header.entries()) {
    const parent = readParent(name)
    const meaning = recognizeHeader(name) ?? (simplify(name.slice(parent.length)) === 'id' ? 'external_id' : null)
    if (parent !== '' && PERSONAL.has(meaning)) members.set(parent, [...(members.get(parent) ?? []), at])
  }
  const isOther = (places: readonly number[]) =>
    rows.some((cells) => places.every((at) => (cells[at] ?? '') === '')) ||
    places.some((at) => [...(columns[at]?.values.values() ?? [])].some((times) => times > 1))
  return new Set([...members].flatMap(([parent, places]) => (isOther(places) ? parent : [])))
}

/** What a person has alone. */
const PERSONAL: ReadonlySet<HeaderMeaning | null> = new Set<HeaderMeaning>([
  'full_name',
  'last_or_full_name',
  'first_or_full_name',
  'email',
  'external_id',
  'employee_number',
])

function describe(
  header: string,
  at: number,
  { columns, count }: FileSample,
  isOwn: boolean,
  isOfAnother: boolean,
): Candidate {
  const sample = columns[at] ?? { values: new Map(), filled: 0 }
  const evidence = weighValues(sample, count)
  const column = { at, header, sample, meaning: null, isExact: true, score: 100, evidence }
  const { kind, name } = identifyColumn(header)
  if (isSecretHeader(name) && !evidence.isFlag) return { ...column, meaning: 'never_store', to: 'nothing' }
  if (kind === 'origin' || kind === 'record') return { ...column, to: 'nothing' }
  if (kind === 'custom') return { ...column, to: 'custom' }
  // What the log has written is read as it is.
  if (isOwn) return { ...column, to: 'as_named' }
  // Other systems have ids, too.
  const isOurs = name !== 'id' || all(sample, (value) => value.startsWith('emp_'))
  if (kind === 'field' && name !== 'status' && isOurs) return { ...column, to: name }
  const found =
    readName(header) === header ? (recognizeHeader(header) ?? (simplify(header) === 'id' ? 'id' : null)) : null
  const meaning = isOfAnother && found !== 'manager' ? null : found
  const to = toTarget(meaning, header, sample, evidence)
  return { ...column, meaning, isExact: kind === 'field', to, score: rate(to, meaning, header, sample) }
}

function all({ values }: ColumnSample, isSo: (value: string) => boolean): boolean {
  for (const value of values.keys()) if (!isSo(value)) return false
  return true
}

/** The share of the values in the sample that are so. */
function share({ values }: ColumnSample, isSo: (value: string) => boolean): number {
  return values.size === 0 ? 1 : [...values.keys()].filter(isSo).length / values.size
}

/** What the name of a column says, unless its values contradict. */
function toTarget(
  meaning: Candidate['meaning'],
  header: string,
  sample: ColumnSample,
  evidence: Evidence,
): Target | null {
  // What has a known name and other values is asked.
  const other = sample.filled === 0 ? 'nothing' : null
  switch (meaning) {
    case null:
    case 'never_store':
    case 'not_ours':
      return 'nothing'
    case 'email':
      if (isPrivate(header)) return 'nothing'
      return share(sample, (value) => value.includes('@')) < 0.5 ? other : 'email'
    case 'phone':
      if (isPrivate(header)) return 'nothing'
      return share(sample, (value) => (value.match(/[0-9]/g)?.length ?? 0) >= 6) < 0.5 ? other : 'phone'
    case 'start_date':
    case 'termination_date':
      return share(sample, (value) => findDateOrders(value) !== null) < 0.5 ? other : meaning
    case 'status':
    case 'status_flag':
    case 'status_inverted':
      return toStatus(meaning, header, sample)
    case 'job_title':
      return share(sample, (value) => SALUTATION.test(value)) > 0.5 && sample.filled > 0 ? 'nothing' : meaning
    case 'manager':
      return sample.filled > 0 && all(sample, (value) => readYesOrNo(value) !== undefined) ? 'nothing' : meaning
    case 'country':
      return sample.filled > 0 && evidence.countries === 1 ? 'phone_country' : 'nothing'
    case 'id':
      return isNameColumn(evidence) ? 'full_name' : 'external_id'
    case 'first_or_full_name':
    case 'last_or_full_name':
    case 'full_name':
      return 'full_name'
    case 'external_id':
    case 'employee_number':
      return isNameColumn(evidence) ? 'full_name' : meaning
    case 'first_name':
    case 'last_name':
      return share(sample, (value) => /\p{L}/u.test(value) && !isDateText(value)) < 0.5 ? null : meaning
    case 'department':
    case 'division':
    case 'location':
      return meaning
  }
}

/** A column of names is never one of ids. */
function isNameColumn({ fullNames, codes }: Evidence): boolean {
  return fullNames > 0.5 && codes === 0
}

const SALUTATION = /^(?:mr|mrs|ms|miss|dr|prof|herr|frau|m|mme|mlle|sig|sra?|dhr|mevr|pan|pani)\.?$/i
/** Names that are used for many kinds of statuses. */
const VAGUE_STATUS =
  /^(?:status|state|statut|etat|situation|estado|situacion|situacao|stato|状態|ステータス|状态|статус|состояние)$/
/** The different words of a column that is taken for one of statuses. */
const USUAL_WORDS = 50

function toStatus(meaning: HeaderMeaning, header: string, sample: ColumnSample): Target | null {
  if (sample.values.size > USUAL_WORDS) return 'nothing'
  if (meaning !== 'status' || !VAGUE_STATUS.test(simplify(header))) return 'status'
  return sample.filled === 0 || share(sample, (value) => readStatusWord(value) !== undefined) > 0 ? 'status' : null
}

const MOBILE = /mobil|cell|handy|portable|movil|komork|telemovel|携帯|手机|мобил/
const LOGIN =
  /user(?! ?id)|login|log in|account|upn|benutzer|usuario|utente|utilisateur|gebruiker|uzytkownik|ユーザー|ログイン|用户|账号|логин|пользовател/
const CODE = /^[A-Z0-9][A-Z0-9_.-]{0,7}$/

/** How likely a column is the one for its attribute, beside others. */
function rate(to: Target | null, meaning: Candidate['meaning'], header: string, sample: ColumnSample): number {
  const isCoded = ['department', 'division', 'location', 'job_title'].includes(to ?? '') && sample.filled > 0
  return (
    (isAboutWork(header) ? 2 : 0) -
    (to === 'phone' && MOBILE.test(simplify(header)) ? 1 : 0) -
    (isCoded && all(sample, (value) => CODE.test(value)) ? 1 : 0) -
    (sample.filled === 0 ? 5 : 0) -
    (meaning === 'id' || meaning === 'status_flag' ? 1 : 0) -
    ((to === 'external_id' || to === 'email') && LOGIN.test(simplify(header)) ? 1 : 0) -
    (to === 'external_id' && all(sample, (value) => value.includes('@')) ? 2 : 0) -
    (meaning === 'status_inverted' ? 2 : 0) +
    (to === 'manager' && all(sample, (value) => !/\s/.test(trimBlanks(value))) ? 1 : 0) +
    (to === 'manager' && sample.filled > 0 && all(sample, (value) => value.includes('@')) ? 1 : 0)
  )
}

/** A full name is not needed beside first and last names, and a name may be one of these. */
function chooseNames(candidates: readonly Candidate[]): void {
  const has = (...meanings: Candidate['to'][]) => candidates.some(({ to }) => meanings.includes(to))
  const isFirst = has('last_name')
  const isLast = has('first_name')
  for (const candidate of candidates) {
    // A single word is no full name, apart from languages without blanks.
    const { meaning, evidence } = candidate
    const isPart = evidence.shortNames > 0 && evidence.fullNames === 0 && !evidence.isUnspaced
    if (meaning === 'first_or_full_name' && (isFirst || isPart) && !isLast) candidate.to = 'first_name'
    if (meaning === 'last_or_full_name' && (isLast || isPart) && !isFirst) candidate.to = 'last_name'
  }
  // A column of full names is no part of a name where no other one is.
  for (const candidate of candidates)
    if (isPartOfName(candidate) && candidate.evidence.fullNames > 0.5 && !(has('first_name') && has('last_name')))
      candidate.to = 'full_name'
  const isWhole = has('first_name') && has('last_name')
  const isFull = has('full_name')
  for (const candidate of candidates)
    if (isWhole ? candidate.to === 'full_name' : isFull && isPartOfName(candidate)) candidate.to = 'nothing'
}

const isPartOfName = ({ to, isExact }: Candidate) => !isExact && (to === 'first_name' || to === 'last_name')

/** People need an identifier, so a number of employees becomes one if nothing else does. */
function chooseIdentifiers(candidates: readonly Candidate[]): void {
  const hasEmail = candidates.some(({ to }) => to === 'email')
  const numbers = candidates.filter(({ to, isExact }) => to === 'employee_number' && !isExact)
  for (const candidate of candidates) {
    const { to, meaning, sample } = candidate
    if (to !== 'external_id' || candidate.score === 100) continue
    if (!hasEmail && sample.filled > 0 && all(sample, (value) => value.includes('@'))) candidate.to = 'email'
    else if (meaning === 'id' && countsRows(sample)) candidate.to = numbers.length > 0 ? 'nothing' : null
  }
  if (candidates.some(({ to }) => to === 'external_id')) return
  for (const candidate of numbers) candidate.to = 'external_id'
}

/** Whether the values only number the rows: 1, 2, 3. */
function countsRows(sample: ColumnSample): boolean {
  let row = 0
  return sample.values.size > 1 && all(sample, (value) => value === String((row += 1)))
}

const REPEATABLE: ReadonlySet<Target | null> = new Set(['nothing', 'custom', 'as_named', null])

/** Of several columns for an attribute, the best one becomes it. Between those that differ, a person has to decide. */
function chooseBest(candidates: readonly Candidate[], target: Target | null): void {
  if (REPEATABLE.has(target)) return
  const all = candidates.filter(({ to }) => to === target).toSorted((a, b) => b.score - a.score)
  const [first, ...others] = all
  if (!first) return
  if (target === 'status') return askOthers(others)
  const equal = others.filter(({ score }) => score === first.score)
  const isOpen = !equal.every(({ sample }) => isSame(sample, first.sample))
  for (const candidate of others) candidate.to = isOpen && equal.includes(candidate) ? null : 'nothing'
  if (isOpen) first.to = null
}

/** Several columns may say who has left: those that name anybody are asked. */
function askOthers(others: readonly Candidate[]): void {
  for (const candidate of others) {
    const { sample, meaning } = candidate
    const isSilent = all(sample, (value) => readWord(value, meaning) === 'active')
    candidate.to = isSilent ? 'nothing' : null
    if (!isSilent) candidate.likely = 'status'
  }
}

/** Whether two columns have the same values in the same order, as far as the sample shows. */
function isSame(one: ColumnSample, other: ColumnSample): boolean {
  if (one.filled === 0 || one.filled !== other.filled || one.values.size !== other.values.size) return false
  const values = other.values.entries()
  return [...one.values].every(([value, count]) => {
    const [same, times] = values.next().value!
    return value === same && count === times
  })
}

/** The columns of ids that are looked at. */
const MAX_KEYS = 8

/** Managers may be named by an id that is no attribute. */
function findKey(candidates: readonly Candidate[]): void {
  const manager = candidates.find(({ to }) => to === 'manager')
  const keys = candidates.filter(({ to, meaning }) => to === 'nothing' && meaning === 'id').slice(0, MAX_KEYS)
  const key = manager && keys.find(({ sample }) => overlap(manager.sample, sample) > 0)
  if (key && !candidates.some(({ to, sample }) => IDENTIFIERS.has(to) && overlap(manager.sample, sample) > 0))
    key.to = 'key'
}

const IDENTIFIERS: ReadonlySet<Target | null> = new Set(['external_id', 'employee_number', 'email'])

function overlap({ values }: ColumnSample, other: ColumnSample): number {
  return [...values.keys()].filter((value) => other.values.has(value)).length
}

/** A program writes all of its dates alike. */
function agreeOnDates(columns: readonly ColumnMapping[]): void {
  const orders = new Set(columns.flatMap(({ dates }) => dates ?? []))
  const [order] = orders
  if (orders.size === 1 && order) for (const column of columns) if (column.dates === null) column.dates = order
}
