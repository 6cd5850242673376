import { sql, type RawBuilder } from 'kysely'
import type { AnyDb } from '../projection.ts'
import { toUuid } from '#domain/ids'
import { isSingle, type Operation } from '#domain/operations'
import { ENTRIES } from './live-tables.ts'

/*
 * What refused records have in common. Their errors are in the events of the call, which stand next to each other, so
 * these queries read as many events as the call has records.
 */

/** Selects refused records by an error. */
export interface CauseFilter {
  code: string
  /** JSON Pointer within the record, empty for the record itself; when undefined, the error may be anywhere. */
  pointer?: string | undefined
}

/** An error that refused records of a call have in common. */
export interface Cause {
  code: string
  /** JSON Pointer within the record. */
  pointer: string
  message: string
  /** The number of records. */
  records: number
}

/** Why the records of a call were refused. */
export interface Refusals {
  /** The number of records that are kept as sent: neither erased nor truncated. */
  kept: number
  /** The most frequent errors, most frequent first. */
  causes: Cause[]
  /** Whether there are other errors. */
  hasMore: boolean
  /** Whether the call has so many errors that only the first were counted. */
  isPartial: boolean
}

/** Unknown fields are named by the client, so a call can have many. */
const MAX_CAUSES = 50
/** Grouping more errors would take seconds. A usual failed call has about one for each record. */
const MAX_ERRORS = 20_000

interface CallPlace {
  position: number
  entry: { operation: Operation }
}

/** Groups the refused records of a call by their errors. */
export async function readRefusals(
  db: AnyDb,
  companyId: string,
  call: CallPlace,
  mostErrors = MAX_ERRORS,
): Promise<Refusals> {
  const { rows: counts } = await sql<{ kept: number }>`select count(*)::integer as kept from events
    where ${isRefusedIn(companyId, call)} and data is not null and data::json -> 'truncated' is null`.execute(db)
  const { rows } = await sql<Cause & { counted: number }>`
    select code, pointer, min(message) as message, count(distinct position)::integer as records,
      sum(count(*)) over ()::integer as counted
    from (${selectErrors(companyId, call)} order by position limit ${mostErrors}) errors
    group by code, pointer order by records desc, code, pointer limit ${MAX_CAUSES + 1}`.execute(db)
  return {
    kept: counts[0]!.kept,
    causes: rows
      .slice(0, MAX_CAUSES)
      .map(({ code, pointer, message, records }) => ({ code, pointer, message, records })),
    hasMore: rows.length > MAX_CAUSES,
    isPartial: rows[0]?.counted === mostErrors,
  }
}

/** The positions of the events of the refused records that have an error. */
export async function findWithCause(
  db: AnyDb,
  companyId: string,
  call: CallPlace,
  { code, pointer }: CauseFilter,
): Promise<Set<number | null>> {
  const { rows } = await sql<{ position: number }>`select position from (${selectErrors(companyId, call)}) errors
    where code = ${code} ${pointer === undefined ? sql`` : sql`and pointer = ${pointer}`}`.execute(db)
  return new Set(rows.map(({ position }) => position))
}

/**
 * Selects the errors of the refused records. A pointer leads into the body; without the place of the record in the body,
 * it is the same in all records. A message is the same as well, without the employee that it may name.
 */
function selectErrors(companyId: string, call: CallPlace): RawBuilder<unknown> {
  const within = (place: RawBuilder<unknown>) =>
    sql`when starts_with(pointer || '/', ${place} || '/') then substr(pointer, length(${place}) + 1)`
  // A single update has one record, which is the body.
  const places = isSingle(call.entry.operation)
    ? []
    : [sql`('/employees/' || record_index)`, sql`('/' || record_index)`]
  const shortened =
    places.length === 0 ? sql`pointer` : sql`case ${sql.join(places.map(within), sql` `)} else pointer end`
  return sql`select position, code, (${shortened}) collate "C" as pointer,
      case code when 'inactive_employee_exists' then regexp_replace(message, ' emp_[0-9a-z]{26}', '') else message end as message
    from events cross join lateral json_to_recordset(data::json -> 'errors') as error(code text, pointer text, message text)
    where ${isRefusedIn(companyId, call)} and data is not null`
}

function isRefusedIn(companyId: string, { position }: CallPlace): RawBuilder<unknown> {
  const company = toUuid(companyId)
  return sql`company_id = ${company} and type = 'EmployeeRecordRejected' and position < ${position}
    and position >= (select first_position from ${ENTRIES}
      where company_id = ${company} and position = ${position})`
}
