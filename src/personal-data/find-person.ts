import type { Pool, PoolClient } from 'pg'
import { filterInTurns } from '#admission/turns'
import { listStoredAddresses } from '#domain/attributes'
import { textNamesPerson, collectNames, emptyNames, type PersonNames } from '#domain/erasure'
import { problem } from '#domain/errors'
import { isId } from '#domain/ids'
import { listStoredForms, normalizeEmail } from '#text/normalize-text'
import * as erase from '#ledger/erasure/erase-events'
import { findEventsWith, readStreamPages } from '#ledger/erasure/find-events'
import { readBodyPages, readValidPages } from '#ledger/erasure/rejected-records'
import { findCallsNaming } from '#ledger/erasure/forget-answers'
import { RefusedByStateError } from '#accounts/change-company'
import {
  type EmployeeEvents,
  type NamedEmployee,
  type TracedEmployee,
  EMPLOYEE_EVENTS,
  isErasedWithEmployee,
} from './employee-places.ts'

/** The name that identifies a person. An email or a user name is normalized. */
export interface NamedPerson {
  by: 'id' | 'email' | 'external_id' | 'user_name'
  value: string
}

const NAMES_BY: Record<NamedPerson['by'], keyof PersonNames> = {
  id: 'ids',
  email: 'emails',
  external_id: 'externalIds',
  user_name: 'userNames',
}

/** The forms in which a name may be stored. */
const STORED_FORMS: Record<NamedPerson['by'], (value: string) => string[]> = {
  id: (id) => [id],
  email: listStoredAddresses,
  external_id: listStoredForms,
  user_name: (name) => [name],
}

/** Normalizes an email or a user name. Throws `employee_not_found` for a name that nobody can have. */
export function normalizeName(person: NamedPerson) {
  const isFolded = person.by === 'email' || person.by === 'user_name'
  const named = isFolded ? { ...person, value: normalizeEmail(person.value) } : person
  if (named.value === '' || (named.by === 'id' && !isId('emp', named.value))) throw makeUnknownPersonError()
  return named
}

/** Finds the employee who has a name now, with all names that they have or had. */
export async function findPerson(
  db: Pool | PoolClient,
  companyId: string,
  { by, value }: NamedPerson,
): Promise<NamedEmployee> {
  const names = emptyNames()
  let foundId: string | null = null
  for (const form of STORED_FORMS[by](value)) {
    if (form !== '') names[NAMES_BY[by]].add(form)
    foundId ??= await erase.findEmployeeId(db, companyId, by, form)
  }
  // An erased employee can still be named by the id.
  const employeeId = foundId ?? (by === 'id' ? value : null)
  if (employeeId === null) return { companyId, employeeId, names }
  names.ids.add(employeeId)
  for await (const page of readStreamPages(db, companyId, employeeId))
    for (const event of page) collectNames(names, event)
  return { companyId, employeeId, names }
}

/** Whether a second search found no other employee and no further names. */
export function isSamePerson(person: NamedEmployee, other: NamedEmployee) {
  const isKnown = (kind: keyof PersonNames) => [...person.names[kind]].every((name) => other.names[kind].has(name))
  return person.employeeId === other.employeeId && Object.values(NAMES_BY).every(isKnown)
}

/** An event with data of the person, and its call. */
interface MentioningEvent {
  position: number
  callId: string | null
}

/** Everything after a position that holds data of a person. */
export interface Traces {
  /** The events that an erasure may concern, whether they still have data or not. */
  events: Readonly<Record<EmployeeEvents, readonly MentioningEvent[]>>
  /** The calls whose body, or whose valid records, are kept, and that addressed the person or name them there. */
  bodies: readonly MentioningEvent[]
  /** Calls with a stored answer whose requests may name the person. */
  answered: readonly string[]
  /** If nobody has the name now: the employees who had it before. */
  formerHolders: readonly string[]
}

