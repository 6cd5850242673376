import type { FileSample } from './column-samples.ts'
import { HEADING_COLUMN } from './find-table.ts'
import type { Target } from './mapping.ts'
import { spellManager } from './plan-rows.ts'
import type { Candidate } from './propose-mapping.ts'
import { foldLatin, listNames } from './propose-reading.ts'
import { readDate } from './read-date.ts'
import { readStatusWord } from './status-words.ts'

/*
 * What columns are whose names nobody knows: their values and their relations to other columns tell, in any language. A
 * column becomes an attribute by its values alone only if nothing else is possible. Otherwise it is asked, if the file
 * lacks what the column may be, or if it may say who has left.
 */

const MOST = 0.8
/** The ages at which people work, and the fewest rows that show them. */
const [YOUNGEST, OLDEST, MIN_LENGTHS] = [14, 90, 3]
/** In fewer rows, values stand beside each other by chance. */
const MANY_ROWS = 8

/** Proposes what columns become that have no known name, or asks. Changes the candidates. */
export function proposeByValues(candidates: readonly Candidate[], sample: FileSample): void {
  const unknown = candidates.filter(
    ({ to, meaning, isExact, sample: { filled } }) =>
      to === 'nothing' && filled > 0 && !isExact && (meaning === null || meaning === 'never_store'),
  )
  const file = new ColumnsOfFile(candidates, sample)
  const isOpen = (candidate: Candidate) => candidate.to === 'nothing'
  // Who names columns as the API does knows what the others are, apart from who has left.
  if (candidates.some(({ isExact, to }) => isExact && to !== 'nothing' && to !== 'custom')) {
    askStatus(unknown, file, true)
    return
  }
  for (const propose of [proposeManagers, proposeCountry, askEmail, askNames, askIds, askPhones, askDates, askStatus])
    propose(unknown.filter(isOpen), file)
  askTexts(unknown.filter(isOpen), file)
}

function ask(columns: readonly Candidate[], likely?: Target): void {
  for (const column of columns) {
    column.to = null
    if (likely) column.likely = likely
  }
}

/** What the columns of a file are so far. */
class ColumnsOfFile {
  readonly all: readonly Candidate[]
  readonly sample: FileSample

  constructor(all: readonly Candidate[], sample: FileSample) {
    this.all = all
    this.sample = sample
  }

  has(...targets: readonly Target[]): boolean {
    return this.all.some(({ to }) => to !== null && targets.includes(to))
  }

  /** Whether somebody is asked about a column that may become this. */
  asks(target: Target): boolean {
    return this.all.some(({ to, likely }) => to === null && likely === target)
  }

