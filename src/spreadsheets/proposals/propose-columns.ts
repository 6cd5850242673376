import { trimBlanks } from '../../text/normalize-text.ts'
import { all, ask, type Candidate } from './candidate.ts'
import { isPhone, TEXTS } from '../mapping/mapping.ts'
import type { FileSample } from './column-samples.ts'
import { ColumnsOfFile, MOST } from './columns-of-file.ts'
import { HEADING_COLUMN } from '../tables/find-table.ts'
import { lacksNames, namesManagers, proposeByName } from './propose-by-name.ts'
import { foldLatin, readWord } from './propose-reading.ts'
import { readCountryName } from '../values/read-country.ts'
import { readDate } from '../values/read-date.ts'
import { isPrefix } from '../values/split-name.ts'
import { isInUnit, isOfLeavers, mentionsLeaving, readStatusWord, readWordOf } from '../words/status-words.ts'

/*
 * What columns are, by evidence of three kinds: their names, their values, and their relations to other columns. A column
 * becomes what its name says unless its values contradict, or what its values prove in any language. Where something
 * else is possible, too, it is asked, if the file lacks what the column may be, or if it may say who has left.
 */

/** Proposes what columns become, or asks. Changes the candidates. Yields where something else may be done. */
export function* proposeColumns(columns: readonly Candidate[], sample: FileSample): Generator<void, void, void> {
  proposeByName(columns, sample)
  yield
  const file = new ColumnsOfFile(columns, sample)
  const unknown = () =>
    columns.filter(
      ({ meaning, isExact, to, sample: { filled } }) => meaning === null && !isExact && to === 'nothing' && filled > 0,
    )
  // Who names most columns as the API does, or the id, knows what the others are, apart from who has left. A few other
  // names are no proof: other systems have a `department`, too.
  const exact = columns.filter(({ isExact, to }) => isExact && to !== 'nothing')
  if (exact.length * 2 >= columns.length || exact.some(({ to }) => to === 'external_id')) {
    yield* askStatus(unknown(), file, true)
    yield* askRemarks(unknown(), file)
    return askBesides(file)
  }
  for (const propose of PROPOSALS) {
    yield
    yield* propose(unknown(), file) ?? []
  }
  askBesides(file)
}

/** A column of which most values are other rows' ids, addresses, or names. */
function* proposeManagers(unknown: readonly Candidate[], file: ColumnsOfFile): Generator<void, void, void> {
  const named = file.all.find(({ to, likely }) => to === 'manager' || likely === 'manager')
  if (named && named.sample.filled > 0 && named.evidence.texts < MOST) return
  const found = yield* select(unknown, (column) => file.isOfOthers(column))
  const [best, other] = named ? found.filter(({ evidence }) => evidence.texts === 0) : found
  const isTree = best && !other && file.isTree(best)
  if (named && !isTree) return
  if (named?.to === 'manager') named.to = 'nothing'
  // Mentors lead from person to person, too.
  ask(found, 'manager')
}

/** Names or codes of countries, if the file has phone numbers. */
function proposeCountry(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const hasPhones = file.all.some(({ to, evidence }) => isPhone(to) || evidence.phones > 0.5)
  if (!hasPhones || file.has('phone_country')) return
  const found = unknown.filter(({ evidence }) => evidence.areCountries)
  // A department may be called IT.
  const isName = ({ sample: { values } }: Candidate) =>
    [...values.keys()].some((name) => trimBlanks(name).length > 2) ||
    new Set([...values.keys()].map(readCountryName)).size > 1
  if (found.length === 1 && isName(found[0]!)) found[0]!.to = 'phone_country'
  else ask(found, 'phone_country')
}

