import { bulkUserLogs } from './bulk-user-logs/fold.ts'
import { employees } from './employees/fold.ts'
import type { Projection } from './projection.ts'

/** Every projection that workers keep current. */
export const PROJECTIONS: readonly Projection[] = [employees, bulkUserLogs]
