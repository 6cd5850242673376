import { normalizeEmail, normalizeText, trimBlanks } from '../../text/normalize-text.ts'
import { readAddress } from '../cells.ts'
import type { DATE_TARGETS, ManagerKey, Mapping } from '../mapping/mapping.ts'
import { listMarks } from '../values/name-marks.ts'
import { foldName, readNameWithId } from '../values/split-name.ts'

/*
 * What rows say about each other: who is in the file twice, who the managers are, and in which order the rows can be
 * applied in parts, so that managers exist before those who name them.
 */

/** What identifies the person of a row. */
export const KEY_NAMES = ['id', 'email', 'external_id', 'employee_number', 'key'] as const
type KeyName = (typeof KEY_NAMES)[number]

/** What identifies the person of a row, and the manager. */
export interface RowKeys extends Partial<Record<KeyName, string>> {
  /** On which the row begins, from 1; of JSON, the number of the record. */
  line: number
  /** First and last name, and the full name as its column has it, as `foldName` makes them. */
  names?: string[]
  manager?: { by: ManagerKey; text: string }
  /** As YYYY-MM-DD. */
  dates?: Partial<Record<(typeof DATE_TARGETS)[number], string>>
  /** A digest of the cells that are used. */
  digest?: string
  /** How else the row names the manager: by an id, or by a second identifier. The plan does not need them. */
  otherManagers?: string[]
}

/** What the other rows say about a row. */
export interface RowPlan {
  /** The manager, as the API names one; or why nobody is found. */
  manager?:
    | { email: string; external_id?: undefined; fault?: undefined }
    | { email?: undefined; external_id: string; fault?: undefined }
    | { email?: undefined; external_id?: undefined; fault: string }
  /** An earlier row has the address, too. */
  isEmailLeftOut?: true
  /** The earlier row that says the same: this one is left out. */
  repeats?: string
  /** Why the row is refused. */
  faults?: string[]
}

/** The plan of a file. */
export interface FilePlan {
  /** Of the rows about which there is something to say, by their index. */
  plans: ReadonlyMap<number, RowPlan>
  /** The index of the row of each row's manager; `NOBODY` if that is nobody in the file. */
  managers: Int32Array
  /** The indexes of the rows, managers first, and in the order of the file otherwise. */
  order: readonly number[]
  /** The indexes of the rows whose manager is nobody in the file, but may be in the company. */
  absent: readonly number[]
}

/** The rows that are looked at before others may have their turn. */
const AT_ONCE = 200
/** The lines that a message names. */
const MAX_LINES = 5

export const NO_MANAGER = 'is nobody in the file. Correct it, or leave the manager out'
const OWN_MANAGER = 'is the person of the same row'
const SEVERAL = 'is several people'

/** Whether nobody can tell who a row's manager is. Such a row can go in without one. */
export function isManagerUnknown({ manager }: RowPlan): boolean {
  const fault = manager?.fault ?? ''
  return fault === NO_MANAGER || fault === OWN_MANAGER || fault.startsWith(SEVERAL)
}

/**
 * Plans the rows of a file, in pieces: it yields where something else may be done. `place` names a row in a message.
 */
export function* planRows(
  rows: readonly RowKeys[],
  choices: Pick<Mapping, 'shared_emails'>,
  place: (line: number) => string,
): Generator<void, FilePlan, void> {
  const plans = new Map<number, RowPlan>()
  const people = new People(rows)
  for (const [at, row] of rows.entries()) {
    if (at % AT_ONCE === 0) yield
    people.add(at, row)
  }
  yield* findRepeated(rows, people, choices, place, plans)
  const managers = new Int32Array(rows.length).fill(NOBODY)
  const absent: number[] = []
  for (const [at, row] of rows.entries()) {
    if (at % AT_ONCE === 0) yield
    if (!row.manager) continue
    const found = people.findManager(row.manager, rows, place)
    if (typeof found === 'string') setPlan(plans, at, { manager: { fault: found } })
    else if (found === at) setPlan(plans, at, { manager: { fault: OWN_MANAGER } })
    else {
      if (found === NOBODY) absent.push(at)
      managers[at] = found
      setPlan(plans, at, { manager: nameManager(row.manager, rows[found], plans.get(found), place) })
    }
  }
  return { order: yield* orderRows(rows, managers, place, plans), managers, plans, absent }
}

function setPlan(plans: Map<number, RowPlan>, at: number, more: RowPlan): void {
  plans.set(at, { ...plans.get(at), ...more })
}

export const NOBODY = -1
/** The words of a name that are compared. */
const MAX_NAME_WORDS = 8

