import type { Pool, PoolClient } from 'pg'
import { normaliseEmail } from '../domain/attributes.ts'
import type { PersonNames } from '../domain/erasure.ts'
import { collectNames, erasingEvents, speaksOf } from '../domain/erasure.ts'
import { problem } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import * as erase from '../ledger/erase-events.ts'
import { UnavailableError } from '../ledger/gather.ts'
import { rejectedPages } from '../ledger/rejected-records.ts'
import type { Acting, CompanyServices } from './change-company.ts'
import { changeCompany, RefusedByStateError } from './change-company.ts'

/** How a person is named: by one of the three, in the form in which it was sent. */
export interface NamedPerson {
  by: 'id' | 'email' | 'external_id'
  value: string
}

export interface ErasedPerson {
  /** Null when the person was never created, and only refused records spoke of them. */
  employeeId: string | null
  /** How many events have lost their data. */
  positions: number
  /** The position of the last event that says so. */
  position: number
}

/** Whoever changes e-mail address or external id while being looked for is looked for again, so many times in all. */
const MAX_LOOKS = 5

/**
 * Forgets a person: the data of the events of their stream and of all refused records that speak of them, by any name
 * that they have or had; the snapshot; stored answers to the calls concerned. Appends `EmployeeErased`, by which
 * the read models forget them, too. A person who was never created is found by what refused records say.
 *
 * Refused records are looked through before the head is locked: only those that came meanwhile keep the company waiting.
 * Throws RefusedByStateError with `employee_not_found` when nothing is left that speaks of the person: also the second time.
 */
export async function eraseEmployee(services: CompanyServices, acting: Acting, person: NamedPerson): Promise<ErasedPerson> {
  const named = person.by === 'email' ? { ...person, value: normaliseEmail(person.value) } : person
  if (named.value === '' || (named.by === 'id' && !isId('emp', named.value))) throw nobody()
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const seen = await lookFor(services.pool, acting.companyId, named)
    const { result, position } = await changeCompany(services, acting, 'admin', (client) => eraseSeen(client, services, acting, named, seen))
    if (result && position !== null) return { ...result, position }
  }
  throw new UnavailableError('the person goes on changing')
}

/** What was seen of a person without the lock. */
interface Seen {
  names: PersonNames
  /** Up to which position refused records were looked through. */
  upTo: number
  rejected: Concerned[]
}

/** An event that speaks of the person, and its call. */
interface Concerned {
  position: number
  callId: string | null
}

async function lookFor(pool: Pool, companyId: string, named: NamedPerson): Promise<Seen> {
  const upTo = (await erase.readHead(pool, companyId)) ?? 0
  const { names } = await readPerson(pool, companyId, named)
  return { names, upTo, rejected: await rejectedOf(pool, companyId, names, 0) }
}

async function eraseSeen(client: PoolClient, { newId }: CompanyServices, { companyId }: Acting, named: NamedPerson, seen: Seen) {
  const { employeeId, names, own } = await readPerson(client, companyId, named)
  // A name that came meanwhile may stand in records that were looked through without it.
  if (!isWithin(names, seen.names)) return { events: [], result: null }
  const rejected = [...seen.rejected, ...(await rejectedOf(client, companyId, names, seen.upTo))]
  const concerned = [...own, ...rejected]
  const positions = await erase.withData(client, companyId, concerned.map(({ position }) => position))
  if (positions.length === 0) throw nobody()
  const callIds = new Set(concerned.flatMap(({ callId }) => callId ?? []))
  await erase.forgetAnswers(client, companyId, [...callIds], employeeId)
  if (employeeId !== null) await erase.deleteSnapshot(client, companyId, employeeId)
  const stream = employeeId ?? newId('emp')
  const version = await erase.nextVersion(client, companyId, stream)
  const events = erasingEvents('EmployeeErased', stream, version, positions)
  return { events, result: { employeeId, positions: positions.length } }
}

interface Person {
  employeeId: string | null
  names: PersonNames
  /** The events of the employee's own stream. */
  own: Concerned[]
}

async function readPerson(db: Pool | PoolClient, companyId: string, { by, value }: NamedPerson): Promise<Person> {
  const names: PersonNames = { ids: new Set(), emails: new Set(), externalIds: new Set() }
  NAMES_BY[by](names).add(value)
  const found = await erase.findEmployeeId(db, companyId, by, value)
  const employeeId = found ?? (by === 'id' ? value : null)
  const own: Concerned[] = []
  if (employeeId === null) return { employeeId, names, own }
  names.ids.add(employeeId)
  for await (const page of erase.streamPages(db, companyId, employeeId)) {
    for (const event of page) {
      collectNames(names, event)
      if (event.type !== 'EmployeeErased') own.push({ position: event.position, callId: event.call_id })
    }
  }
  return { employeeId, names, own }
}

const NAMES_BY: Record<NamedPerson['by'], (names: PersonNames) => Set<string>> = {
  id: ({ ids }) => ids,
  email: ({ emails }) => emails,
  external_id: ({ externalIds }) => externalIds,
}

async function rejectedOf(db: Pool | PoolClient, companyId: string, names: PersonNames, after: number): Promise<Concerned[]> {
  const found: Concerned[] = []
  for await (const page of rejectedPages(db, companyId, after)) {
    for (const { position, callId, data } of page) if (speaksOf(data, names)) found.push({ position, callId })
  }
  return found
}

function isWithin(names: PersonNames, others: PersonNames): boolean {
  return Object.values(NAMES_BY).every((kind) => [...kind(names)].every((name) => kind(others).has(name)))
}

function nobody(): RefusedByStateError {
  return new RefusedByStateError(problem('employee_not_found', 'nothing is left that speaks of such a person'))
}
