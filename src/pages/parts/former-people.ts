import { findFormer } from '#projections/bulk-user-logs/former-queries'
import type { FormerKind } from '#projections/bulk-user-logs/former-names'
import { findEmployees } from '#projections/employees/queries'
import type { Employee } from '#domain/employees/employee'
import type { LedgerDb } from '#ledger/tables'

const WORDS: Record<FormerKind, string> = {
  name: 'former name',
  email: 'former email',
  external_id: 'former external ID',
  employee_number: 'former employee number',
  user_name: 'former user name',
}

/** An employee with what a searched text is to them, such as `former email`. */
export type FormerPerson = Employee & { former: string }

/** Finds the employees who had a text as a name, email or ID before, and are not found by what they have now. */
export async function findFormerPeople(db: LedgerDb, companyId: string, text: string) {
  const kinds = await findFormer(db, companyId, text)
  const people = await findEmployees(db, companyId, [...kinds.keys()])
  return [...people.values()].map((employee) => ({ ...employee, former: WORDS[kinds.get(employee.id)!] }))
}