/** The words of a name in an order that doesn't depend on how it is written. */
function sortWords(name: string): string {
  const words = name.split(/[\s,、，]+/, MAX_NAME_WORDS).filter((word) => word !== '')
  return words.toSorted().join(' ')
}

/** The people of a file by what identifies them. */
class People {
  /** The index of the first row with an identifier, by its kind: a map of all of them would grow in long steps. */
  readonly #first = new Map<string, Map<string, number>>()
  /** The indexes of the rows with a name that several people have. */
  readonly #namesakes = new Map<string, number[]>()

  readonly #hasNamedManagers: boolean

  constructor(rows: readonly RowKeys[]) {
    this.#hasNamedManagers = rows.some(({ manager }) => manager?.by === 'full_name')
  }

  add(at: number, row: RowKeys): void {
    for (const name of KEY_NAMES) {
      const text = row[name]
      if (text !== undefined) this.#put(name, text, at)
    }
    if (!this.#hasNamedManagers || !row.names) return
    for (const name of new Set([...row.names, ...row.names.map(sortWords)])) this.#put('full_name', name, at)
  }

  #put(name: string, text: string, at: number): void {
    const texts = this.#first.get(name) ?? new Map<string, number>()
    this.#first.set(name, texts)
    const first = texts.get(text)
    if (first === undefined) texts.set(text, at)
    else if (first !== at) {
      const key = `${name} ${text}`
      const others = this.#namesakes.get(key) ?? [first]
      if (others.length <= MAX_LINES) this.#namesakes.set(key, [...others, at])
    }
  }

  find(name: KeyName, text: string): number {
    return this.#first.get(name)?.get(text) ?? NOBODY
  }

  /** Finds the row of a manager, or says why nobody is found. Somebody who is not in the file may be in the company. */
  findManager(
    { by, text }: NonNullable<RowKeys['manager']>,
    rows: readonly RowKeys[],
    place: (line: number) => string,
  ) {
    for (const spelling of spellManager(by, text)) {
      const key = `${by} ${spelling}`
      const others = by === 'full_name' || by === 'employee_number' ? this.#namesakes.get(key) : undefined
      if (others)
        return `${SEVERAL}: ${others
          .slice(0, MAX_LINES)
          .map((at) => place(rows[at]!.line))
          .join(', ')}`
      const found = this.#first.get(by)?.get(spelling)
      if (found !== undefined) return found
    }
    return by === 'email' || by === 'external_id' ? NOBODY : NO_MANAGER
  }
}

/** The ways in which a manager may be written, the exact one first. */
export function spellManager(by: ManagerKey, sent: string): string[] {
  const text = readCommonName(sent) ?? sent
  const parts = readNameWithId(text)
  if (by === 'full_name') {
    const name = parts?.name ?? text
    const [last = '', first, ...others] = name.split(/[,、，]/, MAX_NAME_WORDS)
    const unmarked = listMarks(text).map((mark) => mark.name)
    const spellings = [
      text,
      name,
      ...unmarked,
      ...(first !== undefined && others.length === 0 ? [`${first} ${last}`] : []),
    ]
    return [...spellings.map(foldName), sortWords(foldName(name))]
  }
  const texts = [...new Set([sent, text, parts?.id ?? text])]
  return by === 'email' ? texts.map((one) => normalizeEmail(readAddress(one))) : texts
}

/** The longest distinguished name that is looked at. */
const MAX_DISTINGUISHED = 512

/** The common name of a distinguished name (RFC 4514): `CN=Perez\\, Ana,OU=Staff`; null if it is none. */
function readCommonName(text: string): string | null {
  if (text.length > MAX_DISTINGUISHED || !/^(?:CN|UID)=/i.test(text)) return null
  const name = /^[A-Z]+=((?:\\.|[^,\\])*)/i.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1').trim()
  return name === undefined || name === '' ? null : name
}

/** Names a manager as the API does: as the row does if it can, or by what identifies the person found. */
function nameManager(
  { by, text }: NonNullable<RowKeys['manager']>,
  row: RowKeys | undefined,
  plan: RowPlan | undefined,
  place: (line: number) => string,
): NonNullable<RowPlan['manager']> {
  if (row?.external_id !== undefined && by !== 'email') return { external_id: row.external_id }
  if (by === 'external_id') return { external_id: spellManager(by, text).at(-1)! }
  if (by === 'email') return { email: spellManager(by, text).at(-1)! }
  if (row?.email !== undefined && !plan?.isEmailLeftOut) return { email: row.email }
  const where = row === undefined ? '' : `is on ${place(row.line)}, and `
  return { fault: `${where}has neither an external id nor an email address of their own` }
}

