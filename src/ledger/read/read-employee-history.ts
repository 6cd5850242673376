import { inTurns } from '#admission/turns'
import { isEmployeeEvent } from '#domain/employees/employee'
import { explain, type ExplainedEmployee } from '#domain/employees/employee-history'
import { readEvent } from '../integrity/codec.ts'
import { storedEventPages } from './read-events.ts'
import type { LedgerDb } from '../tables.ts'

/** An employee at a position: unknown or not yet created, erased, or known, with the event behind each value. */
export type EmployeeThen = { standing: 'unknown' | 'erased' } | ({ standing: 'known' } & ExplainedEmployee)

/**
 * Reads an employee as of a position from the events, page by page. An employee with any erased event counts as erased
 * at every position, because the rest would be misleading.
 */
export async function readEmployeeAt(
  db: LedgerDb,
  companyId: string,
  employeeId: string,
  position: number,
): Promise<EmployeeThen> {
  let then: ExplainedEmployee | undefined
  for await (const page of storedEventPages(db, companyId, { after: 0, upTo: position, stream: employeeId })) {
    for await (const row of inTurns(page)) {
      const event = readEvent(row)
      if (!isEmployeeEvent(event))
        throw new Error(`${event.type} at position ${event.position} is in the stream of an employee`)
      if (event.type === 'EmployeeErased' || event.data === null) return { standing: 'erased' }
      then = explain(then, event)
    }
  }
  return then ? { standing: 'known', ...then } : { standing: 'unknown' }
}