/** Searches the company after a position for data of a person. `named` is the name in the request. */
export async function findTraces(
  db: Pool | PoolClient,
  person: NamedEmployee,
  named: NamedPerson,
  after: number,
  left?: AbortSignal,
): Promise<Traces> {
  const { companyId, employeeId } = person
  const events: Record<EmployeeEvents, MentioningEvent[]> = { history: [], refused_records: [], uploaded_files: [] }
  for (const place of Object.keys(EMPLOYEE_EVENTS) as EmployeeEvents[]) {
    for await (const page of EMPLOYEE_EVENTS[place](db, person, after)) {
      left?.throwIfAborted()
      for (const event of page)
        if (isErasedWithEmployee(event)) events[place].push({ position: event.position, callId: event.call_id })
    }
  }
  // Of a call that addressed the person, the body is theirs, whatever it contains.
  const addressing = new Set(events.refused_records.map(({ callId }) => callId))
  const bodies = new Map<number, MentioningEvent>()
  for (const readPages of [readBodyPages, readValidPages])
    for await (const page of readPages(db, companyId, after)) {
      const naming = await filterInTurns(
        page,
        ({ log_id: callId, body }) => addressing.has(callId) || textNamesPerson(body, person.names),
        left,
      )
      for (const { position, log_id: callId } of naming) bodies.set(position, { position, callId })
    }
  const answered = await findCallsNaming(db, companyId, employeeId, after)
  const formerHolders = employeeId === null ? await findFormerHolders(db, companyId, named, after) : []
  return { events, bodies: [...bodies.values()], answered, formerHolders }
}

/**
 * Searches the company for a person, up to the current head, without its lock. Rejects with the reason of the signal once
 * whoever asked has left.
 */
export async function searchLedger(pool: Pool, companyId: string, named: NamedPerson, left?: AbortSignal) {
  const upTo = (await erase.loadHeadPosition(pool, companyId)) ?? 0
  const person = await findPerson(pool, companyId, named)
  return { upTo, person, traces: await findTraces(pool, person, named, 0, left) }
}

/** Joins what searches have found. Throws `former_name` if employees had the name before, but nobody has it now. */
export function joinTraces(person: NamedEmployee, searches: readonly Traces[]): TracedEmployee {
  const formerHolders = new Set(searches.flatMap((traces) => traces.formerHolders))
  if (formerHolders.size > 0) throw makeFormerNameError([...formerHolders])
  const events = searches.flatMap((traces) => Object.values(traces.events).flat())
  const bodies = searches.flatMap((traces) => traces.bodies)
  return {
    ...person,
    positions: events.map(({ position }) => position),
    callIds: [...new Set([...events, ...bodies].flatMap(({ callId }) => callId ?? []))],
    answered: [...new Set(searches.flatMap((traces) => traces.answered))],
    bodies: bodies.map(({ position }) => position),
  }
}

async function findFormerHolders(db: Pool | PoolClient, companyId: string, { by, value }: NamedPerson, after: number) {
  const holders = new Set<string>()
  for await (const page of findEventsWith(db, companyId, value, {
    types: ['EmployeeCreated', 'EmployeeUpdated'],
    after,
  })) {
    for (const event of page) {
      const names = emptyNames()
      collectNames(names, event)
      if (names[NAMES_BY[by]].has(value)) holders.add(event.stream)
    }
  }
  return [...holders]
}

/** The refusal of a name that nobody has, and that no refused record mentions. */
export function makeUnknownPersonError() {
  const detail = 'No employee has this identifier, and no stored refused record mentions it'
  return new RefusedByStateError(problem('employee_not_found', detail))
}

const MAX_IDS_LISTED = 10

function makeFormerNameError(ids: string[]) {
  const listed = ids.slice(0, MAX_IDS_LISTED).join(', ') + (ids.length > MAX_IDS_LISTED ? ' and others' : '')
  return new RefusedByStateError(
    problem('former_name', `No employee has this identifier now; it once belonged to ${listed}`),
  )
}