/** What last names begin with, in a column beside them. Codes of languages and countries look alike. */
function askPrefix(_unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const last = file.all.find(({ to }) => to === 'last_name')
  if (!last) return
  const isBeside = ({ at, sample }: Candidate) => Math.abs(at - last.at) === 1 && sample.filled < file.sample.count
  const found = file.all.filter(isUnused).filter((column) => isBeside(column) && column.sample.filled > 0)
  ask(
    found.filter(({ sample }) => all(sample, isPrefix)),
    'last_name_prefix',
  )
}

/** Selects columns or rows, each in a turn of its own: a file can have many columns. */
function* select<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): Generator<void, Item[], void> {
  const found: Item[] = []
  for (const item of items) {
    yield
    if (isWanted(item)) found.push(item)
  }
  return found
}

const isUnused = ({ to, isExact }: Candidate) => to === 'nothing' && !isExact

function proposeEmail(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  if (file.has('email')) return
  const isAddress = ({ evidence }: Candidate) => evidence.addresses >= MOST
  const found = unknown.filter(isAddress)
  // What sounds private may be all that there is: `Personal.Email`.
  if (found.length === 0) return ask(file.all.filter(isUnused).filter(isAddress), 'email')
  const [own, another] = found.filter((column) => column.evidence.isUnique && isOfCompany(column, file))
  // Others may be private ones, or those of managers.
  if (!own || another) return ask(found, 'email')
  own.to = 'email'
  // Managers may be named by addresses that no row has.
  const domain = domainsOf(own)[0]
  ask(
    found.filter((column) => column !== own && domainsOf(column).includes(domain)),
    'manager',
  )
}

function domainsOf({ sample: { values } }: Candidate): (string | undefined)[] {
  return [...new Set([...values.keys()].map((value) => value.split('@')[1]?.trim().toLowerCase()))]
}

/** The fewest addresses with one domain that are no coincidence, beside texts of their rows and without these. */
const [FEW_ADDRESSES, MANY_ADDRESSES] = [3, 8]

/** Whether all addresses are of one domain, and made of names or ids that stand in their rows. */
function isOfCompany(column: Candidate, { sample: { rows } }: ColumnsOfFile): boolean {
  const { at, sample } = column
  if (domainsOf(column).length !== 1 || sample.values.size < FEW_ADDRESSES) return false
  const filled = rows.filter((cells) => (cells[at] ?? '') !== '')
  const isMade = (cells: readonly string[]) =>
    cells.some((cell, other) => other !== at && isInAddress(cell, cells[at] ?? ''))
  return sample.values.size >= MANY_ADDRESSES || filled.filter(isMade).length >= filled.length * MOST
}

/** The shortest word of another cell that an address has, as nothing else has by chance. */
const SHORTEST_WORD = 3

/** Whether an address is made of a word of another cell. */
function isInAddress(cell: string, address: string): boolean {
  const local = foldLatin(address.replace(/@.*/, ''))
  return (
    !cell.includes('@') &&
    foldLatin(cell)
      .split(' ')
      .some((word) => word.length >= SHORTEST_WORD && local.includes(word))
  )
}

/** Whether the addresses of most rows are made of what a column has. */
function isOwn({ at }: Candidate, { all: columns, sample: { rows } }: ColumnsOfFile): boolean {
  const email = columns.find(({ to }) => to === 'email')?.at ?? -1
  const both = rows.filter((cells) => (cells[at] ?? '') !== '' && (cells[email] ?? '') !== '')
  return (
    both.length >= FEW_ADDRESSES &&
    both.filter((cells) => isInAddress(cells[at]!, cells[email]!)).length >= both.length * MOST
  )
}

const isFullName = ({ evidence }: Candidate) => evidence.fullNames >= 0.6 && evidence.isUnique

