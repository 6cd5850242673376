import { omitUndefined } from '#domain/omit-undefined'
import { Type, type Static } from '@sinclair/typebox'
import {
  PEOPLE_ORDERS,
  type PeopleOrder,
  readPages,
  readPeoplePage,
  type EmployeeFilter,
} from '#projections/employees/queries'
import { isId } from '#domain/ids'
import { formatLocalDay } from '#domain/local-times'
import { oneOf, optionalString, strictObject, withDefault } from '#http/openapi/schema-parts'
import { assertStorable, invalidQuery } from '#http/server/query-values'
import { databaseTimeMs } from '#postgres/database-clock'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import type { Employee } from '#domain/employees/employee'
import type { LedgerDb } from '#ledger/tables'
import type { CsvColumn } from '#log/csv-text'

/** What is wrong with people, as somebody may look for them. */
export const ONLY = {
  no_external_id: 'No external ID',
  ended: 'End date passed, but active',
} as const

type Only = keyof typeof ONLY

const MAX_TEXT = 254

/** The filters of the list of people, and its order. */
export const PeopleQuery = strictObject({
  status: Type.Optional(oneOf(['active', 'inactive'], 'Their status.')),
  department: optionalString({ minLength: 1, maxLength: 120, description: 'Their department, in any case.' }),
  location: optionalString({ minLength: 1, maxLength: 120, description: 'Their location, in any case.' }),
  manager_id: optionalString({ minLength: 1, maxLength: 64, description: 'The id of their manager.' }),
  only: Type.Optional(
    oneOf(
      Object.keys(ONLY) as Only[],
      '`no_external_id`: people without an external id. `ended`: active people whose termination date has passed, in ' +
        "the company's time zone.",
    ),
  ),
  q: optionalString({ minLength: 1, maxLength: MAX_TEXT, description: 'Part of a name, email, or external id.' }),
  order: withDefault(
    oneOf<PeopleOrder>(
      PEOPLE_ORDERS,
      'By creation, the newest first; by name; by department; or the last changed first.',
    ),
    'newest',
  ),
})

/** Reads the filters. Throws a problem for values that are well-formed but meaningless. */
export function readPeopleFilter(
  { status, department, location, manager_id: manager, only, q }: Omit<Static<typeof PeopleQuery>, 'order'>,
  timeZone: string,
): EmployeeFilter {
  assertStorable({ department, location, q })
  if (manager !== undefined && !isId('emp', manager)) throw invalidQuery('manager_id', 'must be the id of an employee')
  return {
    ...omitUndefined({ status, department, location, manager, q }),
    ...(only === 'no_external_id' ? { withoutExternalId: true as const } : {}),
    ...(only === 'ended' ? { endedBefore: formatLocalDay(databaseTimeMs(), timeZone) } : {}),
  }
}

const PEOPLE_AT_ONCE = 1_000

/** The columns of a downloaded list: what a person has, custom attributes as JSON. */
export const PEOPLE_COLUMNS: readonly CsvColumn<Employee>[] = [
  ['id', ({ id }) => id],
  ...ATTRIBUTE_NAMES.map((name): CsvColumn<Employee> => [name, (employee) => textOf(employee[name])]),
  ['created_at', (employee) => employee.created_at],
  ['updated_at', (employee) => employee.updated_at],
  ['deactivated_at', (employee) => employee.deactivated_at],
]

function textOf(value: Employee[(typeof ATTRIBUTE_NAMES)[number]]) {
  if (value === null || typeof value === 'string') return value
  return Object.keys(value).length === 0 ? null : JSON.stringify(value)
}

/** Reads all people who match, a limited number at a time. */
export function listAllPeople(db: LedgerDb, companyId: string, filter: EmployeeFilter, order: PeopleOrder) {
  return readPages((place) => readPeoplePage(db, companyId, filter, { order, ...place }), PEOPLE_AT_ONCE)
}
