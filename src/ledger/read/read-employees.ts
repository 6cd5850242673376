import type { Pool } from 'pg'
import { employees } from '#projections/employees/fold'
import { EMPLOYEE_COLUMNS, STATUS, toEmployee, type EmployeeRow } from '#projections/employees/rows'
import { schemaOf } from '#projections/projection'
import { doInTurns } from '#admission/turns'
import { NOBODY, type Naming } from '#domain/calls/uniqueness'
import { evolveStored, isEmployeeEvent, type Employee } from '#domain/employees/employee'
import { fromUuid, toUuid } from '#domain/ids'
import { mapInPieces, type Pieces } from '#domain/pieces'
import { textArray, uuidArray } from '#postgres/binary-arrays'
import { type QueryClient, isOnly, onlyCompany, type Queryable } from '#postgres/pool'
import { EVENT_COLUMNS, readEvent } from '#ledger/integrity/codec'
import { createSharedLookup } from './shared-lookup.ts'
import type { LedgerDb } from '#ledger/tables'

/*
 * Employees as of the last commit. The directory tells who exists, and the read model holds their states up to some
 * version; the events after that version, which the workers have not folded yet, are applied here. So the result does
 * not depend on how far the read model is.
 */

const COLUMNS = [
  'd.company_id',
  'd.employee_id',
  ...EMPLOYEE_COLUMNS.slice(1).map((name) => `r.${name}`),
  'e.event',
].join(', ')

