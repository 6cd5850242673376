import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Employee, EmployeeStreamEvent } from '../src/domain/employee.ts'
import { evolveStored } from '../src/domain/employee.ts'
import type { RecordedEvent } from '../src/domain/events.ts'
import { fromUuid, toUuid } from '../src/domain/ids.ts'
import { uuidArray } from '../src/ledger/binary-arrays.ts'
import type { CompanyEvents, Projection } from './projection.ts'
import { bigints, jsons, texts, timestamps, unnestedRows, uuids } from './unnested-rows.ts'

/**
 * The employee read model: the latest state of every employee, for lists and searches.
 * Its queries are in employees-queries.ts.
 */
export const employees: Projection = { name: 'employees', version: 1, createTables, createIndexes, fold }

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
}

async function createIndexes(db: Kysely<unknown>, schema: string): Promise<void> {
  const table = sql.id(schema, 'employees')
  await sql`create index if not exists employees_by_status on ${table} (company_id, status, employee_id)`.execute(db)
  await sql`create index if not exists employees_by_update on ${table} (company_id, updated_at, employee_id)`.execute(db)
}

async function fold(transaction: Transaction<unknown>, schema: string, batches: readonly CompanyEvents[]): Promise<void> {
  const touching = batches
    .map(({ companyId, events }) => ({ companyId, events: events.filter(isEmployeeEvent) }))
    .filter(({ events }) => events.length > 0)
  if (touching.length === 0) return
  const known = await load(transaction, schema, touching.flatMap(knownIn))
  const rows: Row[] = []
  const erased: EmployeeOfCompany[] = []
  for (const { companyId, events } of touching) {
    const states = known.get(companyId) ?? new Map<string, Employee>()
    const positions = new Map<string, number>()
    for (const event of events) {
      const state = evolveStored(states.get(event.stream), event)
      if (state) states.set(event.stream, state)
      else states.delete(event.stream)
      positions.set(event.stream, event.position)
    }
    for (const state of states.values()) rows.push({ companyId, position: positions.get(state.id)!, state })
    for (const id of positions.keys()) if (!states.has(id)) erased.push({ companyId, id })
  }
  await put(transaction, schema, rows)
  await remove(transaction, schema, erased)
}

interface EmployeeOfCompany {
  companyId: string
  id: string
}

interface Row {
  companyId: string
  /** The position of the employee's last event. */
  position: number
  state: Employee
}

/** Whom events touch without having created them: whoever is created here has no row yet. */
function knownIn({ companyId, events }: { companyId: string; events: EmployeeStreamEvent[] }): EmployeeOfCompany[] {
  const created = new Set(events.filter(({ type }) => type === 'EmployeeCreated').map(({ stream }) => stream))
  const touched = new Set(events.map(({ stream }) => stream))
  return [...touched].filter((id) => !created.has(id)).map((id) => ({ companyId, id }))
}

async function put(transaction: Transaction<unknown>, schema: string, rows: Row[]): Promise<void> {
  if (rows.length === 0) return
  // The columns stand beside the state: for PostgreSQL to find them in it would be to read it once for each.
  await sql`insert into ${sql.id(schema, 'employees')}
      (company_id, employee_id, position, status, email, external_id, updated_at, search_text, state)
    select * from ${unnestedRows({
      company_id: uuids(rows.map(({ companyId }) => companyId)),
      employee_id: uuids(rows.map(({ state }) => state.id)),
      position: bigints(rows.map(({ position }) => position)),
      status: texts(rows.map(({ state }) => state.status)),
      email: texts(rows.map(({ state }) => state.email)),
      external_id: texts(rows.map(({ state }) => state.external_id)),
      updated_at: timestamps(rows.map(({ state }) => state.updated_at)),
      search_text: texts(rows.map(({ state }) => searchText(state))),
      state: jsons(rows.map(({ state }) => JSON.stringify(state))),
    })}
    on conflict (company_id, employee_id) do update set position = excluded.position, status = excluded.status,
      email = excluded.email, external_id = excluded.external_id, updated_at = excluded.updated_at,
      search_text = excluded.search_text, state = excluded.state`.execute(transaction)
}

/** Who was erased has no row. They are few: a statement for each company names it, for databases that are split by it. */
async function remove(transaction: Transaction<unknown>, schema: string, erased: EmployeeOfCompany[]): Promise<void> {
  for (const [companyId, employees] of Map.groupBy(erased, (employee) => employee.companyId)) {
    await sql`delete from ${sql.id(schema, 'employees')} where company_id = ${toUuid(companyId)}
      and employee_id = any(${uuidArray(employees.map(({ id }) => id))}::uuid[])`.execute(transaction)
  }
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

/** The employees who have a row, by company and id. */
async function load(
  transaction: Transaction<unknown>,
  schema: string,
  wanted: EmployeeOfCompany[],
): Promise<Map<string, Map<string, Employee>>> {
  const found = new Map<string, Map<string, Employee>>()
  if (wanted.length === 0) return found
  const { rows } = await sql<{ company_id: string; state: Employee }>`
    select e.company_id, e.state
    from unnest(
      ${uuidArray(wanted.map(({ companyId }) => companyId))}::uuid[],
      ${uuidArray(wanted.map(({ id }) => id))}::uuid[]) as w(company_id, employee_id)
    join ${sql.id(schema, 'employees')} e on e.company_id = w.company_id and e.employee_id = w.employee_id`.execute(transaction)
  for (const [company, states] of Map.groupBy(rows, (row) => row.company_id)) {
    found.set(fromUuid('com', company), new Map(states.map(({ state }) => [state.id, state])))
  }
  return found
}
