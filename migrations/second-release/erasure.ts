/**
 * Lets erasures reach accounts at identity providers, passkeys, and the names of uploaded files. Apart from its lists,
 * the function is that of version 1.0.0.
 */
export const ERASURE = [
  `create or replace function erase_events(of_company uuid, at_position bigint) returns integer
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
        'EmployeeReactivated', 'EmployeeRecordRejected', 'FileUploaded']
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
  end $$`,
]
