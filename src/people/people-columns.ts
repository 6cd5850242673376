import type { EmployeeFilter } from '#projections/employees/filter'
import { listPeople, type PeopleOrder } from '#projections/employees/people-list'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import type { Employee } from '#domain/employees/employee'
import type { LedgerDb } from '#ledger/tables'
import type { CsvColumn } from '#log/csv-text'

const PEOPLE_AT_ONCE = 1_000

/** The columns of a downloaded list: what a person has, custom attributes as JSON. */
export const PEOPLE_COLUMNS: readonly CsvColumn<Employee>[] = [
  ['id', ({ id }) => id],
  ...ATTRIBUTE_NAMES.map((name): CsvColumn<Employee> => [name, (employee) => textOf(employee[name])]),
  ['created_at', (employee) => employee.created_at],
  ['updated_at', (employee) => employee.updated_at],
  ['deactivated_at', (employee) => employee.deactivated_at],
]

function textOf(value: Employee[(typeof ATTRIBUTE_NAMES)[number]]): string | null {
  if (value === null || typeof value === 'string') return value
  return Object.keys(value).length === 0 ? null : JSON.stringify(value)
}

/** Reads all people who match, a limited number at a time. */
export async function* listAllPeople(
  db: LedgerDb,
  companyId: string,
  filter: EmployeeFilter,
  order: PeopleOrder,
): AsyncGenerator<Employee[]> {
  let page: Employee[]
  let after: string | null = null
  do {
    page = await listPeople(db, companyId, filter, { order, after, limit: PEOPLE_AT_ONCE })
    yield page
    after = page.at(-1)?.id ?? null
  } while (page.length === PEOPLE_AT_ONCE)
}
