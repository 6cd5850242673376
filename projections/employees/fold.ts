import { sql, type Transaction } from 'kysely'
import { type Employee, type EmployeeStreamEvent, evolveStored, isEmployeeEvent } from '#domain/employees/employee'
import { fromUuid, toUuid } from '#domain/ids'
import { mapInPieces } from '#domain/pieces'
import { uuidArray } from '#postgres/binary-arrays'
import { onlyCompany } from '#postgres/pool'
import { type CompanyEvents, type DoPieces, type Projection, insertRows, jsonText } from '../projection.ts'
import {
  EMPLOYEE_COLUMNS,
  EMPLOYEE_INDEXES,
  EMPLOYEE_TABLES,
  listSetAttributes,
  toEmployee,
  type EmployeeRow,
  type EmployeeTables,
} from './rows.ts'
import { countByHour, readEventsBefore, type PersonEvents } from './people-by-hour.ts'
import { foldText } from '#text/normalize-text'

/**
 * The employee read model: the state of every employee after their last folded event. Lists and searches read it, and
 * calls are decided on it and on the events after it.
 */
export const employees: Projection = {
  name: 'employees',
  version: 4,
  tables: EMPLOYEE_TABLES,
  indexes: EMPLOYEE_INDEXES,
  fold,
  takesStates: true,
}

/** The maximum number of states in memory, because a small event may belong to a large state. */
const EMPLOYEES_AT_ONCE = 1_000

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  batches: readonly CompanyEvents[],
  doPieces: DoPieces,
) {
  const touched = batches.flatMap(({ companyId, events, employees: after }) => {
    const touchedHere = new Map<string, TouchedEmployee>()
    for (const event of events) {
      if (!isEmployeeEvent(event)) continue
      const { stream: id } = event
      const known = touchedHere.get(id)
      if (known) known.events.push(event)
      else touchedHere.set(id, { companyId, id, events: [event], after: after?.get(id) })
    }
    return [...touchedHere.values()]
  })
  for (let from = 0; from < touched.length; from += EMPLOYEES_AT_ONCE) {
    await foldEmployees(transaction, schema, touched.slice(from, from + EMPLOYEES_AT_ONCE), doPieces)
  }
}

/** Folds the events of each employee into their row. */
async function foldEmployees(
  transaction: Transaction<unknown>,
  schema: string,
  touched: TouchedEmployee[],
  doPieces: DoPieces,
) {
  const employees = await loadKnownEmployees(
    transaction,
    schema,
    touched.filter(({ events, after }) => !after && !isNew(events)),
  )
  const [inserted, replaced]: [WrittenRow[], WrittenRow[]] = [[], []]
  const [counted, erased]: [PersonEvents[], TouchedEmployee[]] = [[], []]
  await doPieces(
    mapInPieces(touched, (employee) => {
      const { companyId, id, events, after } = employee
      const state = after ?? events.reduce(evolveStored, employees.get(companyId)?.get(id))
      if (!state) return void erased.push(employee)
      const written = isNew(events) ? inserted : replaced
      written.push(buildRow(companyId, state))
      counted.push({ companyId, events, status: state.status })
    }),
  )
  await writeRows(transaction, schema, inserted, 'insert')
  await writeRows(transaction, schema, replaced, 'replace')
  await deleteRows(transaction, schema, erased)
  const takenBack: PersonEvents[] = []
  for (const { companyId, id, events } of erased) {
    const status = employees.get(companyId)?.get(id)?.status
    // Nothing was counted of those who had no row.
    if (!status) continue
    const earlier = await readEventsBefore(transaction, { companyId, id }, events[0]!.position)
    takenBack.push({ companyId, events: earlier, status })
  }
  await countByHour(transaction, schema, counted, takenBack)
}

/** Whether these events begin with an employee's creation, so that no row exists. */
function isNew(events: EmployeeStreamEvent[]) {
  return events[0]!.type === 'EmployeeCreated'
}

interface EmployeeOfCompany {
  companyId: string
  id: string
}

/** An employee with their next events. */
interface TouchedEmployee extends EmployeeOfCompany {
  events: EmployeeStreamEvent[]
  /** The employee after them, if the caller knows. */
  after: Employee | undefined
}

