import type { Pool, PoolClient } from 'pg'
import { normaliseEmail } from '../domain/attributes.ts'
import { buildErasingEvents } from '../domain/erasure.ts'
import { problem } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { nextVersion } from '../ledger/append/append-company-events.ts'
import * as erase from '../ledger/erasure/erase-events.ts'
import { forgetAnswers } from '../ledger/erasure/forget-answers.ts'
import { UnavailableError } from '../admission/batcher.ts'
import type { Acting, CompanyServices } from '../accounts/users/change-company.ts'
import { changeCompany, RefusedByStateError } from '../accounts/users/change-company.ts'
import type { NamedPerson } from './find-person.ts'
import { findPerson, findTraces, isSamePerson } from './find-person.ts'

export interface ErasedPerson {
  /** Null when the person was never created, and only refused records spoke of them. */
  employeeId: string | null
  /** How many events have lost their data. */
  positions: number
  /** The position of the last event that says so. */
  position: number
}

/** Whoever changes email address or external id while being looked for is looked for again, so many times in all. */
const MAX_LOOKS = 5

/**
 * Forgets a person: the data of the events of their stream and of all refused records that speak of them, by any name
 * that they have or had; the snapshot; stored answers to the calls concerned. Appends `EmployeeErased`, by which
 * the read models forget them, too. A person who was never created is found by what refused records say.
 *
 * The ledger is looked through before the head is locked: only what came meanwhile keeps the company waiting.
 * Throws RefusedByStateError: `employee_not_found` when nothing is left to erase, also the second time, and
 * `former_name` when the name is one that employees had before and nobody has now.
 */
export async function eraseEmployee(
  services: CompanyServices,
  acting: Acting,
  person: NamedPerson,
): Promise<ErasedPerson> {
  const named = person.by === 'email' ? { ...person, value: normaliseEmail(person.value) } : person
  if (named.value === '' || (named.by === 'id' && !isId('emp', named.value))) throw makeUnknownPersonError()
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const seen = await lookFor(services.pool, acting.companyId, named)
    const { result, position } = await changeCompany(services, acting, 'admin', (client) => {
      return eraseSeen(client, services, acting.companyId, named, seen)
    })
    if (!result || position === null) continue
    services.onErased?.('employee')
    return { ...result, position }
  }
  throw new UnavailableError("the person's data keeps changing")
}

type Seen = Awaited<ReturnType<typeof lookFor>>

/** What the ledger says of the person up to a position, without the lock. */
async function lookFor(pool: Pool, companyId: string, named: NamedPerson) {
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
  // Names that came meanwhile may stand in what was looked through without them.
  if (!isSamePerson(person, seen.person)) return { events: [], result: null }
  const late = await findTraces(client, companyId, person, named, seen.upTo)
  const formerHolders = new Set([...seen.traces.formerHolders, ...late.formerHolders])
  if (formerHolders.size > 0) throw formerName([...formerHolders])
  const concerned = [...person.own, ...seen.traces.rejected, ...late.rejected]
  const positions = await erase.filterWithData(
    client,
    companyId,
    concerned.map(({ position }) => position),
  )
  if (positions.length === 0) throw makeUnknownPersonError()
  const callIds = concerned.flatMap(({ callId }) => callId ?? [])
  await forgetAnswers(client, companyId, [...new Set([...callIds, ...seen.traces.answered, ...late.answered])])
  if (person.employeeId !== null) await erase.deleteSnapshot(client, companyId, person.employeeId)
  const stream = person.employeeId ?? newId('emp')
  const version = await nextVersion(client, companyId, stream)
  const events = buildErasingEvents('EmployeeErased', stream, version, positions)
  return { events, result: { employeeId: person.employeeId, positions: positions.length } }
}

function makeUnknownPersonError(): RefusedByStateError {
  const detail = 'No employee has this identifier, and no stored refused record mentions it'
  return new RefusedByStateError(problem('employee_not_found', detail))
}

const MAX_IDS_TOLD = 10

function formerName(ids: string[]): RefusedByStateError {
  const listed = ids.slice(0, MAX_IDS_TOLD).join(', ') + (ids.length > MAX_IDS_TOLD ? ' and others' : '')
  return new RefusedByStateError(
    problem('former_name', `No employee has this identifier now; it once belonged to ${listed}`),
  )
}
