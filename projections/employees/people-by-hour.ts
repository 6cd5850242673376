import { sql, type Transaction } from 'kysely'
import type { Employee, EmployeeStreamEvent } from '#domain/employees/employee'
import { toUuid } from '#domain/ids'
import { startOfHour } from '#domain/local-times'
import { insertRows } from '../projection.ts'
import { EMPLOYEE_TABLES, type EmployeeTables } from './rows.ts'

/*
 * How many people were created, became inactive, and became active again in each hour. Nobody counts who has been erased:
 * what the hours have of them is taken back, so that a rebuild, which doesn't see them, makes the same rows.
 */

type Hour = EmployeeTables['people_by_hour']

/** Events of a person, those of a type and an hour as one, and the person's status after them. */
export interface PersonEvents {
  companyId: string
  events: readonly (Pick<EmployeeStreamEvent, 'type' | 'recorded_at'> & { count?: number })[]
  status: Employee['status']
}

/** Adds events to the sums of their hours, and takes back those of people who have been erased. */
export async function countByHour(
  transaction: Transaction<unknown>,
  schema: string,
  added: readonly PersonEvents[],
  erased: readonly PersonEvents[],
) {
  const hours: Hours = new Map()
  for (const person of added) addPerson(hours, person, 1)
  for (const person of erased) addPerson(hours, person, -1)
  const rows = [...hours.values()].flatMap((ofCompany) => [...ofCompany.values()])
  if (rows.length === 0) return
  const table = sql.id(schema, 'people_by_hour')
  const { columns } = EMPLOYEE_TABLES.people_by_hour
  await sql`${insertRows(sql`${table} as h`, columns, rows)}
    on conflict (company_id, hour) do update set created = h.created + excluded.created,
      deactivated = h.deactivated + excluded.deactivated,
      reactivated = h.reactivated + excluded.reactivated`.execute(transaction)
  for (const companyId of new Set(erased.map((person) => person.companyId)))
    await sql`delete from ${table} where company_id = ${toUuid(companyId)}
      and created = 0 and deactivated = 0 and reactivated = 0`.execute(transaction)
}

/** By company, and by the hour of instants, which tell it with their first characters. */
type Hours = Map<string, Map<string, Hour>>

const HOUR_CHARACTERS = 'yyyy-mm-ddThh'.length

function addPerson(hours: Hours, { companyId, events, status }: PersonEvents, sign: 1 | -1) {
  const ofCompany = hours.get(companyId) ?? new Map<string, Hour>()
  hours.set(companyId, ofCompany)
  const add = (at: string, column: 'created' | 'deactivated' | 'reactivated', count: number) => {
    const key = at.slice(0, HOUR_CHARACTERS)
    let sums = ofCompany.get(key)
    if (!sums) {
      sums = { company_id: companyId, hour: startOfHour(at), created: 0, deactivated: 0, reactivated: 0 }
      ofCompany.set(key, sums)
    }
    sums[column] += sign * count
  }
  // The status at the creation follows from the later ones, so that it needs no data, which may be erased.
  let inactive = status === 'inactive' ? 1 : 0
  for (const { type, recorded_at: at, count = 1 } of events) {
    if (type === 'EmployeeCreated') add(at, 'created', count)
    if (type === 'EmployeeDeactivated') add(at, 'deactivated', count)
    if (type === 'EmployeeReactivated') add(at, 'reactivated', count)
    if (type === 'EmployeeDeactivated') inactive -= count
    if (type === 'EmployeeReactivated') inactive += count
  }
  const creation = events.find(({ type }) => type === 'EmployeeCreated')
  if (creation && inactive !== 0) add(creation.recorded_at, 'deactivated', inactive)
}

/** Reads a person's events before a position. The ledger keeps their types and times even after an erasure. */
export async function readEventsBefore(
  transaction: Transaction<unknown>,
  { companyId, id }: { companyId: string; id: string },
  position: number,
): Promise<PersonEvents['events']> {
  const { rows } = await sql<PersonEvents['events'][number]>`
    select type, date_trunc('hour', recorded_at, 'UTC') as recorded_at, count(*)::integer as count from events
    where company_id = ${toUuid(companyId)} and stream_id = ${toUuid(id)} and position < ${position}
    group by 1, 2`.execute(transaction)
  return rows
}
