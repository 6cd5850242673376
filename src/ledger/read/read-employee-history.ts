import type { Kysely } from 'kysely'
import type { ExplainedEmployee } from '../../domain/employees/employee-history.ts'
import { explain } from '../../domain/employees/employee-history.ts'
import { readEvent } from '../integrity/codec.ts'
import { storedEventPages } from './read-stored-events.ts'
import type { LedgerTables } from '../tables.ts'

/** How an employee stood: unknown or not yet created, forgotten, or known with what made it so. */
export type EmployeeThen = { standing: 'unknown' | 'erased' } | ({ standing: 'known' } & ExplainedEmployee)

/**
 * An employee as the events up to a position left it, read page by page. Somebody of whom any event is erased is
 * erased at every position: what would be left is not who it was.
 */
export async function readEmployeeAt(
  db: Kysely<LedgerTables>,
  companyId: string,
  employeeId: string,
  position: number,
): Promise<EmployeeThen> {
  let then: ExplainedEmployee | undefined
  for await (const page of storedEventPages(db, companyId, { after: 0, upTo: position, stream: employeeId })) {
    for (const event of page.map(readEvent)) {
      switch (event.type) {
        case 'EmployeeCreated':
        case 'EmployeeUpdated':
        case 'EmployeeDeactivated':
        case 'EmployeeReactivated':
          if (event.data === null) return { standing: 'erased' }
          then = explain(then, event)
          break
        case 'EmployeeErased':
          return { standing: 'erased' }
        default:
          throw new Error(`${event.type} at position ${event.position} stands in the stream of an employee`)
      }
    }
  }
  return then ? { standing: 'known', ...then } : { standing: 'unknown' }
}
