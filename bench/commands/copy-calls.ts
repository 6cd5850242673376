import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../projections/employees/fold.ts'
import { schemaOf } from '../../projections/projection.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { makeEmployee } from '../load/employee-bodies.ts'
import { makeWriteRequest } from '../load/tenants.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import type { BenchServer } from '../processes/postgres.ts'

/** People with the same last name, by it: a search for them is measured. */
export const NAMED = { Ferreira: 200, Haddad: 1_000 }
/** Changes of each of them. */
const CHANGES_OF_NAMED = 12

/** Creates the people with the same last names. */
export async function createNamed(ours: Ours, tenant: OurTenant): Promise<void> {
  for (const [name, count] of Object.entries(NAMED)) {
    const people = Array.from({ length: count }, () => ({ ...makeEmployee(), last_name: name }))
    const request = makeWriteRequest(tenant, 'POST', '/v1/employees', { employees: people })
    await ours.send({ request, status: 201, tenant })
  }
  await ours.visible!()
}

/**
 * Adds entries to the log of a company's ledger until it has `entries`: copies of its newest change of one employee, of
 * different employees, made by SQL, which takes minutes where calls take hours. People with the same last names are
 * changed twelve times each, spread over all copies, the others in turn. The tree is made up, so nothing can be
 * proved afterwards.
 */
export async function copyCalls(
  server: BenchServer,
  database: string,
  tenant: OurTenant,
  entries: number,
): Promise<void> {
  const log = schemaOf(bulkUserLogs)
  const list = schemaOf(employees)
  const ofCompany = `company_id = '${toUuid(tenant.companyId)}'`
  const isNamed = `attributes->>'last_name' in (${Object.keys(NAMED)
    .map((name) => `'${name}'`)
    .join(', ')})`
  await server.run(
    `begin;
    set local session_replication_role = replica;
    create temp table template on commit drop as
      select * from ${log}.entries where ${ofCompany} and operation = 'update_one' and status = 'Completed' and updated = 1
      order by position desc limit 1;
    create temp table added on commit drop as
      select ${entries} - count(*)::integer as calls, max(position) as after from ${log}.entries where ${ofCompany};
    create temp table named on commit drop as
      select employee_id, row_number() over (order by md5(employee_id::text || nth)) as at
      from ${list}.employees cross join generate_series(1, ${CHANGES_OF_NAMED}) as nth where ${ofCompany} and ${isNamed};
    create temp table others on commit drop as
      select employee_id, row_number() over (order by employee_id) - 1 as at, count(*) over () as among
      from ${list}.employees where ${ofCompany} and not ${isNamed};
    create index on others (at);
    create temp table copies on commit drop as
      with places as (
        select ceil(n.at * a.calls::float8 / (select count(*) from named))::integer as nth, n.employee_id
        from named n cross join added a
      ), calls as (
        select nth, coalesce(p.employee_id, o.employee_id) as employee_id
        from added a cross join generate_series(1, a.calls) as nth
          left join places p using (nth)
          join others o on o.at = nth * 7919::bigint % (select max(among) from others)
      )
      select a.after + 2 * nth as position, gen_random_uuid() as call_id, c.employee_id,
        e.version + row_number() over (partition by c.employee_id order by nth) as version
      from added a cross join calls c join ${list}.employees e on e.${ofCompany} and e.employee_id = c.employee_id;
    insert into events
      select v.company_id, c.position - (t.position - v.position), v.recorded_at,
        case when v.position = t.position then c.call_id else c.employee_id end, c.call_id,
        case when v.position = t.position then 1 else c.version end, v.record_index, v.schema_version, v.type, v.actor,
        v.leaf_hash, v.salt, v.data_hash, v.data, v.client_id
      from template t join events v on v.company_id = t.company_id and v.call_id = t.call_id cross join copies c
      order by c.position, v.position;
    insert into ${log}.entries
      select t.company_id, c.position, c.call_id, t.status, t.operation, t.source, t.requested_at, t.duration_ms, t.http_status,
        t.error_code, t.error_detail, t.key_id, t.key_name, t.request_id, t.total, t.updated, t.deactivated, t.failed,
        t.no_updates, c.position - 1, t.outcomes
      from template t cross join copies c order by c.position;
    update ${list}.employees e set version = c.version
      from (select employee_id, max(version) as version from copies group by 1) c
      where e.${ofCompany} and e.employee_id = c.employee_id;
    update ${log}.hours h set last_position = (select max(position) from copies)
      from (select max(hour) as hour from ${log}.hours where ${ofCompany}) newest
      where h.${ofCompany} and h.hour = newest.hour;
    update ${log}.calls_by_hour r set calls = r.calls + a.calls, total = r.total + a.calls, updated = r.updated + a.calls
      from added a, template t
      where r.company_id = t.company_id and r.operation = t.operation and r.status = t.status
        and r.hour = date_trunc('hour', t.requested_at);
    update heads set position = c.position,
        frontier = decode(repeat('00', 32 * bit_count(c.position::bit(64))::integer), 'hex')
      from (select max(position) as position from copies) c where ${ofCompany};
    update checkpoints set position = (select max(position) from copies) where ${ofCompany};
    commit`,
    database,
  )
}
