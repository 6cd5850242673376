/** Erasure, which is the one change that events allow, and the refusal of every other. */
export const APPEND_ONLY = [
  // Erases the data of exactly the events that an erasing event names: their hash takes their place. It runs with the
  // owner's rights, because the service itself may not change events. Each type of erasing event may erase certain event
  // types only. The bytes of a text are taken with "decode", because Citus allows only immutable functions in an UPDATE.
  `create function erase_events(of_company uuid, at_position bigint) returns integer
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
        'EmployeeReactivated', 'EmployeeRecordRejected']
      when 'RecordsRetired' then array['EmployeeRecordRejected']
      when 'UserErased' then array['UserInvited', 'UserTokenIssued']
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
  `revoke all on function erase_events(uuid, bigint) from public`,

  // Refuse every change that is not an erasure, even to the owner. Only the function turns the setting on. Someone who
  // forges the setting can still only erase, and the service has no right to update rows.
  `create function refuse_change_of_events() returns trigger language plpgsql as $$
  declare
    erased record;
  begin
    if tg_op = 'UPDATE' and current_setting('employee_ledger.erasing', true) = 'on' then
      erased := old;
      erased.data_hash := sha256(old.salt || convert_to(old.data, 'UTF8'));
      erased.data := null;
      erased.salt := null;
      if old.data is not null and new is not distinct from erased then
        return new;
      end if;
    end if;
    raise exception 'events are append-only: % is refused', tg_op using errcode = 'insufficient_privilege';
  end $$`,
  `create trigger events_are_append_only before delete or truncate on events
    for each statement execute function refuse_change_of_events()`,
  `create trigger events_are_only_erased before update on events
    for each row execute function refuse_change_of_events()`,
]
