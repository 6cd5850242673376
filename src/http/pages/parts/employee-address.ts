import { buildUrl } from './addresses.ts'
import { NAVIGATION } from './navigation.ts'

/** Builds the path of an employee's page, at a position or now. */
export function buildEmployeeUrl(id: string, position?: number): string {
  return buildUrl(`${NAVIGATION.employees.path}/${encodeURIComponent(id)}`, { at: position })
}
