import { hash } from 'node:crypto'
import type { AttributePatch, EmployeeStatus } from '../attributes.ts'
import type { Employee } from '../employees/employee.ts'

const HEX_DIGITS = 32

/**
 * A digest of what a record sets for an employee, with the manager's id in the patch: 16 bytes in base 16. It depends on
 * the employee, so that equal records of two employees don't have equal digests, and on their status.
 */
export function digestRecord({ id, status }: Pick<Employee, 'id' | 'status'>, patch: AttributePatch): string {
  return hash('sha256', `${id}${status}${JSON.stringify(patch)}`).slice(0, HEX_DIGITS)
}

/** The status of the employee about whom a record changes nothing, if this is its digest. */
export function findStatus(digest: string, id: string, patch: AttributePatch): EmployeeStatus | undefined {
  return (['active', 'inactive'] as const).find((status) => digestRecord({ id, status }, patch) === digest)
}
