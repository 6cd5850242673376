import { foldUserName, type AttributeName, listStoredAddresses } from './attributes.ts'
import { divide, type Pieces } from './pieces.ts'
import type { ErasingType } from './event-types.ts'
import { IDENTIFYING_FIELDS, type EventData, type NewEvent, type RecordedEvent } from './events.ts'
import { cutMarks, listStoredForms, normalizeEmail, normalizeText, trimBlanks } from '#text/normalize-text'

/*
 * Erasure deletes the data of events. The events themselves, their hashes and their counts stay. An erasing event names
 * their positions and contains no personal data.
 */

/** The maximum number of positions in one erasing event; a larger erasure takes several events. */
export const POSITIONS_PER_EVENT = 10_000

type ErasingEvent = Extract<NewEvent, { type: ErasingType }>

/** Makes the events that erase the data at these positions. Their versions count from `firstVersion`. */
export function buildErasingEvents<Type extends ErasingEvent['type']>(
  type: Type,
  stream: string,
  firstVersion: number,
  positions: readonly number[],
) {
  return divide(positions, POSITIONS_PER_EVENT).map((named, at) => {
    return { type, stream, version: firstVersion + at, index: null, data: { positions: named } }
  })
}

/** The ids, normalized emails, external ids, and folded user names that refer to a person. None is empty. */
export interface PersonNames {
  ids: Set<string>
  emails: Set<string>
  externalIds: Set<string>
  userNames: Set<string>
  /** The external ids of identity providers. */
  directoryIds: Set<string>
}

/** Returns a collection without names. */
export function emptyNames(): PersonNames {
  return { ids: new Set(), emails: new Set(), externalIds: new Set(), userNames: new Set(), directoryIds: new Set() }
}

/** Adds the names in an event of the employee's stream, current and former ones. */
export function collectNames(names: PersonNames, event: RecordedEvent): void {
  if (event.type === 'EmployeeCreated') {
    for (const name of NAMING) addName(names, name, event.data?.attributes[name])
  }
  if (event.type === 'EmployeeUpdated')
    for (const name of NAMING)
      for (const value of Object.values(event.data?.changes[name] ?? {})) addName(names, name, value)
}

const SETS = {
  email: 'emails',
  external_id: 'externalIds',
  user_name: 'userNames',
  directory_external_id: 'directoryIds',
} as const satisfies Partial<Record<AttributeName, keyof PersonNames>>
const NAMING = Object.keys(SETS) as (keyof typeof SETS)[]

function addName(names: PersonNames, name: keyof typeof SETS, value: unknown) {
  if (typeof value !== 'string' || value === '') return
  // Refused records have domains as they were sent.
  if (name === 'email') for (const form of listStoredAddresses(value)) names.emails.add(form)
  else names[SETS[name]].add(name === 'user_name' ? foldUserName(value) : value)
  // Most user names are addresses, which are found wherever they stand.
  if (name === 'user_name' && value.includes('@')) names.emails.add(foldUserName(value))
}

/**
 * Whether a refused record names a person: it is their own, or their id or email occurs anywhere in what was sent (in
 * any field, spelling or text), or their external id occurs in a field that identifies an employee.
 */
export function* mentionsPerson(rejected: EventData['EmployeeRecordRejected'], names: PersonNames): Pieces<boolean> {
  const { employee_id: employeeId, locator, truncated, names: named } = rejected
  if (employeeId !== null && names.ids.has(employeeId)) return true
  const record = truncated ? readingsOf(rejected.record as string) : rejected.record
  for (const [sent, field] of listTexts([locator, record, named], '')) {
    if (!(yield* mayNamePerson(sent, names))) continue
    for (const text of readingsOf(sent)) {
      yield
      if (yield* containsId(text, names.ids)) return true
      if (yield* containsEmail(text, names.emails)) return true
      if (yield* isExternalId(text, field, names)) return true
    }
  }
  return false
}

/** Whether the name of a file contains a person's id, email or, as a whole word, external id. */
export function* fileNamesPerson(fileName: string, names: PersonNames): Pieces<boolean> {
  // The extension looks like the end of a domain.
  return (yield* textNamesPerson(fileName, names)) || (yield* textNamesPerson(fileName.replace(/\.[^.]*$/, ''), names))
}

/** Whether the first line of a file, which names its columns, names a person: it may be a record. */
export function headerNamesPerson(header: readonly string[], names: PersonNames): Pieces<boolean> {
  return mentionsPerson({ locator: null, employee_id: null, record: { id: header }, errors: [] }, names)
}

/** Whether a text, such as an unreadable body, contains a person's id, email or, as a whole word, external id. */
export function* textNamesPerson(sent: string, names: PersonNames): Pieces<boolean> {
  if (!(yield* mayNamePerson(sent, names))) return false
  const { ids, emails, externalIds, userNames, directoryIds } = names
  const words = [...externalIds, ...directoryIds]
  for (const text of readingsOf(sent)) {
    yield
    if (yield* containsId(text, ids)) return true
    if (yield* containsEmail(text, emails)) return true
    const composed = normalizeText(text)
    if (yield* someName(words, (word) => containsWord(composed, normalizeText(word)))) return true
    const folded = userNames.size === 0 ? '' : foldUserName(text)
    if (yield* someName(userNames, (name) => containsWord(folded, name))) return true
  }
  return false
}

/** Printable ASCII and line breaks, without the signs with which escapes begin: such a text is read in one way. */
const READ_AS_IT_IS = /^[\t\n\r -$&-[\]-~]*$/