function proposeNames(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const hasAll = file.has('full_name') || (file.has('first_name') && file.has('last_name'))
  if (hasAll && !lacksNames(file.all, file.sample)) return
  const { count } = file.sample
  const isShortName = ({ evidence, sample }: Candidate) =>
    evidence.shortNames >= MOST && !evidence.isFlag && sample.filled * 2 > count
  const found = unknown.filter((column) => isFullName(column) || (isShortName(column) && !hasAll))
  // What sounds like another name may be the part that the file lacks: `First (& Middle) Name`.
  const lacksPart = !hasAll && file.has('first_name') !== file.has('last_name')
  for (const column of lacksPart ? file.all : [])
    if (column.meaning !== null && isUnused(column) && isShortName(column) && !column.evidence.isFew) found.push(column)
  const full = found.filter((column) => isFullName(column) && column.sample.filled === count)
  const own = full.filter((column) => isOwn(column, file))
  const [only, more] = own.length > 0 ? own : found.length === 1 && count >= FEW_ROWS ? full : []
  // How they are split is asked anyway.
  if (only && !more && !file.has('first_name') && !file.has('last_name')) only.to = 'full_name'
  else for (const column of found) ask([column], isFullName(column) ? 'full_name' : undefined)
  // Names without blanks may be whole ones, where no other column has the other part.
  const isWhole = ({ to, isExact, evidence }: Candidate) =>
    !isExact && (to === 'first_name' || to === 'last_name') && evidence.isUnspaced
  if (lacksPart) ask(file.all.filter(isWhole), 'full_name')
}

const isIdentified = ({ all: columns }: ColumnsOfFile) =>
  columns.some(({ to, likely }) => [to, likely].some((target) => target === 'email' || target === 'external_id'))

function proposeIds(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const used = file.all.find(({ to }) => to === 'external_id')
  // A login is made of a name, and changes with it.
  const isLogin = used?.meaning === 'user_name' && used.evidence.codes < 0.5 && !namesManagers(used, file.all)
  if (used && !isLogin) return
  const codes = unknown.filter(
    ({ evidence, sample }) =>
      evidence.codes >= MOST &&
      evidence.addresses === 0 &&
      evidence.isUnique &&
      sample.filled >= file.sample.count * MOST,
  )
  const others = codes.filter((column) => !column.evidence.isCounter || file.isReferred(column, true))
  // What numbers the rows may tell people apart where nothing else does.
  const found = others.length > 0 || isIdentified(file) ? others : codes
  // A phone number, or the number of a department, is unique in a small file, too.
  const proven = found.filter(
    (column) => !column.evidence.isCounter && (file.isReferred(column) || isOwn(column, file)),
  )
  const [sure, more] = proven
  if (isLogin) return found.length === 0 ? undefined : ask([...found, used], 'external_id')
  if (sure && !more) sure.to = 'external_id'
  else ask(found, 'external_id')
}

/** Managers may be named by what is no attribute, such as the number of a position. */
function proposeKey(_unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const managers = file.all.filter(({ to, likely }) => to === 'manager' || likely === 'manager')
  const [manager, more] = managers
  if (!manager || more || file.has('key')) return
  const texts = [...manager.sample.values.keys()]
  const isNaming = ({ evidence, sample: { values } }: Candidate) =>
    evidence.isUnique && texts.filter((text) => values.has(text)).length >= texts.length * MOST
  const [key, other] = file.all.filter((column) => column !== manager && isNaming(column))
  if (key && !other && key.to === 'nothing' && texts.length > 0) key.to = 'key'
}

function proposePhones(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  // Nothing shows whose phone it is: that at work, or a private one.
  if (!file.has('phone'))
    ask(
      unknown.filter(({ evidence }) => evidence.phones >= 0.5),
      'phone',
    )
}

