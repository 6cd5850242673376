import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { evolveStored, isEmployeeEvent } from '../../../src/domain/employees/employee.ts'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import type { RecordedEvent } from '../../../src/domain/events.ts'
import { closesCall, isErasing } from '../../../src/domain/event-types.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'
import { readEvent } from '../../../src/ledger/integrity/codec.ts'
import { rootOf, unpackFrontier } from '../../../src/ledger/integrity/merkle.ts'
import type { StateRow } from '../../../src/ledger/read/read-employees.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import { employeesOf, selectStates } from '../../../src/ledger/read/read-employees.ts'
import type { EventRow } from '../../../src/ledger/event-row.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'

/** The faults of a company's ledger at one moment, one line each: others may append to it meanwhile. */
export async function ledgerFaults(db: LedgerDb, companyId: string): Promise<string[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((snapshot) => faultsOf(snapshot, companyId))
}

async function faultsOf(db: LedgerDb, companyId: string): Promise<string[]> {
  const company = toUuid(companyId)
  const head = await db.selectFrom('heads').selectAll().where('company_id', '=', company).executeTakeFirstOrThrow()
  const rows = await db.selectFrom('events').selectAll().where('company_id', '=', company).orderBy('position').execute()
  const events = rows.map(readEvent)
  const faults: string[] = []
  if (head.position !== rows.length) faults.push(`the head is at ${head.position}, there are ${rows.length} events`)
  rows.forEach((row, at) => faults.push(...rowFaults(row, events[at]!, companyId, at)))
  const root = rootOf(unpackFrontier(head.position, head.frontier))
  if (!root.equals(naiveRoot(rows.map((row) => row.leaf_hash)))) faults.push('the root is not that of the leaves')
  return [...faults, ...orderFaults(events), ...erasureFaults(events), ...(await directoryFaults(db, company, events))]
}

function rowFaults(row: EventRow, event: RecordedEvent, companyId: string, at: number): string[] {
  const faults: string[] = []
  const fault = (what: string) => faults.push(`position ${at + 1}: ${what}`)
  if (row.position !== at + 1) fault(`its position is ${row.position}`)
  const { data: _, ...header } = event
  const dataHash = row.data_hash ?? sha256(row.salt!, row.data!)
  const envelope = canonicalJson({ ...header, company_id: companyId, data_hash: dataHash.toString('hex') })
  if (!sha256(Buffer.of(0), envelope).equals(row.leaf_hash)) fault('it is not what was hashed')
  return faults
}

/** Versions of each stream are 1, 2, 3 …, times never go back, and each call is closed exactly once, by its last event. */
function orderFaults(events: RecordedEvent[]): string[] {
  const faults: string[] = []
  const versions = new Map<string, number>()
  const closed = new Set<string>()
  let [before, open]: [string, string | null] = ['', null]
  for (const event of events) {
    const fault = (what: string) => faults.push(`position ${event.position}: ${what}`)
    if (event.version !== (versions.get(event.stream) ?? 0) + 1) fault('its stream has a gap')
    versions.set(event.stream, event.version)
    if (event.recorded_at < before) fault('time went back')
    before = event.recorded_at
    if (open !== null && event.call_id !== open) fault(`the call ${open} is torn apart`)
    if (event.call_id !== null && closed.has(event.call_id)) fault('its call was closed before')
    open = closesCall(event) ? null : event.call_id
    if (open === null && event.call_id !== null) closed.add(event.call_id)
  }
  return open === null ? faults : [...faults, `the call ${open} is not closed`]
}

/** Every null is named by a later erasing event, and every position that one names is null. */
function erasureFaults(events: RecordedEvent[]): string[] {
  const erasing = events.filter(isErasing)
  const named = new Map<number, RecordedEvent>()
  const faults: string[] = []
  for (const event of erasing) {
    for (const position of event.data?.positions ?? []) {
      if (named.has(position)) faults.push(`position ${position} is erased twice`)
      named.set(position, event)
    }
  }
  for (const { position, data, type } of events) {
    const by = named.get(position)
    if (data === null && (!by || by.position <= position))
      faults.push(`position ${position}: ${type} is null and not erased`)
    if (data !== null && by) faults.push(`position ${position}: ${by.type} names it, and it is there`)
  }
  return faults
}

/** The directory matches the events, and so do the states on which calls are decided. */
async function directoryFaults(db: LedgerDb, company: string, events: RecordedEvent[]): Promise<string[]> {
  const rows = await db.selectFrom('employee_directory').selectAll().where('company_id', '=', company).execute()
  const { columns, joins } = selectStates('$1')
  const states = await sql<StateRow>`select ${sql.raw(columns)} from employee_directory d ${sql.raw(joins)}
    where d.company_id = ${company}`.execute(db)
  const loaded = new Map(doAtOnce(employeesOf(states.rows)).map(({ employee }) => [employee.id, employee]))
  const folded = foldEmployees(events)
  const faults = rows.flatMap((row) => {
    const id = fromUuid('emp', row.employee_id)
    const expected = folded.get(id)
    const managerId = row.manager_id === null ? null : fromUuid('emp', row.manager_id)
    const named = { email: row.email, external_id: row.external_id, manager_id: managerId }
    const isNamed = Object.entries(named).every(([name, value]) => expected?.[name as keyof typeof named] === value)
    return [
      ...(isNamed ? [] : [`the directory has other values of ${id} than its events`]),
      ...(sameJson(loaded.get(id), expected) ? [] : [`the state of ${id} is not what its events fold to`]),
    ]
  })
  return rows.length === folded.size
    ? faults
    : [...faults, `the directory has ${rows.length} employees of ${folded.size}`]
}

/** Every employee's state, folded from the events. */
export function foldEmployees(events: RecordedEvent[]): Map<string, Employee> {
  const employees = new Map<string, Employee>()
  for (const event of events) {
    if (!isEmployeeEvent(event)) continue
    const employee = evolveStored(employees.get(event.stream), event)
    if (employee) employees.set(event.stream, employee)
    else employees.delete(event.stream)
  }
  return employees
}

/** Whether two values are the same JSON, whatever the order of members. */
export function sameJson(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

/** RFC 6962 section 2.1, word for word. */
function naiveRoot(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return sha256(Buffer.alloc(0))
  if (leaves.length === 1) return leaves[0]!
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)))
}

function sha256(...parts: (Buffer | string)[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