/**
 * Whether a text, or JSON as JSON.stringify writes it, may name a person: most neither need to be read in several ways
 * nor contain a name.
 */
export function* mayNamePerson(text: string, names: PersonNames): Pieces<boolean> {
  if (!READ_AS_IT_IS.test(text)) return true
  const lower = text.toLowerCase()
  yield
  const { ids, emails, externalIds, userNames, directoryIds } = names
  if (yield* someName([...ids, ...emails, ...userNames], (name) => lower.includes(name))) return true
  return yield* someName([...externalIds, ...directoryIds], (id) => lower.includes(normalizeEmail(id)))
}

/** How many names are looked for before a pause. */
const NAMES_AT_ONCE = 32

/** Whether a name satisfies a condition, in pieces: somebody may have had very many. */
function* someName(names: Iterable<string>, satisfies: (name: string) => boolean): Pieces<boolean> {
  let count = 0
  for (const name of names) {
    if (satisfies(name)) return true
    count += 1
    if (count % NAMES_AT_ONCE === 0) yield
  }
  return false
}

/** How often a text may be escaped. */
const MAX_ESCAPES = 3

/**
 * The ways to read a text: as it is, and as its escapes mean, those of JSON and those of addresses (percent-encoding).
 * Clients send forms as JSON, and JSON within JSON.
 */
function readingsOf(text: string) {
  const readings = [text]
  for (const read of [readEscapes, readPercents]) {
    for (let [last, count] = [text, 0]; count < MAX_ESCAPES; count += 1) {
      const meaning = read(last)
      if (meaning === last) break
      readings.push(meaning)
      last = meaning
    }
  }
  return readings.map(cutMarks)
}

function readPercents(text: string) {
  if (!text.includes('%')) return text
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

function containsWord(text: string, word: string) {
  return containsApart(text, word, /[\p{L}\p{N}]$/u, /^[\p{L}\p{N}\p{M}]/u)
}

/** Whether a text contains a part that neither goes on from what is before it nor goes on in what is behind it. */
function containsApart(text: string, part: string, before: RegExp, behind: RegExp) {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length
    if (!before.test(text.slice(Math.max(0, at - 2), at)) && !behind.test(text.slice(end, end + 3))) return true
  }
  return false
}

/** Replaces each escape in a JSON text with its character, and those of control characters with a space. */
function readEscapes(json: string) {
  if (!json.includes('\\')) return json
  return json.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, digits?: string, char?: string) => {
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16))
    return '"\\/'.includes(char!) ? char! : ' '
  })
}

/**
 * Clients mix these up, so an external id is looked for in all of them. In SCIM, the attributes have other names, in any
 * case, and a patch has a path and a value.
 */
const IDENTIFYING = new Set<string>([...IDENTIFYING_FIELDS, 'username', 'externalid', 'hrid', 'manager', 'value'])

/** The name of a member may be one of SCIM: an attribute, a path to one, or its whole name with the schema. */
function isIdentifying(name: string) {
  if (IDENTIFYING.has(name)) return true
  const [last = ''] = name.slice(-MAX_IDENTIFYING).toLowerCase().split(/[:.]/).slice(-1)
  return IDENTIFYING.has(last)
}

const MAX_IDENTIFYING = 64

/** Whether a field has one of a person's external ids or user names. White space may have been sent by mistake. */
function* isExternalId(
  text: string,
  field: string,
  { externalIds, userNames, directoryIds }: PersonNames,
): Pieces<boolean> {
  if (externalIds.size + userNames.size + directoryIds.size === 0 || field === '') return false
  if (listStoredForms(text).some((form) => externalIds.has(form) || directoryIds.has(form))) return true
  if (userNames.size > 0 && userNames.has(foldUserName(trimBlanks(text)))) return true
  // Of a truncated record, the text in a field for emails is kept as a normalized email.
  const asEmail = field.endsWith('email') ? normalizeEmail(text) : null
  return asEmail !== null && (yield* someName(externalIds, (id) => normalizeEmail(id) === asEmail))
}

/**
 * Lists all texts in a JSON value: strings, numbers, which may be ids, and the names of members. Each comes with the
 * name of the innermost identifying member around it, or an empty text.
 */
function* listTexts(value: unknown, field: string): Generator<[text: string, field: string], void> {
  if (typeof value === 'string' || typeof value === 'number') yield [String(value), field]
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) yield* listTexts(item, field)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    yield [name, field]
    yield* listTexts(member, isIdentifying(name) ? name : field)
  }
}

/** Ids are in lower case, but may have been sent in upper case. */
function containsId(text: string, ids: Set<string>) {
  const lower = ids.size === 0 ? '' : text.toLowerCase()
  return someName(ids, (id) => lower.includes(id))
}

function containsEmail(text: string, emails: Set<string>) {
  const normalized = emails.size === 0 ? '' : normalizeEmail(text)
  return someName(emails, (email) => containsWholeAddress(normalized, email))
}

const LOCAL_PART_BEFORE = /[\p{L}\p{N}\p{M}._+-]$/u
const DOMAIN_BEHIND = /^(?:[\p{L}\p{N}\p{M}-]|\.[\p{L}\p{N}])/u

/** Whether a text contains an address, other than as a part of a longer address. */
function containsWholeAddress(text: string, email: string) {
  return containsApart(text, email, LOCAL_PART_BEFORE, DOMAIN_BEHIND)
}
