import { hash } from 'node:crypto'
import type { AttributePatch } from '../attributes.ts'

const HEX_DIGITS = 32

/**
 * A digest of what a record sets for an employee, with the manager's id in the patch: 16 bytes in base 16. It depends on
 * the employee, so that equal records of two employees don't have equal digests.
 */
export function digestRecord(employeeId: string, patch: AttributePatch): string {
  return hash('sha256', employeeId + JSON.stringify(patch)).slice(0, HEX_DIGITS)
}
