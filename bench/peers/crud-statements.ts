import type { Locator } from '../../src/domain/calls/call-records.ts'
import type { Employee } from '../../src/domain/employees/employee.ts'
import type { Statement } from '../../src/postgres/pool.ts'
import { EMPLOYEE_NAMES } from './crud-schema.ts'

/* The named statements of the CRUD peer. Rows are passed as one JSON parameter. */

const NAMES = EMPLOYEE_NAMES.join(', ')
const UPDATED = EMPLOYEE_NAMES.filter((name) => name !== 'id' && name !== 'created_at')
const READ = EMPLOYEE_NAMES.map((name) => (name.endsWith('_date') ? `${name}::text` : name))

export const findKey = (apiId: string): Statement => ({
  name: 'find-key',
  text: 'select api_id, company_id, secret_hash, is_enabled from api_keys where api_id = $1',
  values: [apiId],
})

export const insertEmployees = (companyId: string, employees: Employee[]): Statement => ({
  name: 'insert-employees',
  text: `insert into employees (company_id, ${NAMES}) select $1, ${NAMES}
    from json_populate_recordset(null::employees, $2)`,
  values: [companyId, JSON.stringify(employees)],
})

/** Locks in id order, so that concurrent calls on the same employees do not deadlock. */
export const lockEmployees = (companyId: string, field: Locator['field'], values: string[]): Statement => ({
  name: `lock-by-${field}`,
  text: `select ${READ.join(', ')} from employees where company_id = $1 and ${field} = any($2) order by id for update`,
  // PostgreSQL array literals quote strings like JSON.
  values: [companyId, `{${values.map((value) => JSON.stringify(value)).join(',')}}`],
})

export const updateEmployees = (companyId: string, employees: Employee[]): Statement => ({
  name: 'update-employees',
  text: `update employees e set ${UPDATED.map((name) => `${name} = r.${name}`).join(', ')}
    from json_populate_recordset(null::employees, $2) r where e.company_id = $1 and e.id = r.id`,
  values: [companyId, JSON.stringify(employees)],
})

interface LogEntry {
  companyId: string
  logId: string
  apiId: string
  operation: string
  requestId: string
  now: string
  counts: { total: number; updated: number; deactivated: number; no_updates: number }
}

export const insertLog = ({ companyId, logId, apiId, operation, requestId, now, counts }: LogEntry): Statement => ({
  name: 'insert-log',
  text: `insert into logs (company_id, log_id, api_id, operation, status, requested_at, request_id, total, updated,
      deactivated, failed, no_updates) values ($1, $2, $3, $4, 'Completed', $5, $6, $7, $8, $9, 0, $10)`,
  values: [
    companyId,
    logId,
    apiId,
    operation,
    now,
    requestId,
    ...[counts.total, counts.updated, counts.deactivated, counts.no_updates].map(String),
  ],
})

/** A record of the log: ordinal, employee, status, and details. */
export interface LogRecord {
  o: number
  e: string
  s: string | null
  d: unknown
}

export const insertLogRecords = (companyId: string, logId: string, records: LogRecord[]): Statement => ({
  name: 'insert-log-records',
  text: `insert into log_records (company_id, log_id, ordinal, employee_id, status, details)
    select $1, $2, r.* from json_to_recordset($3) as r(o integer, e uuid, s text, d jsonb)`,
  values: [companyId, logId, JSON.stringify(records)],
})

const WINDOW = `date_trunc('month', now())`

/** Counts a request; beyond the quota, the check constraint fails. Sent last, because it locks the row of the key. */
export const useQuota = (apiId: string): Statement => ({
  name: 'use-quota',
  text: `update api_keys set last_used = clock_timestamp(), window_start = ${WINDOW},
    requests_made = case when window_start = ${WINDOW} then requests_made + 1 else 1 end where api_id = $1`,
  values: [apiId],
})

export const noteUse = (apiId: string): Statement => ({
  name: 'note-use',
  text: `update api_keys k set last_used = clock_timestamp() from companies c where api_id = $1 and c.company_id = k.company_id
    returning c.name as company_name, coalesce(old.last_used, new.last_used) as last_used, is_enabled, quota_limit,
      case when window_start = ${WINDOW} then requests_made else 0 end as requests_made, refresh_period`,
  values: [apiId],
})
