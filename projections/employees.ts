import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Employee, EmployeeStreamEvent } from '../src/domain/employee.ts'
import { evolveStored } from '../src/domain/employee.ts'
import type { RecordedEvent } from '../src/domain/events.ts'
import { toUuid } from '../src/domain/ids.ts'
import { bigintArray, textArray, uuidArray } from '../src/ledger/binary-arrays.ts'
import type { Projection } from './projection.ts'

/**
 * The employee read model: the latest state of every employee, for lists and searches.
 * Its queries are in employees-queries.ts.
 */
export const employees: Projection = { name: 'employees', version: 1, createTables, fold }

export type EmployeeTables = {
  employees: {
    company_id: string
    /** A UUIDv7: the order of the list. */
    employee_id: string
    /** The position of the employee's last event. */
    position: number
    status: Employee['status']
    email: string
    external_id: string | null
    updated_at: string
    /** What `q` looks into, in lower case. */
    search_text: string
    state: Employee
  }
}

async function createTables(db: Kysely<unknown>, schema: string): Promise<void> {
  // No index on e-mail or external id: the snapshots have one each, and here within one call two employees may swap them.
  await sql`create table ${sql.id(schema, 'employees')} (
    company_id uuid not null,
    employee_id uuid not null,
    position bigint not null,
    status text not null,
    email text not null,
    external_id text,
    updated_at timestamptz(3) not null,
    search_text text not null,
    state json not null,
    primary key (company_id, employee_id)
  )`.execute(db)
  const table = sql.id(schema, 'employees')
  await sql`create index employees_by_status on ${table} (company_id, status, employee_id)`.execute(db)
  await sql`create index employees_by_update on ${table} (company_id, updated_at, employee_id)`.execute(db)
}

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: RecordedEvent[],
): Promise<void> {
  const touched = new Set(events.filter(isEmployeeEvent).map(({ stream }) => stream))
  if (touched.size === 0) return
  // Whoever is created here has no row yet.
  const created = new Set(events.filter(({ type }) => type === 'EmployeeCreated').map(({ stream }) => stream))
  const states = await load(transaction, schema, companyId, [...touched].filter((id) => !created.has(id)))
  const positions = new Map<string, number>()
  for (const event of events) {
    if (!isEmployeeEvent(event)) continue
    const state = evolveStored(states.get(event.stream), event)
    if (state) states.set(event.stream, state)
    else states.delete(event.stream)
    positions.set(event.stream, event.position)
  }
  await put(transaction, schema, companyId, [...states.values()], positions)
  await remove(transaction, schema, companyId, [...touched].filter((id) => !states.has(id)))
}

async function put(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  states: Employee[],
  positions: Map<string, number>,
): Promise<void> {
  if (states.length === 0) return
  // The columns stand beside the state: for PostgreSQL to find them in it would be to read it once for each.
  await sql`insert into ${sql.id(schema, 'employees')}
      (company_id, employee_id, position, status, email, external_id, updated_at, search_text, state)
    select ${toUuid(companyId)}, id, position, status, email, external_id, updated_at::timestamptz, search_text, state::json
    from unnest(
      ${uuidArray(states.map(({ id }) => id))}::uuid[],
      ${bigintArray(states.map(({ id }) => positions.get(id)!))}::bigint[],
      ${textArray(states.map(({ status }) => status))}::text[],
      ${textArray(states.map(({ email }) => email))}::text[],
      ${textArray(states.map((state) => state.external_id))}::text[],
      ${textArray(states.map((state) => state.updated_at))}::text[],
      ${textArray(states.map(searchText))}::text[],
      ${textArray(states.map((state) => JSON.stringify(state)))}::text[]
    ) as r(id, position, status, email, external_id, updated_at, search_text, state)
    on conflict (company_id, employee_id) do update set position = excluded.position, status = excluded.status,
      email = excluded.email, external_id = excluded.external_id, updated_at = excluded.updated_at,
      search_text = excluded.search_text, state = excluded.state`.execute(transaction)
}

/** Who was erased has no row. */
async function remove(transaction: Transaction<unknown>, schema: string, companyId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`delete from ${sql.id(schema, 'employees')}
    where company_id = ${toUuid(companyId)} and employee_id = any(${uuidArray(ids)}::uuid[])`.execute(transaction)
}

/** The texts by which people look for somebody, in the form in which `q` is compared with them. */
export function searchText(employee: Employee): string {
  const { first_name, last_name, email, external_id, employee_number } = employee
  return searchable([first_name, last_name, email, external_id ?? '', employee_number ?? ''].join(' '))
}

/** Case and Unicode form do not matter in a search. */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

function isEmployeeEvent(event: RecordedEvent): event is EmployeeStreamEvent {
  return EMPLOYEE_EVENTS.has(event.type)
}

type EmployeeEventType = EmployeeStreamEvent['type']
const EMPLOYEE_EVENTS: ReadonlySet<string> = new Set<EmployeeEventType>([
  'EmployeeCreated',
  'EmployeeUpdated',
  'EmployeeDeactivated',
  'EmployeeReactivated',
  'EmployeeErased',
])

async function load(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  ids: string[],
): Promise<Map<string, Employee>> {
  if (ids.length === 0) return new Map()
  const rows = await (transaction as Transaction<EmployeeTables>)
    .withSchema(schema)
    .selectFrom('employees')
    .select('state')
    .where('company_id', '=', toUuid(companyId))
    .where('employee_id', '=', sql<string>`any(${uuidArray(ids)}::uuid[])`)
    .execute()
  return new Map(rows.map(({ state }) => [state.id, state]))
}
