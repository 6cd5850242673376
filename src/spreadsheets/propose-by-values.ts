import { trimBlanks } from '../text/normalize-text.ts'
import type { Candidate } from './candidate.ts'
import type { FileSample } from './column-samples.ts'
import { ColumnsOfFile, MOST } from './columns-of-file.ts'
import { HEADING_COLUMN } from './find-table.ts'
import type { Target } from './mapping.ts'
import { spellManager } from './plan-rows.ts'
import { foldLatin } from './propose-reading.ts'
import { readCountryName } from './read-country.ts'
import { readStatusWord } from './status-words.ts'

/*
 * What columns are whose names nobody knows: their values and their relations to other columns tell, in any language. A
 * column becomes an attribute by its values alone only if nothing else is possible. Otherwise it is asked, if the file
 * lacks what the column may be, or if it may say who has left.
 */

/** Proposes what columns become that have no known name, or asks. Changes the candidates. */
export function proposeByValues(candidates: readonly Candidate[], sample: FileSample): void {
  const unknown = candidates.filter(
    ({ to, meaning, isExact, sample: { filled } }) =>
      to === 'nothing' && filled > 0 && !isExact && (meaning === null || meaning === 'never_store'),
  )
  const file = new ColumnsOfFile(candidates, sample)
  const isOpen = (candidate: Candidate) => candidate.to === 'nothing'
  // Who names columns as the API does knows what the others are, apart from who has left.
  if (
    candidates.some(({ isExact, meaning, to }) => isExact && meaning === null && to !== 'nothing' && to !== 'custom')
  ) {
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

/** A column of which most values are other rows' ids, addresses, or names. */
function proposeManagers(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  // Ids tell people apart whose names are alike.
  const named = file.all.find(({ to, likely }) => to === 'manager' || likely === 'manager')
  if (named && named.sample.filled > 0 && named.evidence.texts < MOST) return
  const found = unknown.filter((column) => file.isOfOthers(column))
  const byId = found.filter(({ evidence }) => evidence.texts === 0)
  const [best, other] = named ? byId : found
  const isSure = best && !other && file.isTree(best)
  if (named && !isSure) return
  if (named?.to === 'manager') named.to = 'nothing'
  if (isSure) best.to = 'manager'
  else ask(found, 'manager')
}

/** Names or codes of countries, if the file has phone numbers. */
function proposeCountry(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  const hasPhones = file.all.some(({ to, evidence }) => to === 'phone' || evidence.phones > 0.5)
  if (!hasPhones || file.has('phone_country')) return
  const found = unknown.filter(({ evidence }) => evidence.countries === 1)
  // A department may be called IT.
  const isName = ({ sample: { values } }: Candidate) =>
    [...values.keys()].some((name) => trimBlanks(name).length > 2) ||
    new Set([...values.keys()].map(readCountryName)).size > 1
  if (found.length === 1 && isName(found[0]!)) found[0]!.to = 'phone_country'
  else ask(found, 'phone_country')
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
  const isMissing = (cells: readonly string[]) => parts.every(({ at }) => trimBlanks(cells[at] ?? '') === '')
  if (hasAll && !(parts.length > 0 && file.sample.rows.some(isMissing))) return
  const found = unknown.filter((column) => mayBeName(column, file))
  const [only, more] = found
  const isSure = only && !more && parts.length === 0 && isFullName(only) && only.sample.filled === file.sample.count
  // How they are split is asked anyway.
  if (isSure && file.sample.count >= FEW_ROWS) only.to = 'full_name'
  else for (const column of found.filter((one) => !hasAll || isFullName(one))) ask([column], nameLikely(column))
}

const isFullName = ({ evidence }: Candidate) => evidence.fullNames >= 0.6 && evidence.isUnique
const nameLikely = (column: Candidate) => (isFullName(column) ? 'full_name' : undefined)

function mayBeName(column: Candidate, { sample: { count } }: ColumnsOfFile): boolean {
  const { evidence, sample } = column
  return isFullName(column) || (evidence.shortNames >= MOST && !evidence.isFlag && sample.filled * 2 > count)
}

function askIds(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  // One value tells nothing.
  if (file.has('external_id') || file.sample.count < 2) return
  const found = unknown.filter(({ evidence, sample: { filled } }) => {
    const isCode = evidence.codes >= MOST && evidence.addresses === 0
    return isCode && evidence.isUnique && filled >= file.sample.count * MOST
  })
  // A phone number, or the number of a department, is unique in a small file, too.
  const [sure, more] = found.filter((column) => isReferred(column, file))
  if (sure && !more) sure.to = 'external_id'
  else ask(found, 'external_id')
}

/** Whether managers are named by the values of a column. */
function isReferred({ sample: { values } }: Candidate, { all }: ColumnsOfFile): boolean {
  const manager = all.find(({ to }) => to === 'manager')
  if (!manager || manager.sample.filled === 0) return false
  const texts = [...manager.sample.values.keys()]
  const isIn = (text: string) => spellManager('external_id', trimBlanks(text)).some((id) => values.has(id))
  return texts.filter(isIn).length >= texts.length * MOST
}

function askPhones(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  if (file.has('phone')) return
  // Nothing shows whose phone it is: that at work, or a private one.
  ask(
    unknown.filter(({ evidence }) => evidence.phones >= 0.5),
    'phone',
  )
}

/** Dates that some rows don't have may be those on which people have left; others may be those of their start. */
function askDates(unknown: readonly Candidate[], file: ColumnsOfFile): void {
  for (const column of unknown.filter(({ evidence }) => evidence.dates >= MOST || evidence.dayNumbers >= MOST)) {
    const { sample } = column
    const isSparse = sample.filled < file.sample.count || [...sample.values.keys()].some((value) => /9999/.test(value))
    // A time of day is that of a sign-in, or of a change, rather than of a person's first or last day.
    const askFor = (target: Target) => ask([column], column.evidence.times < 0.5 ? target : undefined)
    if (file.isOfEverybody(column) && file.has('start_date')) continue
    if (isSparse && file.has('termination_date')) ask([column])
    else if (isSparse) askFor('termination_date')
    else if (file.isLongBefore(column)) continue
    else if (!file.has('start_date')) askFor('start_date')
    // That everybody has left is never likely.
    else if (!file.has('termination_date') && file.isAfterStart(column)) ask([column])
  }
}

/** In so few rows, each may have a word of its own. */
const FEW_ROWS = 4

function isRemark(text: string): boolean {
  return /\p{L}/u.test(text) && /\s/.test(text) && /\d/.test(text)
}

/** What may say who has left: yes and no, a mark, the headings above rows, and, unless others do, a few words. */
function askStatus(unknown: readonly Candidate[], file: ColumnsOfFile, isSure = file.has('status')): void {
  const isUsed = file.has('status')
  const found = unknown.filter((column) => {
    const { evidence, header, sample } = column
    // What is the same for everybody says who has left only if nothing else does.
    const isSame = sample.values.size === 1 && sample.filled === file.sample.count
    if (isSame && isSure && file.sample.count >= FEW_ROWS) return false
    if (header === HEADING_COLUMN) return true
    if (file.isIndependent(column)) return false
    if (evidence.isFlag) return true
    if (file.isImplied(column) || evidence.countries === 1) return false
    const words = [...sample.values.keys()]
    const isStatus = words.some((word) => readStatusWord(word) !== undefined)
    // A remark with a number is no status.
    if (words.some(isRemark)) return false
    const isTiny = file.sample.count <= FEW_ROWS && (evidence.texts === 1 || words.every(({ length }) => length < 3))
    const isFew = evidence.isFew || isTiny
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
    unknown.filter((column) => {
      const { evidence, sample } = column
      const texts = [...sample.values.keys()]
      const isShort = texts.every(({ length }) => length <= MAX_LENGTH) && texts.some(({ length }) => length > 1)
      const isName = isFullName(column) || file.isOfOthers(column)
      return (
        evidence.texts >= 0.5 && evidence.addresses === 0 && isShort && !isName && sample.filled * 2 > file.sample.count
      )
    }),
  )
}
