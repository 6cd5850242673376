import { ATTRIBUTE_NAMES } from '../../domain/attributes.ts'
import type { Employee } from '../../domain/employees/employee.ts'

/** What a custom attribute takes beside its name and value: objects with other names have their own layout. */
const BESIDE_CUSTOM = 64

/** About the number of characters of the values of an employee; a string may be shared with an event. */
export function charactersIn(employee: Employee): number {
  let characters = 0
  for (const name of ATTRIBUTE_NAMES) characters += lengthOf(employee[name])
  const custom = employee.custom_attributes
  for (const key of Object.keys(custom)) characters += BESIDE_CUSTOM + key.length + lengthOf(custom[key])
  return characters
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 8
}
