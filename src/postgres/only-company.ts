import { toUuid } from '../domain/ids.ts'

/*
 * Calls of any number of companies share statements. One about a single company also names it, so that Citus finds the
 * machine. The parameter may be null, so this changes no plan that PostgreSQL keeps.
 */

/** The company of rows that are all of one; null if they are of several. */
export function onlyCompany(rows: readonly { companyId: string }[]): string | null {
  const [first] = rows
  return first && rows.every(({ companyId }) => companyId === first.companyId) ? toUuid(first.companyId) : null
}

/** A condition that a column has the only company, if there is one. `parameter` is that of `onlyCompany`, such as `$3`. */
export function isOnly(column: string, parameter: string): string {
  return `(${parameter}::uuid is null or ${column} = ${parameter})`
}
