import type { Employee } from '../../domain/employees/employee.ts'

/** About the number of characters that an employee takes in memory; a string may be shared with an event. */
export function charactersIn({ custom_attributes: custom, ...attributes }: Employee): number {
  let characters = 0
  for (const values of [attributes, custom])
    for (const value of Object.values(values)) characters += typeof value === 'string' ? value.length : 8
  return characters
}
