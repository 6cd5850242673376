import { filterInTurns } from '#admission/turns'
import type { Locator, ReadRecord } from '#domain/calls/call-records'
import { locate } from '#domain/calls/call-decision'
import { findStatus } from '#domain/calls/record-digest'
import { readLocalPhonesOf } from '#domain/calls/local-phones'
import { patchWithManager } from '#domain/calls/reporting-lines'
import { isSmall, type WriteCall } from '#domain/calls/commands'
import { fromUuid } from '#domain/ids'
import { createsAll, isSingle } from '#domain/operations'
import { bytea, integer, uuid } from '#projections/projection'
import { textArray, uuidArray } from '#postgres/binary-arrays'
import { isOnly, onlyCompany, type QueryClient } from '#postgres/pool'
import type { LoadedEmployees } from './employee-index.ts'
import { arraysOf, selectSent, sent, type SentColumns } from './sent-rows.ts'
import type { OwnedEmployee } from '../read/read-employees.ts'

/*
 * Most records of a sync change nothing. The directory, where their employees are looked up anyway, keeps a digest of
 * the record that last changed nothing, and the version that its employee had then. As long as the employee has that
 * version, the same record changes nothing again, and nobody needs the employee's state to tell.
 *
 * If two clients send different records of the same employees, one of them finds the digests of the other. Its calls
 * compare these records with the states, and one call in about six replaces the digests. So a record that is sent only
 * once doesn't keep its digest for long, and the two clients don't write with every call.
 */

/** A record that names its employee. */
export interface LocatedRecord {
  companyId: string
  record: ReadRecord & { locator: Locator }
}

/** A record whose employee is in the directory. */
export interface FoundRecord extends LocatedRecord {
  employeeId: string
  /** Base 16; null if the employee's version has none. */
  digest: string | null
}

/** Whether the records of a call are compared with digests: only if they are so many that this saves time. */
export function usesDigests(call: WriteCall) {
  const { operation } = call.command
  return !isSmall(call) && !isSingle(operation) && !createsAll(operation)
}

const COLUMNS = {
  id: { name: 'employee_id', type: 'uuid', encode: uuidArray },
  email: { name: 'email', type: 'text', encode: textArray },
  external_id: { name: 'external_id', type: 'text', encode: textArray },
  user_name: { name: 'user_name', type: 'text', encode: textArray },
}

/** Finds the employees of these records in the directory, with their digests. Leaves out records of nobody. */
export async function findDigests(client: QueryClient, records: LocatedRecord[]): Promise<FoundRecord[]> {
  const byField = [...Map.groupBy(records, ({ record }) => record.locator.field)]
  const found = byField.map(async ([field, recordsOfField]) => {
    const { name: column, type, encode } = COLUMNS[field]
    // With OFFSET, PostgreSQL looks for each employee in an index instead of reading the directory of all companies.
    const { rows } = await client.query<{ number: number; employee_id: string; digest: string | null }>({
      name: `find-digests-by-${column}`,
      text: `select wanted.number, d.employee_id, case when not exists (
            select from events e where e.company_id = d.company_id and e.stream_id = d.employee_id
              and e.stream_version > d.record_version and ${isOnly('e.company_id', '$3')})
                then encode(d.record_digest, 'hex') end as digest
          from unnest($1::uuid[], $2::${type}[]) with ordinality as wanted(company_id, value, number)
          cross join lateral (
            select company_id, employee_id, record_digest, record_version from employee_directory
            where company_id = wanted.company_id and ${column} = wanted.value and ${isOnly('company_id', '$3')}
            offset 0) d`,
      values: [
        uuidArray(recordsOfField.map(({ companyId }) => companyId)),
        encode(recordsOfField.map(({ record }) => record.locator.value)),
        onlyCompany(recordsOfField),
      ],
    })
    return rows.map(({ number, employee_id: uuid, digest }) => {
      const { companyId, record } = recordsOfField[number - 1]!
      return { companyId, record, employeeId: fromUuid('emp', uuid), digest }
    })
  })
  return (await Promise.all(found)).flat()
}

/**
 * Finds the records that change nothing, by their digests, and notes them in `employees`. Returns the rest of the found
 * records. `others` are the records that cannot be compared, whose employees are loaded. All records belong to one call,
 * the first of its company in the transaction, so the managers that they name cannot change before the call is decided.
 */
export async function recognizeUnchanged(
  callId: string,
  found: FoundRecord[],
  others: ReadRecord[],
  employees: LoadedEmployees,
  country: string | null,
): Promise<FoundRecord[]> {
  const times = new Map<string, number>()
  const ofOthers = others.flatMap(({ locator }) => (locator && locate(locator, employees)?.id) ?? [])
  for (const id of [...found.map(({ employeeId }) => employeeId), ...ofOthers]) times.set(id, (times.get(id) ?? 0) + 1)
  return filterInTurns(found, ({ record, employeeId, digest }) => {
    // Several records of one employee are refused, which takes the employee's state.
    const isTheirs = record.statedId === null || record.statedId === employeeId
    if (digest !== null && times.get(employeeId) === 1 && isTheirs) {
      const read = readLocalPhonesOf(record, country)
      const patch =
        read.errors.count === 0 ? patchWithManager(read, (manager) => locate(manager, employees)?.id) : undefined
      const status = patch && findStatus(digest, employeeId, patch)
      if (status) {
        employees.unchanged.set(record, { id: employeeId, status })
        return false
      }
    }
    if (digest === null || replacesDigests(callId)) employees.awaitingDigest.add(employeeId)
    return true
  })
}

/** Whether a call replaces digests of other records: one in about six does. Ids end with random bits. */
function replacesDigests(callId: string) {
  return callId.charCodeAt(callId.length - 1) % 8 === 0
}

/** A digest of the record that changes nothing about an employee. */
export interface NewDigest extends OwnedEmployee {
  digest: string
}

const DIGEST: SentColumns<NewDigest> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  employee_id: sent(uuid, ({ employee }) => employee.id),
  version: sent(integer, ({ employee }) => employee.version),
  digest: sent(bytea, ({ digest }) => Buffer.from(digest, 'hex')),
}

export function writeDigests(client: QueryClient, digests: NewDigest[]): Promise<unknown> {
  return client.query({
    name: 'write-digests',
    text: `update employee_directory d set record_digest = r.digest, record_version = r.version
      from ${selectSent(DIGEST)}
      where d.company_id = r.company_id and d.employee_id = r.employee_id and ${isOnly('d.company_id', '$5')}`,
    values: [...arraysOf(DIGEST, digests), onlyCompany(digests)],
  })
}
