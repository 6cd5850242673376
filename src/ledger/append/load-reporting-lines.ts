import { UNIQUE_NAMES, uniqueForm } from '#domain/attributes'
import { locate, locateEmployee } from '#domain/calls/call-decision'
import type { Locator } from '#domain/calls/call-records'
import { recordsOf, type WriteCall } from '#domain/calls/commands'
import { fromUuid, toUuid } from '#domain/ids'
import { uuidArray } from '#postgres/binary-arrays'
import type { QueryClient } from '#postgres/pool'
import type { QueryMore, LockedCompany } from './company-state.ts'
import type { LoadedEmployees } from './employee-index.ts'

/** Looking down from an employee is usually cheap. With more subordinates than this, looking up is cheaper. */
const MAX_SUBORDINATES = 1_000
/** The lines above the new managers may have this many levels on average, and as many more in all as looking down. */
const MAX_LEVELS = 20

/**
 * Loads the reporting lines that a cycle could include. A cycle leads from a new manager up to an employee who gets a
 * new manager, so that new manager is already below the employee. The subordinates of these employees are therefore
 * enough to find it; if they are too many, the superiors of the new managers are.
 */
export async function loadReportingLines(query: QueryMore, calls: WriteCall[], companies: Map<string, LockedCompany>) {
  const moves = [...companies].flatMap(([companyId, { employees }]) => {
    const callsOfCompany = calls.filter((call) => call.companyId === companyId)
    const move = findMove(callsOfCompany, employees)
    return move.employeeIds.length > 0 ? [{ companyId, employees, ...move }] : []
  })
  if (moves.length === 0) return
  const below = await query((pipe) =>
    Promise.all(
      moves.map(({ companyId, employeeIds }) =>
        loadLines(pipe, SUBORDINATES, companyId, employeeIds, MAX_SUBORDINATES + 1),
      ),
    ),
  )
  const wide = moves.flatMap((move, at) => {
    if (below[at]!.length > MAX_SUBORDINATES) return move
    setManagers(move.employees, below[at]!)
    return []
  })
  if (wide.length === 0) return
  const limitOf = ({ managerIds }: Move) => MAX_SUBORDINATES + MAX_LEVELS * managerIds.length
  const above = await query((pipe) =>
    Promise.all(wide.map((move) => loadLines(pipe, SUPERIORS, move.companyId, move.managerIds, limitOf(move) + 1))),
  )
  for (const [at, move] of wide.entries()) {
    setManagers(move.employees, above[at]!)
    if (above[at]!.length > limitOf(move)) move.employees.knowsManagers = false
  }
}

/** The employees who get another manager, and the managers whom the calls name. */
interface Move {
  employeeIds: string[]
  managerIds: string[]
}

function findMove(calls: WriteCall[], employees: LoadedEmployees): Move {
  const records = calls.flatMap(({ command }) => recordsOf(command).filter(({ managers }) => managers.length > 0))
  const managed = records.flatMap(({ locator, managers }) =>
    managers.flatMap(({ locator: named }) => (named ? [{ locator, named }] : [])),
  )
  if (!managed.some(({ locator }) => locator)) return { employeeIds: [], managerIds: [] }
  const moved = findMovedNames(calls, employees)
  const isMoved = (locator: Locator | null) =>
    locator !== null && locator.field !== 'id' && moved[locator.field].has(locator.value)
  // A name that these calls move from one employee to another may refer to any of them.
  if (managed.some(({ locator, named }) => isMoved(locator) || isMoved(named))) {
    const ids = [...employees.all()].map(({ id }) => id)
    return { employeeIds: ids, managerIds: ids }
  }
  const pairs = managed.map(({ locator, named }) => ({
    employee: locator === null ? undefined : locate(locator, employees),
    manager: locate(named, employees),
  }))
  const remanaged = pairs.flatMap(({ employee, manager }) =>
    employee && employee.manager_id !== manager?.id ? employee.id : [],
  )
  const managers = pairs.flatMap(({ manager }) => manager?.id ?? [])
  return { employeeIds: [...new Set(remanaged)], managerIds: [...new Set(managers)] }
}

/** The values that the records give to employees who do not have them, except those of nobody to new employees. */
function findMovedNames(calls: WriteCall[], employees: LoadedEmployees) {
  const moved = { email: new Set<string>(), external_id: new Set<string>(), user_name: new Set<string>() }
  for (const { command, linksByEmail } of calls) {
    for (const record of recordsOf(command)) {
      const employee = locateEmployee(record, employees, linksByEmail)
      for (const name of UNIQUE_NAMES) {
        const value = uniqueForm(name, record.patch[name])
        if (typeof value !== 'string' || uniqueForm(name, employee?.[name]) === value) continue
        if (employee || locate({ field: name, value }, employees)) moved[name].add(value)
      }
    }
  }
  return moved
}

function setManagers(employees: LoadedEmployees, lines: ReportingLine[]) {
  for (const { employeeId, managerId } of lines) employees.setManager(employeeId, managerId)
}

/** An employee and their manager. */
interface ReportingLine {
  employeeId: string
  managerId: string
}

/** The direct and indirect subordinates of employees, in no order. */
const SUBORDINATES = selectLines('load-subordinates', (found) => `s.manager_id = ${found}.employee_id`)
/** The lines from employees to their direct and indirect managers, the nearest first. */
const SUPERIORS = selectLines('load-superiors', (found, column) => `s.employee_id = ${found}.${column}`)

/** UNION drops rows that were found before, so that a query ends even if the table had a cycle. */
function selectLines(name: string, isNext: (found: string, column: 'employee_id' | 'manager_id') => string) {
  const text = `with recursive lines as (
      select s.employee_id, s.manager_id from unnest($2::uuid[]) as wanted(employee_id)
      join employee_directory s on s.company_id = $1 and ${isNext('wanted', 'employee_id')}
      where s.manager_id is not null
      union
      select s.employee_id, s.manager_id
      from lines join employee_directory s on s.company_id = $1 and ${isNext('lines', 'manager_id')}
      where s.manager_id is not null
    )
    select employee_id, manager_id from lines limit $3`
  return { name, text }
}

/** Loads such lines of these employees, at most `limit`. */
async function loadLines(
  client: QueryClient,
  statement: { name: string; text: string },
  companyId: string,
  employeeIds: string[],
  limit: number,
): Promise<ReportingLine[]> {
  const values = [toUuid(companyId), uuidArray(employeeIds), String(limit)]
  const { rows } = await client.query<{ employee_id: string; manager_id: string }>({ ...statement, values })
  return rows.map((row) => ({
    employeeId: fromUuid('emp', row.employee_id),
    managerId: fromUuid('emp', row.manager_id),
  }))
}
