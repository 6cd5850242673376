import { sql } from 'kysely'
import { employees } from '../../../projections/employees/fold.ts'
import type { EmployeeRow } from '../../../projections/employees/rows.ts'
import { EMPLOYEE_COLUMNS, toEmployee } from '../../../projections/employees/rows.ts'
import { schemaOf } from '../../../projections/projection.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import { evolveStored, isEmployeeEvent } from '../../domain/employees/employee.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { EVENT_COLUMNS, readEvent } from '../integrity/codec.ts'
import type { LedgerDb } from '../tables.ts'

/*
 * Employees as of the last commit. The directory tells who exists, and the read model holds their states up to some
 * version; the events after that version, which the workers have not folded yet, are applied here. So the result does
 * not depend on how far the read model is.
 */

/**
 * The select list and the joins of a query for the states of employees `d` of the directory: a row for each event that
 * the read model lacks, at least one. With OFFSET, PostgreSQL looks for the version in the index of streams instead of
 * reading all events of an employee.
 */
export function selectStates(companyId?: string): { columns: string; joins: string } {
  // Citus sends a statement to one machine only if it names the company for every table.
  const and = (column: string) => (companyId === undefined ? '' : ` and ${column} = '${toUuid(companyId)}'::uuid`)
  return {
    columns: COLUMNS,
    joins: `left join ${schemaOf(employees)}.employees r
        on r.company_id = d.company_id and r.employee_id = d.employee_id${and('r.company_id')}
      left join lateral (
        select ${EVENT} as event from events where company_id = d.company_id and stream_id = d.employee_id
          and stream_version > coalesce(r.version, 0)${and('company_id')} offset 0) e on true`,
  }
}

/** SQL for the rebuild that last wrote the rows of a company, from which states are read; null if there was none. */
export function selectGeneration(company: string): string {
  return `(select c.generation from checkpoints c where c.company_id = ${company}
    and c.projection = '${employees.name}' and c.version = ${employees.version})`
}

const COLUMNS = [
  'd.company_id',
  'd.employee_id',
  ...EMPLOYEE_COLUMNS.slice(1).map((name) => `r.${name}`),
  'e.event',
].join(', ')

/** An event as one value, so that rows without one stay small. */
const TIME = `to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const EVENT = `json_build_object(${EVENT_COLUMNS.map((name) => `'${name}', ${name === 'recorded_at' ? TIME : name}`).join(', ')})`

/** A row of `selectStates`. */
export type StateRow = { company_id: string; event: Parameters<typeof readEvent>[0] | null } & (
  EmployeeRow | (Record<Exclude<keyof EmployeeRow, 'employee_id'>, null> & { employee_id: string })
)

/** Makes the employees of these rows, which may be in any order and repeated. */
export function employeesOf(rows: StateRow[]): { companyId: string; employee: Employee }[] {
  // Most rows are of one company, so its id is converted once.
  const ids = new Map<string, string>()
  const idOf = (uuid: string) => ids.get(uuid) ?? ids.set(uuid, fromUuid('com', uuid)).get(uuid)!
  const employees: { companyId: string; employee: Employee }[] = []
  const behind: StateRow[] = []
  for (const row of rows) {
    if (row.version === null || row.event !== null) behind.push(row)
    else employees.push({ companyId: idOf(row.company_id), employee: toEmployee(row) })
  }
  for (const eventRows of Map.groupBy(behind, (row) => row.employee_id).values()) {
    const employee = applyEvents(eventRows)
    if (employee) employees.push({ companyId: idOf(eventRows[0]!.company_id), employee })
  }
  return employees
}

/** Applies the events of an employee's rows to the state in these rows. */
function applyEvents(rows: StateRow[]): Employee | undefined {
  const [first] = rows as [StateRow]
  const stored = first.version === null ? undefined : toEmployee(first)
  return rows
    .flatMap(({ event }) => (event === null ? [] : [readEvent(event)]))
    .filter(isEmployeeEvent)
    .toSorted((one, other) => one.version - other.version)
    .reduce((state, event) => (event.version > (state?.version ?? 0) ? evolveStored(state, event) : state), stored)
}

const NAMES = { id: 'employee_id', email: 'email', external_id: 'external_id' } as const

/** The employee who has these names as of the last commit; null if the company has no such employee. */
export async function readEmployee(
  db: LedgerDb,
  companyId: string,
  names: { id?: string; email?: string; external_id?: string },
): Promise<Employee | null> {
  const conditions = (Object.keys(NAMES) as (keyof typeof NAMES)[]).flatMap((name) => {
    const value = names[name]
    return value === undefined ? [] : [sql`d.${sql.id(NAMES[name])} = ${name === 'id' ? toUuid(value) : value}`]
  })
  const { columns, joins } = selectStates(companyId)
  const { rows } = await sql<StateRow>`select ${sql.raw(columns)} from employee_directory d ${sql.raw(joins)}
    where d.company_id = ${toUuid(companyId)} and ${sql.join(conditions, sql` and `)}`.execute(db)
  return employeesOf(rows)[0]?.employee ?? null
}
