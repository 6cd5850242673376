import { UNSET_ATTRIBUTES } from '#domain/attributes'
import type { Employee } from '#domain/employees/employee'
import { example } from './schema-parts.ts'

/*
 * The examples of the public API tell one story: Ana is created, then her manager, and later both are changed. The tests
 * send every request to a real server in the order of this file.
 */

const ANA_ID = 'emp_01m7wqmfakeh492yss9pa6yb7t'
const RAJ_ID = 'emp_01m7wqmfpkeh492ytbcf7a8jgd'
const IFE_ID = 'emp_01m7wqmfqyeh4br2k9w5t3vxd8'
const LOG_ID = 'log_01m7wqmfakeh492yt3mpqyceyp'
const CREATED_AT = '2026-11-20T15:01:40.325Z'

export const EXAMPLE_EMPLOYEE_ID = ANA_ID

function employee(
  attributes: Pick<Employee, 'id' | 'first_name' | 'last_name' | 'email'> & Partial<Employee>,
): Employee {
  return {
    ...UNSET_ATTRIBUTES,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    deactivated_at: null,
    deprovisioned_at: null,
    version: 1,
    ...attributes,
  }
}

const NEW_ANA = { first_name: 'Ana', last_name: 'Pérez', email: 'ana.perez@example.com' }
const NEW_RAJ = { first_name: 'Raj', last_name: 'Patel', email: 'raj.patel@example.com', external_id: 'HR-1001' }
const ANA = employee({ id: ANA_ID, ...NEW_ANA })
const RAJ = employee({ id: RAJ_ID, ...NEW_RAJ })
const PROMOTED = { ...ANA, job_title: 'Head of Sales', custom_attributes: { grade: 7 }, version: 2 }

export const CREATE_BODIES = {
  one: example('One employee', NEW_ANA),
  several: example('Several, with optional attributes', {
    employees: [
      NEW_RAJ,
      {
        first_name: 'Mei',
        last_name: 'Lin',
        email: 'mei.lin@example.com',
        external_id: 'HR-1002',
        job_title: 'Engineer',
        department: 'Research',
        manager_external_id: 'HR-1001',
        phone: '+4930901820',
        start_date: '2026-12-01',
        custom_attributes: { grade: 5, remote: true },
      },
    ],
  }),
  array: example('A bare array', [
    {
      first_name: 'Tom',
      last_name: 'Okafor',
      email: 'tom.okafor@example.com',
      manager_email: 'ana.perez@example.com',
    },
  ]),
}

export const CREATED = {
  one: example('One employee', { log_id: LOG_ID, employees: [ANA] }),
}

export const CREATABLE = {
  one: example('One employee, with validate_only', { employees: [{ ...ANA, id: null }] }),
}

export const EMPLOYEE_READ = { one: example('An employee', RAJ) }

export const EMPLOYEES_LISTED = {
  page: example('The last page', { items: [ANA, RAJ], next_cursor: null }),
}

export const ERASED_EMPLOYEES = {
  one: example('One erasure', {
    employees: [{ id: EXAMPLE_EMPLOYEE_ID, position: 1042 }],
    position: 1187,
    is_complete: true,
  }),
}

export const UPDATE_ONE_BODIES = {
  change: example('Change', { job_title: 'Head of Sales', custom_attributes: { grade: 7 } }),
  clear: example('Clear', { job_title: null, custom_attributes: { grade: null } }),
  deactivate: example('Deactivate', { status: 'inactive', termination_date: '2026-12-31' }),
  reactivate: example('Reactivate', { status: 'active', termination_date: null }),
}

export const UPDATED_ONE = {
  change: example('Change', {
    log_id: LOG_ID,
    result: 'synced',
    changed: ['job_title', 'custom_attributes.grade'],
    warnings: [],
    employee: PROMOTED,
  }),
}

export const UPDATE_MANY_BODIES = {
  several: example('Several, each identified differently', {
    employees: [
      { id: ANA_ID, email: 'ana.perez.lopez@example.com' },
      { external_id: 'HR-1001', department: 'Research' },
      { email: 'mei.lin@example.com', status: 'inactive' },
    ],
  }),
  array: example('A bare array', [{ external_id: 'HR-1001', department: 'Research' }]),
}

export const UPDATED_MANY = {
  several: example('Two employees', {
    log_id: LOG_ID,
    counts: { total: 2, updated: 1, deactivated: 0, failed: 0, no_updates: 1 },
    warnings: [],
    results: [
      { index: 0, id: ANA_ID, status: 'active', result: 'synced', changed: ['email'] },
      { index: 1, id: RAJ_ID, status: 'active', result: 'no_updates', changed: [] },
    ],
  }),
}

export const PARTLY_APPLIED = {
  partly: example('Two records with all_or_none=false, of which one failed', {
    log_id: LOG_ID,
    counts: { total: 2, updated: 1, deactivated: 0, failed: 1, no_updates: 0 },
    warnings: [],
    results: [
      { index: 0, id: RAJ_ID, status: 'active', result: 'synced', changed: ['department'], errors: [] },
      {
        index: 1,
        id: null,
        status: null,
        result: 'failed',
        changed: [],
        errors: [
          {
            index: 1,
            id: null,
            pointer: '/employees/1/email',
            code: 'employee_not_found',
            message: 'No such employee exists',
          },
        ],
      },
    ],
  }),
}

export const UPSERT_BODIES = {
  sync: example('A sync: one employee exists, one is new', {
    employees: [
      { external_id: 'HR-1001', first_name: 'Raj', last_name: 'Patel', email: 'raj.patel@example.com' },
      { external_id: 'HR-1003', first_name: 'Ife', last_name: 'Bello', email: 'ife.bello@example.com' },
    ],
  }),
  array: example('A bare array', [{ email: 'ife.bello@example.com', job_title: 'Analyst' }]),
}

export const UPSERTED = {
  sync: example('One employee unchanged, one created', {
    log_id: LOG_ID,
    counts: { total: 2, updated: 0, deactivated: 0, failed: 0, no_updates: 1 },
    warnings: [],
    results: [
      { index: 0, id: RAJ_ID, status: 'active', result: 'no_updates', changed: [] },
      { index: 1, id: IFE_ID, status: 'active', result: 'created', changed: [] },
    ],
  }),
}

export const KEY_VERIFICATION = {
  monthly: example('A key with a monthly quota', {
    company_name: 'Acme',
    last_used: '2026-11-20T14:58:12.003Z',
    is_enabled: true,
    quota_limit: 10_000,
    requests_made: 412,
    refresh_period: 'monthly',
  }),
}
