import type { Pool, PoolClient } from 'pg'
import { buildErasingEvents } from '#domain/erasure'
import { problem } from '#domain/errors'
import { nextVersion, type CompanyChange } from '#ledger/append/append-company-events'
import { filterWithData } from '#ledger/erasure/erase-events'
import { changeCompany, RefusedByStateError, type Acting, type CompanyServices } from '#accounts/change-company'
import { countStored, EMPLOYEE_ROWS, isInStoredFiles } from './employee-places.ts'
import {
  type NamedPerson,
  findPerson,
  findTraces,
  isSamePerson,
  joinTraces,
  makeUnknownPersonError,
  normalizeName,
  searchLedger,
} from './find-person.ts'

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
 * names, the rows of stored files that do, the entry in the directory, and the stored answers to the affected calls and
 * of receivers of webhooks. Appends
 * `EmployeeErased`, so that the read models drop the person too. Also finds people who appear only in refused records.
 *
 * Searches the ledger before it locks the head, so that the company waits only for the search of newer events. The
 * search ends once whoever asked has `left`. Throws
 * RefusedByStateError: `employee_not_found` if nothing is left to erase, `former_name` if employees had the name before
 * but nobody has it now, and `unavailable` if the person's names keep changing.
 */
export async function eraseEmployee(
  services: CompanyServices,
  acting: Acting,
  person: NamedPerson,
  left?: AbortSignal,
): Promise<ErasedPerson> {
  const named = normalizeName(person)
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const seen = await searchLedger(services.pool, acting.companyId, named, left)
    const { erased, position } = await changeCompany(services, acting, 'admin', ({ connection }) => {
      return eraseSeen(connection, services, acting.companyId, named, seen)
    })
    if (!erased || position === null) continue
    services.onErased?.('employee')
    return { ...erased, position }
  }
  throw new RefusedByStateError(problem('unavailable', "The person's data keeps changing; try again"))
}

/** What an erasure of a person would delete. */
export interface ErasureScope {
  /** Null for a person who appears only in refused records. */
  employeeId: string | null
  /** The number of the employee's events that have data. */
  events: number
  /** The number of refused records that mention the person. */
  refusedRecords: number
  /** The number of bodies that could not be read and mention the person. */
  bodies: number
  /** The number of rows of stored files that mention the person. */
  storedRows: number
  /** The number of names of files that name the person, in the ledger and of stored files. */
  fileNames: number
}

/** Finds what `eraseEmployee` would delete now. Throws the same refusals. */
export async function findErasureScope(
  pool: Pool,
  companyId: string,
  person: NamedPerson,
  left?: AbortSignal,
): Promise<ErasureScope> {
  const { person: employee, traces } = await searchLedger(pool, companyId, normalizeName(person), left)
  const traced = joinTraces(employee, [traces])
  const streamPositions = traces.events.history.map(({ position }) => position)
  const events = (await filterWithData(pool, companyId, streamPositions)).length
  const refusedRecords = traces.events.refused_records.length
  const bodies = traces.bodies.length
  const stored = await countStored(pool, traced, left)
  const fileNames = traces.events.uploaded_files.length + stored.files
  if (events + refusedRecords + bodies + fileNames + stored.rows === 0) throw makeUnknownPersonError()
  return { employeeId: employee.employeeId, events, refusedRecords, bodies, storedRows: stored.rows, fileNames }
}

type Seen = Awaited<ReturnType<typeof searchLedger>>

async function eraseSeen(
  client: PoolClient,
  { newId }: CompanyServices,
  companyId: string,
  named: NamedPerson,
  seen: Seen,
): Promise<CompanyChange<{ erased: Omit<ErasedPerson, 'position'> | null }>> {
  const person = await findPerson(client, companyId, named)
  // The search did not look for names that were added meanwhile.
  if (!isSamePerson(person, seen.person)) return { events: [], result: { erased: null } }
  const traced = joinTraces(person, [seen.traces, await findTraces(client, person, named, seen.upTo)])
  const positions = await filterWithData(client, companyId, traced.positions)
  if (positions.length + traced.bodies.length === 0 && !(await isInStoredFiles(client, traced)))
    throw makeUnknownPersonError()
  for (const place of Object.values(EMPLOYEE_ROWS)) await place.erase(client, { ...traced, positions })
  const stream = person.employeeId ?? newId('emp')
  const version = await nextVersion(client, companyId, stream)
  // Of a person who appears only beside the ledger, such as in a file that is not applied yet, it tells that there was an
  // erasure.
  const events =
    positions.length === 0
      ? [{ type: 'EmployeeErased' as const, stream, version, index: null, data: { positions } }]
      : buildErasingEvents('EmployeeErased', stream, version, positions)
  const erased = { employeeId: person.employeeId, positions: positions.length }
  return { events, result: { erased } }
}
