import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Employee } from '../src/domain/employee.ts'
import { evolve } from '../src/domain/employee.ts'
import type { RecordedEvent } from '../src/domain/events.ts'
import { toUuid } from '../src/domain/ids.ts'
import type { Projection } from './projection.ts'

/** The employee read model: the latest state of every employee, for lists and searches. */
export const employees: Projection = { name: 'employees', version: 1, createTables, fold }

interface EmployeeTables {
  employees: {
    company_id: string
    employee_id: string
    /** The position of the employee's last event. */
    position: number
    state: Employee
  }
}

async function createTables(db: Kysely<unknown>, schema: string): Promise<void> {
  // No unique index on e-mail or external id: within one call two employees may swap them.
  await sql`create table ${sql.id(schema, 'employees')} (
    company_id uuid not null,
    employee_id uuid not null,
    position bigint not null,
    state json not null,
    primary key (company_id, employee_id)
  )`.execute(db)
}

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: RecordedEvent[],
): Promise<void> {
  const touched = new Set(events.filter(isEmployeeEvent).map(({ stream }) => stream))
  if (touched.size === 0) return
  const states = await load(transaction, schema, companyId, [...touched])
  const positions = new Map<string, number>()
  for (const event of events) {
    if (!isEmployeeEvent(event)) continue
    states.set(event.stream, evolve(states.get(event.stream), event))
    positions.set(event.stream, event.position)
  }
  const rows = [...positions].map(([id, position]) => ({ i: toUuid(id), p: position, s: states.get(id) }))
  await sql`insert into ${sql.id(schema, 'employees')} (company_id, employee_id, position, state)
    select ${toUuid(companyId)}, i, p, s from json_to_recordset(${JSON.stringify(rows)}) as r(i uuid, p bigint, s json)
    on conflict (company_id, employee_id) do update set position = excluded.position, state = excluded.state`.execute(
    transaction,
  )
}

function isEmployeeEvent(event: RecordedEvent): event is Extract<RecordedEvent, { type: EmployeeEventType }> {
  return EMPLOYEE_EVENTS.has(event.type)
}

type EmployeeEventType = 'EmployeeCreated' | 'EmployeeUpdated' | 'EmployeeDeactivated' | 'EmployeeReactivated'
const EMPLOYEE_EVENTS: ReadonlySet<string> = new Set<EmployeeEventType>([
  'EmployeeCreated',
  'EmployeeUpdated',
  'EmployeeDeactivated',
  'EmployeeReactivated',
])

async function load(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  ids: string[],
): Promise<Map<string, Employee>> {
  const rows = await (transaction as Transaction<EmployeeTables>)
    .withSchema(schema)
    .selectFrom('employees')
    .select('state')
    .where('company_id', '=', toUuid(companyId))
    .where('employee_id', '=', sql<string>`any(${ids.map(toUuid)})`)
    .execute()
  return new Map(rows.map(({ state }) => [state.id, state]))
}
