import { bulkUserLogs } from '../../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../../projections/employees/fold.ts'
import { schemaOf } from '../../../projections/projection.ts'

/* The tables of the projections, with their schemas, for the statements of tests. */

export const EMPLOYEES = `${schemaOf(employees)}.employees`

const LOGS = schemaOf(bulkUserLogs)
export const ENTRIES = `${LOGS}.entries`
export const HOURS = `${LOGS}.hours`
export const CALLS_BY_HOUR = `${LOGS}.calls_by_hour`
export const REJECTED_NAMES = `${LOGS}.rejected_names`
export const FAILURES_BY_HOUR = `${LOGS}.failures_by_hour`
export const FORMER_NAMES = `${LOGS}.former_names`