  /** Whether each value of a column stands beside one value of another that is used, and the other way round. */
  isImplied({ at }: Candidate): boolean {
    if (this.sample.count < MANY_ROWS) return false
    const used: readonly (Target | null)[] = ['department', 'division', 'location', 'job_title']
    return this.all.some((other) => other.at !== at && used.includes(other.to) && this.#isSame(at, other.at))
  }

  /** Whether the dates of a column are so long before others of their rows that people were born then. */
  isLongBefore({ at }: Candidate): boolean {
    const dates = this.all.filter((other) => other.at !== at && other.evidence.dates >= MOST)
    const years = (cell = '') => Number(readDate(cell, { order: 'day_first', clock: 'ignore' }).value?.slice(0, 4))
    return dates.some((other) => {
      const lengths = this.sample.rows.map((cells) => years(cells[other.at]) - years(cells[at]))
      const known = lengths.filter((length) => !Number.isNaN(length))
      return known.length >= MIN_LENGTHS && known.every((length) => length >= YOUNGEST && length < OLDEST)
    })
  }

  /** Whether most dates of a column are not before the start in their row, so that everybody may have left. */
  isAfterStart({ at }: Candidate): boolean {
    const start = this.all.find(({ to }) => to === 'start_date')?.at ?? -1
    const read = (cell = '') => readDate(cell, { order: 'day_first', clock: 'ignore' }).value ?? null
    const pairs = this.sample.rows.map((cells) => [read(cells[start]), read(cells[at])])
    return pairs.filter(([from, to]) => from === null || to === null || to! >= from!).length >= pairs.length * MOST
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

/** A column of which most values are other rows' ids, addresses, or names. */
function proposeManagers(unknown: readonly Candidate[], { all, sample }: ColumnsOfFile): void {
  // Ids tell people apart whose names are alike.
  const named = all.find(({ to, likely }) => to === 'manager' || likely === 'manager')
  if (named && named.sample.filled > 0 && named.evidence.texts < MOST) return
  const names = listNames(all, sample)
  for (const name of listUnknownNames(all, sample)) names.add(name)
  const found = unknown.filter((column) => {
    const values = [...column.sample.values.keys()]
    if (column.evidence.isUnique && column.sample.filled === sample.count) return false
    const others = all.filter(({ at, evidence }) => at !== column.at && evidence.isUnique)
    const refers = (value: string) => {
      const text = value.trim()
      const spellings = spellManager('full_name', text)
      if (spellings.some((name) => names.has(name))) return true
      const keys = [...spellManager('external_id', text), ...spellManager('email', text)]
      return others.some(({ sample: { values: ids }, evidence }) =>
        [...keys, ...(evidence.fullNames > 0.5 ? spellings : [])].some((key) => ids.has(key)),
      )
    }
    const isOwn = (cells: readonly string[]) =>
      cells.some((cell, at) => at !== column.at && cell !== '' && cell === cells[column.at])
    const owned = sample.rows.filter((cells) => (cells[column.at] ?? '') !== '' && isOwn(cells)).length
    return values.filter(refers).length >= values.length * MOST && owned * 2 < sample.rows.length
  })
  const byId = found.filter(({ evidence }) => evidence.texts === 0)
  if (named && byId.length !== 1) return
  if (named?.to === 'manager') named.to = 'nothing'
  const [best, other] = named ? byId : found
  if (best && !other) best.to = 'manager'
  else ask(found, 'manager')
}

/** The columns that may have parts of names. */
const MAX_PARTS = 4

/** The full names that two columns may be the parts of, where no column is known to have names. */
function listUnknownNames(all: readonly Candidate[], { rows }: FileSample): string[] {
  if (all.some(({ to }) => to === 'full_name' || to === 'first_name')) return []
  const isPart = ({ to, evidence }: Candidate) =>
    (to === 'nothing' || to === 'last_name') && evidence.shortNames >= MOST && evidence.isUnique
  const parts = all.filter(isPart).slice(0, MAX_PARTS)
  const pairs = parts.flatMap((one) => parts.flatMap((other) => (one === other ? [] : [[one.at, other.at] as const])))
  return rows.flatMap((cells) =>
    pairs.flatMap(([one, other]) => spellManager('full_name', `${cells[one] ?? ''} ${cells[other] ?? ''}`)),
  )
}

/** Names or codes of countries, if the file has phone numbers. */
function proposeCountry(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const found = unknown.filter(({ evidence }) => evidence.countries === 1)
  const hasPhones = file.all.some(({ to, evidence }) => to === 'phone' || evidence.phones > 0.5)
  if (hasPhones && !file.has('phone_country') && found.length === 1) found[0]!.to = 'phone_country'
}

function askEmail(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  if (file.has('email')) return
  const found = unknown.filter(({ evidence }) => evidence.addresses >= MOST)
  const [own, another] = found.filter((column) => isOfCompany(column, file))
  // Others may be private ones.
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
/** The shortest word of another cell that an address has, as nothing else has by chance. */
const SHORTEST_WORD = 3

/** Whether all addresses are of one domain, and made of names or ids that stand in their rows. */
function isOfCompany(column: Candidate, { sample: { rows } }: ColumnsOfFile): boolean {
  const {
    at,
    sample: { values },
  } = column
  if (domainsOf(column).length !== 1 || values.size < FEW_ADDRESSES) return false
  const isMade = (cells: readonly string[]) => {
    const local = foldLatin((cells[at] ?? '').replace(/@.*/, ''))
    const words = cells.flatMap((cell, other) => (other === at || cell.includes('@') ? [] : foldLatin(cell).split(' ')))
    return words.some((word) => word.length >= SHORTEST_WORD && local.includes(word))
  }
  const filled = rows.filter((cells) => (cells[at] ?? '') !== '')
  return values.size >= MANY_ADDRESSES || filled.filter(isMade).length >= filled.length * MOST
}

function askNames(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const hasAll = file.has('full_name') || (file.has('first_name') && file.has('last_name'))
  // Where rows have no other name, a full name may be theirs.
  const parts = file.all.filter(({ to }) => to === 'first_name' || to === 'last_name')
  const isMissing = (cells: readonly string[]) => parts.every(({ at }) => (cells[at] ?? '').trim() === '')
  if (hasAll && !(parts.length > 0 && file.sample.rows.some(isMissing))) return
  const isFull = ({ evidence }: Candidate) => evidence.fullNames >= 0.6 && evidence.isUnique
  const [full, more] = unknown.filter(isFull)
  // How they are split is asked anyway.
  const isSure = full && !more && parts.length === 0 && full.sample.filled === file.sample.count
  if (isSure && file.sample.count >= FEW_ROWS) full.to = 'full_name'
  else if (full) ask([full], 'full_name')
  if (hasAll) return
  const others = unknown.filter((column) => column !== full && (isFull(column) || column.evidence.shortNames >= MOST))
  ask(others.filter(({ evidence, sample: { filled } }) => !evidence.isFlag && filled * 2 > file.sample.count))
}

function askIds(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  // One value tells nothing.
  if (file.has('external_id') || file.sample.count < 2) return
  const found = unknown.filter(({ evidence, sample: { filled } }) => {
    const isCode = evidence.codes >= MOST && evidence.addresses === 0
    return isCode && evidence.isUnique && filled >= file.sample.count * MOST
  })
  const sure = [found.filter((column) => isReferred(column, file)), found.filter(isCode)].find(
    ({ length }) => length === 1,
  )
  if (sure) {
    sure[0]!.to = 'external_id'
    return
  }
  ask(found, 'external_id')
}

/** Whether values are no amounts: they have letters, or begin with a zero. */
function isCode({ sample: { values } }: Candidate): boolean {
  return [...values.keys()].every((value) => /^0\d|\p{L}/u.test(value.trim()))
}

/** Whether managers are named by the values of a column. */
function isReferred({ sample: { values } }: Candidate, { all }: ColumnsOfFile): boolean {
  const manager = all.find(({ to }) => to === 'manager')
  if (!manager || manager.sample.filled === 0) return false
  const texts = [...manager.sample.values.keys()]
  const isIn = (text: string) => spellManager('external_id', text.trim()).some((id) => values.has(id))
  return texts.filter(isIn).length >= texts.length * MOST
}

function askPhones(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  if (file.has('phone')) return
  const found = unknown.filter(({ evidence }) => evidence.phones >= MOST)
  if (found.length === 1 && found[0]!.evidence.phones === 1) found[0]!.to = 'phone'
  else ask(found, 'phone')
}

/** Dates that some rows don't have may be those on which people have left; others may be those of their start. */
function askDates(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  for (const column of unknown.filter(({ evidence }) => evidence.dates >= MOST)) {
    const { sample } = column
    const isSparse = sample.filled < file.sample.count || [...sample.values.keys()].some((value) => /9999/.test(value))
    if (isSparse) ask([column], file.has('termination_date') ? undefined : 'termination_date')
    else if (file.isLongBefore(column)) continue
    else if (!file.has('start_date')) ask([column], 'start_date')
    else if (!file.has('termination_date') && file.isAfterStart(column)) ask([column], 'termination_date')
  }
}

/** In so few rows, each may have a word of its own. */
const FEW_ROWS = 4

/** What may say who has left: yes and no, a mark, the headings above rows, and, unless others do, a few words. */
function askStatus(unknown: readonly Candidate[], file: ColumnsOfFile, isSure = file.has('status')): void {
  const isUsed = file.has('status')
  const found = unknown.filter((column) => {
    const { evidence, header, sample } = column
    // What is the same for everybody says who has left only if nothing else does.
    const isSame = sample.values.size === 1 && sample.filled === file.sample.count
    if (isSame && isSure && file.sample.count >= FEW_ROWS) return false
    if (evidence.isFlag || header === HEADING_COLUMN) return true
    if (file.isImplied(column)) return false
    const words = [...sample.values.keys()]
    const isStatus = words.some((word) => readStatusWord(word) !== undefined)
    // A remark with a number is no status.
    if (words.some((word) => /\p{L}.*\s.*\d/u.test(word))) return false
    const isFew = evidence.isFew || (file.sample.count <= FEW_ROWS && evidence.texts === 1)
    return isStatus || (isFew && !isSure && evidence.addresses + evidence.phones + evidence.dates === 0)
  })
  const known = found.find(
    ({ sample }) =>
      [...sample.values.keys()].every((word) => readStatusWord(word) !== undefined) && sample.values.size > 1,
  )
  if (known && !isUsed) known.to = 'status'
  ask(
    found.filter((column) => column !== known || isUsed),
    isUsed ? undefined : 'status',
  )
}

/** The texts that a file may have of everybody. */
const TEXTS = ['job_title', 'department', 'location'] as const satisfies Target[]
const MAX_LENGTH = 60

function askTexts(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  if (TEXTS.every((target) => file.has(target))) return
  ask(
    unknown.filter(({ evidence, sample: { values, filled } }) => {
      const isShort = [...values.keys()].every(({ length }) => length <= MAX_LENGTH)
      return evidence.texts >= 0.5 && evidence.addresses === 0 && isShort && filled * 2 > file.sample.count
    }),
  )
}
