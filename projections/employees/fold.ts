import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Employee, EmployeeStreamEvent } from '../../src/domain/employees/employee.ts'
import { evolveStored } from '../../src/domain/employees/employee.ts'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import { uuidArray } from '../../src/postgres/binary-arrays.ts'
import type { AnyDb, CompanyEvents, Projection } from '../projection.ts'
import { bigints, jsons, texts, timestamps, unnestedRows, uuids } from '../unnested-rows.ts'

/** The employee read model: the latest state of every employee, for lists and searches. */
export const employees: Projection = { name: 'employees', version: 1, createTables, createIndexes, fold }

export type EmployeeTables = {
  employees: {
    company_id: string
    /** A UUIDv7, so the list is in order of creation. */
    employee_id: string
    /** The position of the employee's last event. */
    position: number
    status: Employee['status']
    email: string
    external_id: string | null
    updated_at: string
    /** The text that `q` searches, in lower case. */
    search_text: string
    state: Employee
  }
}

async function createTables(db: AnyDb, schema: string): Promise<void> {
  // No index on email or external id: the snapshots have unique ones, and lists by either read the snapshots.
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

async function createIndexes(db: AnyDb, schema: string): Promise<void> {
  const table = sql.id(schema, 'employees')
  await sql`create index if not exists employees_by_status on ${table} (company_id, status, employee_id)`.execute(db)
  await sql`create index if not exists employees_by_update on ${table} (company_id, updated_at, employee_id)`.execute(
    db,
  )
}

/** The maximum number of states in memory, because a small event may belong to a large state. */
const EMPLOYEES_AT_ONCE = 1_000

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  batches: readonly CompanyEvents[],
): Promise<void> {
  const touched = batches.flatMap(({ companyId, events }) => {
    const streams = Map.groupBy(events.filter(isEmployeeEvent), ({ stream }) => stream)
    return [...streams].map(([id, own]): TouchedEmployee => ({ companyId, id, events: own }))
  })
  for (let from = 0; from < touched.length; from += EMPLOYEES_AT_ONCE) {
    await foldEmployees(transaction, schema, touched.slice(from, from + EMPLOYEES_AT_ONCE))
  }
}

/** Folds the events of each employee into their row. */
async function foldEmployees(
  transaction: Transaction<unknown>,
  schema: string,
  touched: TouchedEmployee[],
): Promise<void> {
  // Employees that are created here have no row yet.
  const known = await loadKnownEmployees(
    transaction,
    schema,
    touched.filter(({ events }) => events[0]!.type !== 'EmployeeCreated'),
  )
  const rows: Row[] = []
  const erased: EmployeeOfCompany[] = []
  for (const { companyId, id, events } of touched) {
    const state = events.reduce(evolveStored, known.get(companyId)?.get(id))
    if (state) rows.push({ companyId, position: events.at(-1)!.position, state })
    else erased.push({ companyId, id })
  }
  await upsertRows(transaction, schema, rows)
  await deleteRows(transaction, schema, erased)
}

interface EmployeeOfCompany {
  companyId: string
  id: string
}

/** An employee with their next events. */
interface TouchedEmployee extends EmployeeOfCompany {
  events: EmployeeStreamEvent[]
}

interface Row {
  companyId: string
  /** The position of the employee's last event. */
  position: number
  state: Employee
}

async function upsertRows(transaction: Transaction<unknown>, schema: string, rows: Row[]): Promise<void> {
  if (rows.length === 0) return
  // Send the columns in addition to the state, because PostgreSQL would parse the state once for each column.
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
      search_text: texts(rows.map(({ state }) => buildSearchText(state))),
      state: jsons(rows.map(({ state }) => JSON.stringify(state))),
    })}
    on conflict (company_id, employee_id) do update set position = excluded.position, status = excluded.status,
      email = excluded.email, external_id = excluded.external_id, updated_at = excluded.updated_at,
      search_text = excluded.search_text, state = excluded.state`.execute(transaction)
}

/**
 * Deletes the rows of erased employees. One statement per company, because Citus needs the company to find the shard.
 */
async function deleteRows(
  transaction: Transaction<unknown>,
  schema: string,
  erased: EmployeeOfCompany[],
): Promise<void> {
  for (const [companyId, employees] of Map.groupBy(erased, (employee) => employee.companyId)) {
    await sql`delete from ${sql.id(schema, 'employees')} where company_id = ${toUuid(companyId)}
      and employee_id = any(${uuidArray(employees.map(({ id }) => id))}::uuid[])`.execute(transaction)
  }
}

/** Builds the text that `q` searches. */
export function buildSearchText(employee: Employee): string {
  const { first_name, last_name, email, external_id, employee_number } = employee
  return normaliseSearchText([first_name, last_name, email, external_id ?? '', employee_number ?? ''].join(' '))
}

/** Normalises a text for searching: case and Unicode form do not matter. */
export function normaliseSearchText(text: string): string {
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

/** Loads the employees that have a row, by company and id. */
async function loadKnownEmployees(
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
    join ${sql.id(schema, 'employees')} e on e.company_id = w.company_id and e.employee_id = w.employee_id`.execute(
    transaction,
  )
  for (const [company, states] of Map.groupBy(rows, (row) => row.company_id)) {
    found.set(fromUuid('com', company), new Map(states.map(({ state }) => [state.id, state])))
  }
  return found
}
