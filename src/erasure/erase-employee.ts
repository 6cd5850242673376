import type { Pool, PoolClient } from 'pg'
import { normalizeEmail } from '../domain/attributes.ts'
import { buildErasingEvents } from '../domain/erasure.ts'
import { problem } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { nextVersion } from '../ledger/append/append-company-events.ts'
import * as erase from '../ledger/erasure/erase-events.ts'
import { forgetAnswers, forgetReceiversAnswers } from '../ledger/erasure/forget-answers.ts'
import { UnavailableError } from '../admission/batcher.ts'
import type { Acting, CompanyServices } from '../accounts/change-company.ts'
import { changeCompany, RefusedByStateError } from '../accounts/change-company.ts'
import type { NamedPerson } from './find-person.ts'
import { findPerson, findTraces, isSamePerson } from './find-person.ts'

interface ErasedPerson {
  /** Null for a person who appeared only in refused records. */
  employeeId: string | null
  /** The number of events whose data was erased. */
  positions: number
  /** The position of the last `EmployeeErased` event. */
  position: number
}

/** The number of attempts. The search is repeated if the person's email or external id changes during it. */
const MAX_LOOKS = 5

/**
 * Erases a person: the data of their events and of all refused records that mention any of their current or former
 * names, the entry in the directory, and the stored answers to the affected calls and of receivers of webhooks. Appends
 * `EmployeeErased`, so that the read models drop the person too. Also finds people who appear only in refused records.
 *
 * Searches the ledger before it locks the head, so that the company waits only for the search of newer events. Throws
 * RefusedByStateError: `employee_not_found` if nothing is left to erase, and `former_name` if employees had the name
 * before but nobody has it now. Throws UnavailableError if the person's names keep changing.
 */
export async function eraseEmployee(
  services: CompanyServices,
  acting: Acting,
  person: NamedPerson,
): Promise<ErasedPerson> {
  const named = normalizeName(person)
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const seen = await searchLedger(services.pool, acting.companyId, named)
    const { result, position } = await changeCompany(services, acting, 'admin', (client) => {
      return eraseSeen(client, services, acting.companyId, named, seen)
    })
    if (!result || position === null) continue
    services.onErased?.('employee')
    return { ...result, position }
  }
  throw new UnavailableError("the person's data keeps changing")
}

/** What an erasure of a person would delete. */
export interface ErasureScope {
  /** Null for a person who appears only in refused records. */
  employeeId: string | null
  /** The number of the employee's events that have data. */
  events: number
  /** The number of refused records that mention the person. */
  refusedRecords: number
}

/** Finds what `eraseEmployee` would delete now. Throws the same refusals. */
export async function findErasureScope(pool: Pool, companyId: string, person: NamedPerson): Promise<ErasureScope> {
  const { person: employee, traces } = await searchLedger(pool, companyId, normalizeName(person))
  if (traces.formerHolders.length > 0) throw makeFormerNameError(traces.formerHolders)
  const streamPositions = employee.streamEvents.map(({ position }) => position)
  const events = (await erase.filterWithData(pool, companyId, streamPositions)).length
  const refusedRecords = traces.rejected.length
  if (events + refusedRecords + traces.files.length === 0) throw makeUnknownPersonError()
  return { employeeId: employee.employeeId, events, refusedRecords }
}

/** Normalizes an email. Throws `employee_not_found` for a name that nobody can have. */
function normalizeName(person: NamedPerson): NamedPerson {
  const named = person.by === 'email' ? { ...person, value: normalizeEmail(person.value) } : person
  if (named.value === '' || (named.by === 'id' && !isId('emp', named.value))) throw makeUnknownPersonError()
  return named
}

type Seen = Awaited<ReturnType<typeof searchLedger>>

/** Searches the ledger for the person, up to the current head, without the lock. */
async function searchLedger(pool: Pool, companyId: string, named: NamedPerson) {
  const upTo = (await erase.loadHeadPosition(pool, companyId)) ?? 0
  const person = await findPerson(pool, companyId, named)
  return { upTo, person, traces: await findTraces(pool, companyId, person, named, 0) }
}

async function eraseSeen(
  client: PoolClient,
  { newId }: CompanyServices,
  companyId: string,
  named: NamedPerson,
  seen: Seen,
) {
  const person = await findPerson(client, companyId, named)
  // The search did not look for names that were added meanwhile.
  if (!isSamePerson(person, seen.person)) return { events: [], result: null }
  const late = await findTraces(client, companyId, person, named, seen.upTo)
  const formerHolders = new Set([...seen.traces.formerHolders, ...late.formerHolders])
  if (formerHolders.size > 0) throw makeFormerNameError([...formerHolders])
  const mentions = [seen.traces, late].flatMap(({ rejected, files }) => [...rejected, ...files])
  const concerned = [...person.streamEvents, ...mentions]
  const positions = await erase.filterWithData(
    client,
    companyId,
    concerned.map(({ position }) => position),
  )
  if (positions.length === 0) throw makeUnknownPersonError()
  const callIds = concerned.flatMap(({ callId }) => callId ?? [])
  await forgetAnswers(client, companyId, [...new Set([...callIds, ...seen.traces.answered, ...late.answered])])
  await forgetReceiversAnswers(client, companyId, { positions, callIds: [...new Set(callIds)] })
  if (person.employeeId !== null) await erase.deleteFromDirectory(client, companyId, person.employeeId)
  const stream = person.employeeId ?? newId('emp')
  const version = await nextVersion(client, companyId, stream)
  const events = buildErasingEvents('EmployeeErased', stream, version, positions)
  return { events, result: { employeeId: person.employeeId, positions: positions.length } }
}

function makeUnknownPersonError(): RefusedByStateError {
  const detail = 'No employee has this identifier, and no stored refused record mentions it'
  return new RefusedByStateError(problem('employee_not_found', detail))
}

const MAX_IDS_LISTED = 10

function makeFormerNameError(ids: string[]): RefusedByStateError {
  const listed = ids.slice(0, MAX_IDS_LISTED).join(', ') + (ids.length > MAX_IDS_LISTED ? ' and others' : '')
  return new RefusedByStateError(
    problem('former_name', `No employee has this identifier now; it once belonged to ${listed}`),
  )
}
