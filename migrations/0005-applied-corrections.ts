import { sql, type Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Leaves only applied records in corrections. The previous version also listed those that a call applied in part had
 * refused. The call's events say which these are.
 */
export async function up(db: Kysely<never>): Promise<void> {
  // A cluster runs these statements for one company at a time.
  const { rows } = await sql<{ company_id: string }>`select distinct company_id from corrections`.execute(db)
  for (const { company_id: id } of rows) await runStatements(db, [leaveApplied(id), deleteEmpty(id)])
}

function leaveApplied(companyId: string): string {
  return `update corrections as corrected set records = applied.records
    from (
      select c.corrected_id, c.position,
        coalesce(array_agg((pair ->> 1)::integer) filter (where refused.position is null), '{}') as records
      from corrections c
      join events closing on closing.company_id = c.company_id and closing.position = c.position
      cross join json_array_elements(closing.data::json -> 'corrected_records' -> ${idOf('c.corrected_id')}) as pair
      left join events refused on refused.company_id = c.company_id and refused.stream_id = c.call_id
        and refused.type = 'EmployeeRecordRejected' and refused.record_index = (pair ->> 0)::integer
      where c.company_id = '${companyId}'
      group by c.corrected_id, c.position
      having count(refused.position) > 0
    ) as applied
    where corrected.company_id = '${companyId}' and corrected.corrected_id = applied.corrected_id
      and corrected.position = applied.position`
}

function deleteEmpty(companyId: string): string {
  return `delete from corrections where company_id = '${companyId}' and records = '{}'`
}

/** The id of a call by which its event names it: a TypeID, whose suffix is the UUID in base 32. */
function idOf(uuid: string): string {
  const bits = `(b'00' || ('x' || replace(${uuid}::text, '-', ''))::bit(128))`
  const digit = `substr('0123456789abcdefghjkmnpqrstvwxyz', substring(${bits} from 5 * at + 1 for 5)::bit(5)::integer + 1, 1)`
  return `(select 'log_' || string_agg(${digit}, '' order by at) from generate_series(0, 25) as at)`
}
