import { bulkUserLogs } from './bulk-user-logs.ts'
import { employees } from './employees.ts'
import type { Projection } from './projection.ts'

/** Every projection that workers keep current. */
export const PROJECTIONS: readonly Projection[] = [employees, bulkUserLogs]