/** Dates that some rows don't have may be those on which people have left; others may be those of their start. */
function* proposeDates(unknown: readonly Candidate[], file: ColumnsOfFile): Generator<void, void, void> {
  // One text may stand for no date: “open”.
  const isOpen = ({ evidence: { dates }, sample: { values } }: Candidate) =>
    values.size > 2 && dates < 1 && Math.round(dates * values.size) === values.size - 1
  const isRead = (column: Candidate) =>
    column.evidence.dates >= MOST || column.evidence.dayNumbers >= MOST || isOpen(column)
  for (const column of unknown.filter((one) => isRead(one) || one.evidence.periods >= MOST)) {
    yield
    const { sample, evidence } = column
    const isNone = (value: string) => readDate(value, { order: 'day_first', clock: 'ignore' }).value === null
    const isSparse = sample.filled < file.sample.count || isOpen(column) || [...sample.values.keys()].some(isNone)
    if ((file.isOfEverybody(column) && file.has('start_date')) || (!isSparse && file.isOfBirth(column))) continue
    const target = isSparse ? 'termination_date' : 'start_date'
    if (!isRead(column) && (!isSparse || file.has(target) || file.has('status'))) continue
    // A time of day is that of a sign-in, or of a change, rather than of a person's first or last day.
    if (!file.has(target)) ask([column], evidence.times < 0.5 ? target : undefined)
    // That everybody has left is never likely.
    else if (isSparse || (!file.has('termination_date') && file.isAfterStart(column))) ask([column])
  }
}

/** In so few rows, each may have a word of its own. */
const FEW_ROWS = 4
/** The shortest codes that are longer than those of a status usually are. */
const LONG_CODE = 3

/** Whether a column has numbers or texts with digits, other than yes and no. */
const isCode = ({ evidence }: Candidate) => evidence.codes === 1 && !evidence.isFlag

/** What may say who has left: yes and no, a mark, the headings above rows, and, unless others do, a few words. */
function* askStatus(
  unknown: readonly Candidate[],
  file: ColumnsOfFile,
  isSure = file.has('status'),
): Generator<void, void, void> {
  const { count } = file.sample
  const isUsed = file.has('status')
  const maySay = (column: Candidate) => {
    const { evidence, header, sample } = column
    // What is the same for everybody says who has left only if nothing else does.
    const isSameForAll = sample.values.size === 1 && sample.filled === count
    const saysOther = isSure || (file.has('termination_date') && !evidence.isFlag)
    if (isSameForAll && saysOther && count >= FEW_ROWS) return false
    if (header === HEADING_COLUMN) return true
    if (evidence.isCounter || file.isIndependent(column)) return false
    if (evidence.isFlag) return true
    if (file.isImplied(column) || evidence.areCountries) return false
    const words = [...sample.values.keys()]
    // A remark with a number is no status.
    if (words.some((text) => /\p{L}/u.test(text) && /\s/.test(text) && /\d/.test(text))) return false
    // Longer codes, as of cost centers, are asked only where no date says who has left.
    const isLong = isCode(column) && words.every((text) => trimBlanks(text).length >= LONG_CODE)
    if (isLong && file.has('termination_date')) return false
    const isTiny = count <= FEW_ROWS && (evidence.texts === 1 || words.every(({ length }) => length < 3))
    // Where nothing else says who has left, the reason for it may.
    const isRemark = !file.has('termination_date') && sample.filled < count && evidence.texts === 1 && isShort(words)
    const isFew = (evidence.isFew || isTiny || isRemark) && evidence.addresses + evidence.phones + evidence.dates === 0
    return (isFew && !isSure) || words.some((word) => readStatusWord(word) !== undefined)
  }
  const found = yield* select(unknown, maySay)
  const isKnown = ({ sample }: Candidate) =>
    sample.values.size > 1 && all(sample, (word) => readStatusWord(word) !== undefined)
  const known = isUsed ? undefined : found.find(isKnown)
  if (known) known.to = 'status'
  const others = found.filter((column) => column !== known)
  // Nothing about a code makes it likely.
  for (const column of others) ask([column], isUsed || isCode(column) ? undefined : 'status')
  // Yes and no are nothing else: what they mean is asked at once.
  const [only, more] = others
  const isVaried = only !== undefined && (only.sample.values.size > 1 || only.sample.filled < count)
  if (isVaried && only.evidence.isFlag && !more && !known && !isUsed) only.to = 'status'
}