/** A row whose attributes are JSON already. */
type WrittenRow = Omit<EmployeeTables['employees'], 'attributes'> & { attributes: string }

function buildRow(companyId: string, state: Employee): WrittenRow {
  return {
    company_id: companyId,
    employee_id: state.id,
    created_at: state.created_at,
    updated_at: state.updated_at,
    deactivated_at: state.deactivated_at,
    deprovisioned_at: state.deprovisioned_at,
    version: state.version,
    search_text: buildSearchText(state),
    attributes: JSON.stringify(listSetAttributes(state)),
  }
}

/** The maximum characters of attributes in one statement. Those of as many usual employees are fewer. */
const CHARACTERS_AT_ONCE = 2_000_000

/**
 * Inserts rows, or replaces them. PostgreSQL writes more for each row of an insert that may meet a conflict, whether it
 * does or not.
 */
async function writeRows(
  transaction: Transaction<unknown>,
  schema: string,
  rows: readonly WrittenRow[],
  how: 'insert' | 'replace',
) {
  const { columns, key } = EMPLOYEE_TABLES.employees
  const replaced = Object.keys(columns)
    .filter((name) => !key.includes(name))
    .map((name) => sql`${sql.id(name)} = excluded.${sql.id(name)}`)
  const onConflict = sql`on conflict (company_id, employee_id) do update set ${sql.join(replaced)}`
  for (let from = 0; from < rows.length;) {
    let [to, characters] = [from, 0]
    for (; to < rows.length && characters < CHARACTERS_AT_ONCE; to += 1) characters += rows[to]!.attributes.length
    const written = { ...columns, attributes: jsonText }
    const insert = insertRows(sql.id(schema, 'employees'), written, rows.slice(from, to))
    await sql`${insert} ${how === 'insert' ? sql`` : onConflict}`.execute(transaction)
    from = to
  }
}

/**
 * Deletes the rows of erased employees. One statement per company, because Citus needs the company to find the shard.
 */
async function deleteRows(transaction: Transaction<unknown>, schema: string, erased: EmployeeOfCompany[]) {
  for (const [companyId, employees] of Map.groupBy(erased, (employee) => employee.companyId)) {
    await sql`delete from ${sql.id(schema, 'employees')} where company_id = ${toUuid(companyId)}
      and employee_id = any(${uuidArray(employees.map(({ id }) => id))}::uuid[])`.execute(transaction)
  }
}

/** Builds the text that `q` searches. */
export function buildSearchText(employee: Employee) {
  const { first_name, last_name, email, external_id, employee_number } = employee
  const { user_name, directory_external_id } = employee
  const ids = [user_name, directory_external_id].map((id) => (id === email ? null : id))
  const texts = [first_name, last_name, email, external_id ?? '', employee_number ?? '', ...ids]
  return foldText(texts.filter((text) => text !== null).join(' '))
}

/** Loads the employees that have a row, by company and id. */
async function loadKnownEmployees(transaction: Transaction<unknown>, schema: string, references: EmployeeOfCompany[]) {
  const employeesOf = new Map<string, Map<string, Employee>>()
  if (references.length === 0) return employeesOf
  const only = onlyCompany(references)
  const { rows } = await sql<EmployeeRow & { company_id: string }>`
    select e.company_id, ${sql.join(EMPLOYEE_COLUMNS.map((name) => sql.ref(`e.${name}`)))}
    from unnest(
      ${uuidArray(references.map(({ companyId }) => companyId))}::uuid[],
      ${uuidArray(references.map(({ id }) => id))}::uuid[]) as w(company_id, employee_id)
    join ${sql.id(schema, 'employees')} e on e.company_id = w.company_id and e.employee_id = w.employee_id
    where ${only}::uuid is null or e.company_id = ${only}`.execute(transaction)
  for (const [company, employeeRows] of Map.groupBy(rows, (row) => row.company_id)) {
    const employees = employeeRows.map(toEmployee)
    employeesOf.set(fromUuid('com', company), new Map(employees.map((employee) => [employee.id, employee])))
  }
  return employeesOf
}
