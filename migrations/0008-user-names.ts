import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * The user names of employees, folded, which are unique in a company, and the ids that identity providers give them. In
 * the order of their bytes, as the other names of the directory.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [
    `alter table employee_directory add column user_name text collate "C",
      add column directory_external_id text collate "C",
      add constraint employee_directory_user_name unique (company_id, user_name) deferrable initially immediate`,
    `create index employee_directory_by_directory_id on employee_directory (company_id, directory_external_id)
      where directory_external_id is not null`,
    `alter table api_keys drop constraint api_keys_scopes_check, add constraint api_keys_scopes_check
      check (cardinality(scopes) > 0 and scopes <@ array['employees:read', 'employees:write', 'scim'])`,
    // The fields that calls of the key may write; null for all.
    `alter table api_keys add column writable_fields text[]`,
    ERASURE,
  ])
}

/** Lets erasures reach deprovisioned employees. Apart from its lists, the function is that of version 1.0.0. */
const ERASURE = `create or replace function erase_events(of_company uuid, at_position bigint) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  erasing_type text;
  positions bigint[];
  reached text[];
  erased integer;
begin
  select e.type, array(select json_array_elements_text(e.data::json -> 'positions')::bigint)
    into erasing_type, positions
    from public.events e where e.company_id = of_company and e.position = at_position and e.data is not null;
  reached := case erasing_type
    when 'EmployeeErased' then array['EmployeeCreated', 'EmployeeUpdated', 'EmployeeDeactivated',
      'EmployeeReactivated', 'EmployeeDeprovisioned', 'EmployeeRecordRejected', 'FileUploaded']
    when 'RecordsRetired' then array['EmployeeRecordRejected', 'FileUploaded']
    when 'UserErased' then array['UserInvited', 'UserTokenIssued', 'UserIdentityLinked', 'UserPasskeyAdded',
      'FileUploaded']
  end;
  if reached is null then
    raise exception 'the event at position % erases nothing', at_position using errcode = 'insufficient_privilege';
  end if;
  perform set_config('employee_ledger.erasing', 'on', true);
  update public.events e set data = null, salt = null,
      data_hash = sha256(e.salt || decode(replace(e.data, '\\', '\\\\'), 'escape'))
    where e.company_id = of_company and e.position = any(positions) and e.position < at_position
      and e.data is not null and e.type = any(reached);
  get diagnostics erased = row_count;
  perform set_config('employee_ledger.erasing', 'off', true);
  if erased <> cardinality(positions) then
    raise exception 'of the % positions that the event at position % names, % can be erased',
      cardinality(positions), at_position, erased using errcode = 'insufficient_privilege';
  end if;
  return erased;
end $$`