/** Finds people who are in several rows, and addresses that several people have. */
function* findRepeated(
  rows: readonly RowKeys[],
  people: People,
  { shared_emails: sharedEmails }: Pick<Mapping, 'shared_emails'>,
  place: (line: number) => string,
  plans: Map<number, RowPlan>,
): Generator<void, void, void> {
  const refuse = (at: number, fault: string) => {
    if (!plans.get(at)?.faults) setPlan(plans, at, { faults: [fault] })
  }
  for (const [at, row] of rows.entries()) {
    if (at % AT_ONCE === 0) yield
    for (const name of ['id', 'external_id', 'email'] as const) {
      const text = row[name]
      const first = text === undefined ? at : people.find(name, text)
      if (first === at) continue
      const other = rows[first]!
      if (row.digest !== undefined && row.digest === other.digest) {
        setPlan(plans, at, { repeats: place(other.line) })
        break
      }
      const isShared = name === 'email' && areOthers(row, other)
      if (isShared && sharedEmails === 'leave_out') {
        setPlan(plans, at, { isEmailLeftOut: true })
        continue
      }
      const what = isShared
        ? 'is that of somebody else, too: correct it, or leave it out in the later rows'
        : 'is in the file again: a file may change an employee only once'
      // An address may be that of several people.
      const advice = name !== 'email' ? '. If this person has several jobs, keep the row of the main one' : ''
      refuse(first, `The ${name} of this row ${what} (${place(row.line)})${advice}`)
      refuse(at, `The ${name} of this row ${what} (${place(other.line)})${advice}`)
    }
  }
}

/** Whether two rows are about two people. */
function areOthers(row: RowKeys, other: RowKeys): boolean {
  return row.external_id !== undefined && other.external_id !== undefined && row.external_id !== other.external_id
}

/** Orders rows so that managers come first. Those whose managers form a circle have none. */
function* orderRows(
  rows: readonly RowKeys[],
  managers: Int32Array,
  place: (line: number) => string,
  plans: Map<number, RowPlan>,
): Generator<void, number[], void> {
  const order: number[] = []
  // The start of the walk that has come to a row, and 0 before any has.
  const walkOf = new Int32Array(rows.length)
  for (let start = 0; start < rows.length; start += 1) {
    if (start % AT_ONCE === 0) yield
    const path: number[] = []
    let at = start
    while (at !== NOBODY && walkOf[at] === 0) {
      walkOf[at] = start + 1
      path.push(at)
      at = managers[at]!
      if (path.length % AT_ONCE === 0) yield
    }
    if (at !== NOBODY && walkOf[at] === start + 1) yield* breakCircle(path.slice(path.indexOf(at)), rows, place, plans)
    while (path.length > 0) order.push(path.pop()!)
  }
  return order
}

function* breakCircle(
  circle: readonly number[],
  rows: readonly RowKeys[],
  place: (line: number) => string,
  plans: Map<number, RowPlan>,
): Generator<void, void, void> {
  const places = circle.slice(0, MAX_LINES).map((at) => place(rows[at]!.line))
  const fault = `is part of a circle of managers: ${places.join(' → ')}${circle.length > MAX_LINES ? ' → …' : ''}`
  for (const [number, at] of circle.entries()) {
    if (number % AT_ONCE === 0) yield
    setPlan(plans, at, { manager: { fault } })
  }
}

/** What identifies the person and the manager of a record, as the API has them. */
export function keysOfRecord(record: unknown): Omit<RowKeys, 'line'> {
  const { id, email, external_id, manager_id, manager_email, manager_external_id } = (
    typeof record === 'object' && record !== null ? record : {}
  ) as Record<string, unknown>
  const isText = (value: unknown) =>
    typeof value === 'string' && trimBlanks(value) !== '' && value.length <= MAX_IDENTIFIER
  const others = [manager_id, ...(isText(manager_external_id) ? [manager_email] : [])].filter(isText) as string[]
  return {
    ...(isText(id) ? { id: id as string } : {}),
    ...(isText(email) ? { email: normalizeEmail(email as string) } : {}),
    ...(isText(external_id) ? { external_id: normalizeText(external_id as string) } : {}),
    ...(isText(manager_email) ? { manager: { by: 'email', text: manager_email as string } } : {}),
    ...(isText(manager_external_id)
      ? { manager: { by: 'external_id', text: normalizeText(manager_external_id as string) } }
      : {}),
    ...(others.length > 0 ? { otherManagers: others } : {}),
  }
}

/** The characters of the longest identifier. An employee with a longer one is refused, so it needs no comparison. */
const MAX_IDENTIFIER = 512