/** The units of a directory that tell people apart. */
const FEW_UNITS = 12

const saysWhoLeft = (target?: Candidate['to']) => target === 'status' || target === 'termination_date'

/** Asks about columns with texts such as “left in May”, if nothing else says that these people have left. */
function* askRemarks(_: unknown, { all: columns, sample: { rows } }: ColumnsOfFile): Generator<void, void, void> {
  const telling = columns.filter(({ to, likely }) => saysWhoLeft(to) || saysWhoLeft(likely))
  const isTold = (cells: readonly string[]) =>
    telling.some(({ at, to, meaning }) => {
      const cell = trimBlanks(cells[at] ?? '')
      if (cell === '') return false
      const word = readWord(cell, meaning)
      // What may say who has left may be something else, too.
      return to === null ? word === 'inactive' : word !== 'active'
    })
  const others = yield* select(rows, (cells) => !isTold(cells))
  const found: Candidate[] = []
  for (const column of columns) {
    const isKey = column.to === 'key'
    if (!isUnused(column) && !isKey && !TEXTS.includes(column.to)) continue
    yield
    const remarks = [...new Set(others.map((cells) => readWordOf(cells[column.at] ?? '')))]
    // The units of a directory may be all that says it.
    const isTelling = telling.length === 0 && remarks.length > 1 && remarks.length <= FEW_UNITS
    const mayTell = isTelling && all(column.sample, isInUnit)
    // A department may be that of people who have left.
    if (mayTell || remarks.some(isUnused(column) ? mentionsLeaving : isOfLeavers)) found.push(column)
  }
  ask(found, 'status')
}

const MAX_LENGTH = 60
const isShort = (texts: readonly string[]) => texts.every(({ length }) => length <= MAX_LENGTH)

function* askTexts(unknown: readonly Candidate[], file: ColumnsOfFile): Generator<void, void, void> {
  if (TEXTS.every((target) => target === 'division' || file.has(target))) return
  const isAny = (column: Candidate) => {
    const { evidence, sample } = column
    const texts = [...sample.values.keys()]
    const isWord = isShort(texts) && texts.some(({ length }) => length > 1)
    const isName = isFullName(column) || file.isOfOthers(column)
    // Departments may be numbered: Hall 1, Hall 2.
    const isNumbered = evidence.isFew && texts.every((text) => /\p{L}{3}/u.test(text))
    const isText = (evidence.texts >= 0.5 || isNumbered) && evidence.addresses === 0
    return isText && isWord && !isName && sample.filled * 2 > file.sample.count
  }
  ask(yield* select(unknown, isAny))
}

/** Asks about used columns behind an empty one, if they end in another row: another table may stand beside this one. */
function askBesides({ all: columns, sample: { rows } }: ColumnsOfFile): void {
  const own = columns.find(({ to, likely }) => /_name|email|external_id/.test(to ?? likely ?? ''))
  const second = columns.find(({ at }, place) => place > 0 && columns[place - 1]!.at < at - 1)
  if (!own || !second) return
  const isBeside = ({ at, header }: Candidate) => at < second.at !== own.at < second.at && header !== HEADING_COLUMN
  const others = columns.filter(isBeside)
  const endOf = (some: readonly Candidate[]) =>
    rows.findLastIndex((cells) => some.some(({ at }) => (cells[at] ?? '') !== ''))
  if (endOf(others) !== endOf(columns.filter((column) => !isBeside(column))))
    ask(others.filter(({ to }) => to !== 'nothing'))
}

const PROPOSALS = [
  askPrefix,
  proposeManagers,
  proposeCountry,
  proposeEmail,
  proposeNames,
  proposeIds,
  proposeKey,
  proposePhones,
  proposeDates,
  askStatus,
  askRemarks,
  askTexts,
] as const