const TIME = `to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** An event as one value, so that rows without one stay small. */
const MEMBERS = EVENT_COLUMNS.map((name) => `'${name}', ${name === 'recorded_at' ? TIME : name}`)
const EVENT = `json_build_object(${MEMBERS.join(', ')})`

/**
 * The select list and the joins of a query for the states of employees `d` of the directory: a row for each event that
 * the read model lacks, at least one. With OFFSET, PostgreSQL looks for the version in the index of streams instead of
 * reading all events of an employee.
 */
export const selectStates = (only: string) => ({
  columns: COLUMNS,
  joins: `left join ${schemaOf(employees)}.employees r
      on r.company_id = d.company_id and r.employee_id = d.employee_id and ${isOnly('r.company_id', only)}
    left join lateral (
      select ${EVENT} as event from events where company_id = d.company_id and stream_id = d.employee_id
        and stream_version > coalesce(r.version, 0) and ${isOnly('company_id', only)} offset 0) e on true`,
})

/** SQL for the rebuild that last wrote the rows of a company, from which states are read; null if there was none. */
export function selectGeneration(company: string, only: string) {
  return `(select c.generation from checkpoints c where c.company_id = ${company}
    and c.projection = '${employees.name}' and c.version = ${employees.version} and ${isOnly('c.company_id', only)})`
}

/** A row of `selectStates`. */
export type StateRow = { company_id: string; event: Parameters<typeof readEvent>[0] | null } & (
  | EmployeeRow
  | (Record<Exclude<keyof EmployeeRow, 'employee_id'>, null> & { employee_id: string })
)

export interface OwnedEmployee {
  companyId: string
  employee: Employee
}

/** Makes the employees of these rows, which may be in any order and repeated. */
export function* employeesOf(rows: StateRow[]): Pieces<OwnedEmployee[]> {
  // Most rows are of one company, so its id is converted once.
  const ids = new Map<string, string>()
  const idOf = (uuid: string) => ids.get(uuid) ?? ids.set(uuid, fromUuid('com', uuid)).get(uuid)!
  const made: OwnedEmployee[] = []
  const behind: StateRow[] = []
  yield* mapInPieces(rows, (row) => {
    if (row.version === null || row.event !== null) behind.push(row)
    else made.push({ companyId: idOf(row.company_id), employee: toEmployee(row) })
  })
  yield* mapInPieces([...Map.groupBy(behind, (row) => row.employee_id).values()], (eventRows) => {
    const employee = applyEvents(eventRows)
    if (employee) made.push({ companyId: idOf(eventRows[0]!.company_id), employee })
  })
  return made
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

const LOOK_UPS = [
  { by: 'employeeIds', column: 'employee_id', type: 'uuid', arrayOf: uuidArray },
  { by: 'emails', column: 'email', type: 'text', arrayOf: textArray },
  { by: 'externalIds', column: 'external_id', type: 'text', arrayOf: textArray },
  { by: 'userNames', column: 'user_name', type: 'text', arrayOf: textArray },
  { by: 'directoryIds', column: 'directory_external_id', type: 'text', arrayOf: textArray },
] as const

/** Loads the employees that have any of these ids, emails, or external ids. `named` has at least one. */
export async function loadEmployees(
  client: QueryClient,
  named: { companyId: string; naming: Naming }[],
): Promise<OwnedEmployee[]> {
  const lookUps = LOOK_UPS.filter(({ by }) => named.some(({ naming }) => naming[by].length > 0))
  const only = `$${2 * lookUps.length + 1}`
  const { columns, joins } = selectStates(only)
  // With OFFSET, PostgreSQL looks for each employee in an index instead of reading the directory of all companies.
  const holders = lookUps.map(
    ({ column, type }, at) => `select d.company_id, d.employee_id
    from unnest($${2 * at + 1}::uuid[], $${2 * at + 2}::${type}[]) as wanted(company_id, value) cross join lateral (
      select company_id, employee_id from employee_directory
      where company_id = wanted.company_id and ${column} = wanted.value and ${isOnly('company_id', only)} offset 0) d`,
  )
  const { rows } = await client.query<StateRow>({
    name: `load-employees ${LOOK_UPS.map((lookUp) => (lookUps.includes(lookUp) ? 1 : 0)).join('')}`,
    text: `select ${columns} from (${holders.join(' union ')}) d ${joins}`,
    values: [
      ...lookUps.flatMap(({ by, arrayOf }) => [
        uuidArray(named.flatMap(({ companyId, naming }) => naming[by].map(() => companyId))),
        arrayOf(named.flatMap(({ naming }) => naming[by])),
      ]),
      onlyCompany(named),
    ],
  })
  return doInTurns(employeesOf(rows))
}

/**
 * Counts the active people of a company as of the last commit: those of the read model, and the events that it lacks. Those
 * of a person who is erased there say nothing any more.
 */
export async function countActivePeople(client: QueryClient, companyId: string) {
  const { rows } = await client.query<{ count: number }>({
    name: 'count-active-people',
    text: `with later as (
        select stream_id, type, data from events
        where company_id = $1
          and type in ('EmployeeCreated', 'EmployeeReactivated', 'EmployeeDeactivated', 'EmployeeErased')
          and position > coalesce((select position from checkpoints where company_id = $1
            and projection = '${employees.name}' and version = ${employees.version}), 0)
      ), erased as (select stream_id from later where type = 'EmployeeErased')
      select (
        select count(*) from ${schemaOf(employees)}.employees where company_id = $1 and ${STATUS} = 'active'
          and employee_id not in (select stream_id from erased)
      )::integer + (
        select coalesce(sum(case type
          when 'EmployeeCreated' then (data::json #>> '{attributes,status}' = 'active')::integer
          when 'EmployeeReactivated' then 1 else -1 end), 0)
        from later where stream_id not in (select stream_id from erased)
      )::integer as count`,
    values: [toUuid(companyId)],
  })
  return rows[0]!.count
}

/** What an employee is looked up by: at least one of these names, which are unique in the company. */
interface EmployeeNames {
  companyId: string
  id?: string
  email?: string
  externalId?: string
}

/** Finds the employee who has all of these names as of the last commit; null if the company has no such employee. */
export type FindEmployee = (names: EmployeeNames) => Promise<Employee | null>

/** Looks up employees, in one statement for all look-ups that arrive together. */
export function createEmployeeLookup(pool: Pool, companiesTogether = Infinity): FindEmployee {
  return createSharedLookup<EmployeeNames, Employee>(pool, companiesTogether, {
    holderOf: ({ companyId }) => companyId,
    async find(client, wanted) {
      const stored = await loadEmployees(client, wanted.map(toNaming))
      return wanted.map((names) => stored.find((one) => isNamed(one, names))?.employee ?? null)
    },
  })
}

/** Finds the employees of a company with any of these names as of the last commit. */
export type FindNamed = (companyId: string, naming: Naming) => Promise<Employee[]>

/** Looks up employees by several names at once. */
export function createNamedLookup(pool: Pool): FindNamed {
  return async (companyId, naming) => {
    if (Object.values(naming).every((named) => named.length === 0)) return []
    const found = await loadEmployees(pool, [{ companyId, naming }])
    return found.map(({ employee }) => employee)
  }
}

/** Whether an employee has all of these names. */
function isNamed({ companyId, employee }: OwnedEmployee, wanted: EmployeeNames) {
  const { id = employee.id, email = employee.email, externalId = employee.external_id } = wanted
  const isSame = employee.id === id && employee.email === email && employee.external_id === externalId
  return isSame && companyId === wanted.companyId
}

function toNaming({ companyId, id, email, externalId }: EmployeeNames) {
  const given = (value: string | undefined) => (value === undefined ? [] : [value])
  const naming = { ...NOBODY, employeeIds: given(id), emails: given(email), externalIds: given(externalId) }
  return { companyId, naming }
}

/** Finds the id of the employee who has an email address (normalized) or an external id now; null if nobody has. */
export async function findEmployeeIdBy(
  db: LedgerDb,
  companyId: string,
  by: 'email' | 'external_id',
  value: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('employee_directory')
    .select('employee_id')
    .where('company_id', '=', toUuid(companyId))
    .where(by, '=', value)
    .executeTakeFirst()
  return row ? fromUuid('emp', row.employee_id) : null
}

/** Finds those of email addresses whose people have no external id, active or not. */
export async function findWithoutExternalId(
  db: Queryable,
  companyId: string,
  emails: readonly string[],
): Promise<string[]> {
  // With OFFSET, PostgreSQL looks for each address in the index.
  const { rows } = await db.query<{ email: string }>(
    `select d.email from unnest($2::text[]) as wanted(email) cross join lateral (
       select email from employee_directory
       where company_id = $1 and email = wanted.email and external_id is null offset 0) d`,
    [toUuid(companyId), emails],
  )
  return rows.map(({ email }) => email)
}
