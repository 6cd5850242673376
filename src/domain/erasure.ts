import { normaliseEmail } from './attributes.ts'
import type { EventData, EventType, NewEvent, RecordedEvent } from './events.ts'

/*
 * Forgetting. What is erased is the data of events; that they were there, their hashes and their counts stay. An
 * erasing event names the positions, and holds nothing personal itself.
 */

/** Types of event that make the data of others go, in the transaction that appends them. */
export const ERASING_TYPES = ['EmployeeErased', 'RecordsRetired', 'UserErased'] as const satisfies EventType[]

export type ErasingType = (typeof ERASING_TYPES)[number]

/** How many positions one erasing event names at most; an erasure of more is several events. */
export const POSITIONS_PER_EVENT = 10_000

export type ErasingEvent = Extract<NewEvent, { type: ErasingType }>

/** The events that erase these positions: as many as their number takes, from this version of the stream on. */
export function erasingEvents<Type extends ErasingEvent['type']>(
  type: Type,
  stream: string,
  firstVersion: number,
  positions: readonly number[],
) {
  const count = Math.ceil(positions.length / POSITIONS_PER_EVENT)
  return Array.from({ length: count }, (_, at) => {
    const named = positions.slice(at * POSITIONS_PER_EVENT, (at + 1) * POSITIONS_PER_EVENT)
    return { type, stream, version: firstVersion + at, index: null, data: { positions: named } }
  })
}

export function isErasing<Event extends { type: string }>(event: Event): event is Event & { type: ErasingType } {
  return (ERASING_TYPES as readonly string[]).includes(event.type)
}

/** All by which records may name one person: ids, normalised e-mail addresses, external ids. None is empty. */
export interface PersonNames {
  ids: Set<string>
  emails: Set<string>
  externalIds: Set<string>
}

export function noNames(): PersonNames {
  return { ids: new Set(), emails: new Set(), externalIds: new Set() }
}

/** Adds the names that an employee has or had, from an event of the employee's stream. */
export function collectNames(names: PersonNames, event: RecordedEvent): void {
  if (event.type === 'EmployeeCreated') {
    addName(names.emails, event.data?.attributes.email)
    addName(names.externalIds, event.data?.attributes.external_id)
  }
  if (event.type === 'EmployeeUpdated') {
    for (const value of Object.values(event.data?.changes['email'] ?? {})) addName(names.emails, value)
    for (const value of Object.values(event.data?.changes['external_id'] ?? {})) addName(names.externalIds, value)
  }
}

function addName(names: Set<string>, value: unknown): void {
  if (typeof value === 'string' && value !== '') names.add(value)
}

/**
 * Whether a refused record speaks of a person: it is theirs, or their id or e-mail address stands anywhere in what was
 * sent (in whatever field, spelling or text), or their external id where one is expected.
 */
export function speaksOf(rejected: EventData['EmployeeRecordRejected'], names: PersonNames): boolean {
  const { employee_id: employeeId, locator, truncated, names: named } = rejected
  const record = truncated ? withoutEscapes(rejected.record as string) : rejected.record
  if (employeeId !== null && names.ids.has(employeeId)) return true
  const sent = [locator, record, named]
  const externalIds = sent.flatMap((part) => EXTERNAL_ID_FIELDS.flatMap((field) => textsOf(part, field)))
  if (externalIds.some((text) => names.externalIds.has(text))) return true
  return sent.some((part) => someText(part, (text) => containsId(text, names.ids) || containsEmail(text, names.emails)))
}

/** A JSON text with a space for each escape: all that has to be escaped ends an e-mail address. */
function withoutEscapes(json: string): string {
  return json.replaceAll(/\\(?:u[0-9a-f]{4}|.)/g, ' ')
}

const EXTERNAL_ID_FIELDS = ['external_id', 'manager_external_id']

/** A member as the texts that it may have been meant as: a number spells an id, and white space is easily sent along. */
function textsOf(part: unknown, field: string): string[] {
  if (typeof part !== 'object' || part === null || !Object.hasOwn(part, field)) return []
  const value = (part as Record<string, unknown>)[field]
  return typeof value === 'string' || typeof value === 'number' ? [String(value), String(value).trim()] : []
}

/** Whether any text of a JSON value, names of members included, satisfies a condition. */
function someText(value: unknown, satisfies: (text: string) => boolean): boolean {
  if (typeof value === 'string') return satisfies(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) => {
    return (!Array.isArray(value) && satisfies(name)) || someText(member, satisfies)
  })
}

function containsId(text: string, ids: Set<string>): boolean {
  return [...ids].some((id) => text.includes(id))
}

function containsEmail(text: string, emails: Set<string>): boolean {
  if (emails.size === 0) return false
  const normalised = normaliseEmail(text)
  return [...emails].some((email) => standsAlone(normalised, email))
}

const LOCAL_PART_BEFORE = /[\p{L}\p{N}\p{M}._+-]$/u
const DOMAIN_BEHIND = /^(?:[\p{L}\p{N}\p{M}-]|\.[\p{L}\p{N}])/u

/** Whether an address stands in a text, and not as the end or the beginning of a longer one. */
function standsAlone(text: string, email: string): boolean {
  for (let at = text.indexOf(email); at >= 0; at = text.indexOf(email, at + 1)) {
    const end = at + email.length
    const isWhole =
      !LOCAL_PART_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && !DOMAIN_BEHIND.test(text.slice(end, end + 3))
    if (isWhole) return true
  }
  return false
}
