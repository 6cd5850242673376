import type { Employee } from '../../src/domain/employees/employee.ts'

/** The columns of an employee. The timestamps have the milliseconds that answers show. */
const EMPLOYEE_COLUMNS: Record<keyof Employee, string> = {
  id: 'uuid not null',
  first_name: 'text not null',
  last_name: 'text not null',
  email: 'text not null',
  external_id: 'text',
  user_name: 'text',
  directory_external_id: 'text',
  employee_number: 'text',
  job_title: 'text',
  department: 'text',
  division: 'text',
  location: 'text',
  manager_id: 'uuid',
  phone: 'text',
  start_date: 'date',
  termination_date: 'date',
  status: 'text not null',
  custom_attributes: 'jsonb not null',
  created_at: 'timestamptz(3) not null',
  updated_at: 'timestamptz(3) not null',
  deactivated_at: 'timestamptz(3)',
  deprovisioned_at: 'timestamptz(3)',
  version: 'integer not null',
}

/** The names of these columns. */
export const EMPLOYEE_NAMES = Object.keys(EMPLOYEE_COLUMNS)
const EMPLOYEE_DEFINITIONS = Object.entries(EMPLOYEE_COLUMNS)
  .map((column) => column.join(' '))
  .join(', ')

/**
 * The tables of the CRUD peer: employees, and a log of calls with a detail row per record. It has only the indexes that
 * its calls and its log need: ids grow with time, so the primary key orders the log.
 */
export const CRUD_SCHEMA = `
  create table companies (
    company_id uuid primary key,
    name text not null
  );
  create table api_keys (
    api_id uuid primary key,
    company_id uuid not null references companies,
    secret_hash bytea not null,
    is_enabled boolean not null default true,
    quota_limit integer not null,
    refresh_period text not null default 'monthly',
    window_start timestamptz not null default date_trunc('month', now()),
    requests_made integer not null default 0,
    last_used timestamptz,
    constraint quota check (requests_made <= quota_limit)
  ) with (fillfactor = 50);
  create table employees (
    company_id uuid not null,
    ${EMPLOYEE_DEFINITIONS},
    primary key (company_id, id),
    constraint employees_email unique (company_id, email),
    constraint employees_external_id unique (company_id, external_id),
    foreign key (company_id, manager_id) references employees
  ) with (fillfactor = 80);
  create table logs (
    company_id uuid not null,
    log_id uuid not null,
    api_id uuid not null,
    operation text not null,
    status text not null,
    requested_at timestamptz(3) not null,
    request_id text not null,
    total integer not null,
    updated integer not null,
    deactivated integer not null,
    failed integer not null,
    no_updates integer not null,
    primary key (company_id, log_id)
  );
  create table log_records (
    company_id uuid not null,
    log_id uuid not null,
    ordinal integer not null,
    employee_id uuid not null,
    status text,
    details jsonb,
    primary key (company_id, log_id, ordinal)
  );
  create index log_records_by_employee on log_records (company_id, employee_id, log_id);`
