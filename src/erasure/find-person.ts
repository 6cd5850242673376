import type { Pool, PoolClient } from 'pg'
import type { PersonNames } from '../domain/erasure.ts'
import { collectNames, emptyNames, mentionsPerson, namesPerson } from '../domain/erasure.ts'
import * as erase from '../ledger/erasure/erase-events.ts'
import { findCallsNaming } from '../ledger/erasure/forget-answers.ts'
import { readRejectedPages } from '../ledger/erasure/rejected-records.ts'

/** The name that identifies a person. An email is normalized. */
export interface NamedPerson {
  by: 'id' | 'email' | 'external_id'
  value: string
}

/** An event with data of the person, and its call. */
interface MentioningEvent {
  position: number
  callId: string | null
}

interface NamedEmployee {
  /** Null if no employee has the name now. */
  employeeId: string | null
  /** All current and former names of the employee, and the name that was searched for. */
  names: PersonNames
  /** The events of the employee's own stream. */
  streamEvents: MentioningEvent[]
}

const NAMES_BY: Record<NamedPerson['by'], keyof PersonNames> = {
  id: 'ids',
  email: 'emails',
  external_id: 'externalIds',
}

/** Finds the employee who has a name now, with all names that they have or had. */
export async function findPerson(
  db: Pool | PoolClient,
  companyId: string,
  { by, value }: NamedPerson,
): Promise<NamedEmployee> {
  const names = emptyNames()
  names[NAMES_BY[by]].add(value)
  const foundId = await erase.findEmployeeId(db, companyId, by, value)
  // An erased employee can still be named by the id.
  const employeeId = foundId ?? (by === 'id' ? value : null)
  const streamEvents: MentioningEvent[] = []
  if (employeeId === null) return { employeeId, names, streamEvents }
  names.ids.add(employeeId)
  for await (const page of erase.readStreamPages(db, companyId, employeeId)) {
    for (const event of page) {
      collectNames(names, event)
      if (event.type !== 'EmployeeErased') streamEvents.push({ position: event.position, callId: event.call_id })
    }
  }
  return { employeeId, names, streamEvents }
}

/** Whether a second search found no other employee and no further names. */
export function isSamePerson(person: NamedEmployee, other: NamedEmployee): boolean {
  const isKnown = (kind: keyof PersonNames) => [...person.names[kind]].every((name) => other.names[kind].has(name))
  return person.employeeId === other.employeeId && Object.values(NAMES_BY).every(isKnown)
}

/** Everything after a position that mentions a person, except their own events. */
interface Traces {
  rejected: MentioningEvent[]
  /** Names of uploaded files. */
  files: MentioningEvent[]
  /** Calls with a stored answer whose requests may name the person. */
  answered: string[]
  /** If nobody has the name now: the employees who had it before. */
  formerHolders: string[]
}

/** Searches the events after a position for a person. `named` is the name in the request. */
export async function findTraces(
  db: Pool | PoolClient,
  companyId: string,
  { employeeId, names }: NamedEmployee,
  named: NamedPerson,
  after: number,
): Promise<Traces> {
  const rejected: MentioningEvent[] = []
  for await (const page of readRejectedPages(db, companyId, after)) {
    for (const { position, callId, data } of page) if (mentionsPerson(data, names)) rejected.push({ position, callId })
  }
  const files: MentioningEvent[] = []
  for await (const page of erase.readFileNames(db, companyId, { after })) {
    for (const { position, name } of page) if (namesPerson(name, names)) files.push({ position, callId: null })
  }
  const answered = await findCallsNaming(db, companyId, employeeId, after)
  const formerHolders = employeeId === null ? await findFormerHolders(db, companyId, named, after) : []
  return { rejected, files, answered, formerHolders }
}

async function findFormerHolders(
  db: Pool | PoolClient,
  companyId: string,
  { by, value }: NamedPerson,
  after: number,
): Promise<string[]> {
  const holders = new Set<string>()
  for await (const page of erase.findEmployeeEventsWith(db, companyId, value, after)) {
    for (const event of page) {
      const names = emptyNames()
      collectNames(names, event)
      if (names[NAMES_BY[by]].has(value)) holders.add(event.stream)
    }
  }
  return [...holders]
}
