import { sql, type RawBuilder } from 'kysely'
import { RECORD_CODES, type Found } from '#domain/attention'
import { fromUuid, toUuid } from '#domain/ids'
import type { AnyDb } from '../projection.ts'
import { CALLS_BY_HOUR, ENTRIES, FAILURES_BY_HOUR } from './live-tables.ts'
import type { BulkUserLogTables } from './tables.ts'

/** The sums of an hour that are read, the newest ones, and the most pairs of a key and a code. */
const MAX_SUMS = 10_000
const MAX_CAUSES = 200
/** The corrections that are read, those of the newest calls. */
const MAX_CORRECTIONS = 100

/** The failed calls of a key with a code, as `selectFailedCalls` selects them; partly applied ones have an empty code. */
export interface FailedCallsRow {
  key_id: string
  key_name: string
  code: string
  calls: number
  records: number
  refused: number
  first_at: string
  last_call_id: string
  is_cut: boolean
}

/**
 * Selects the failed and the partly applied calls of each key and code in the hours (UTC) that begin at a time (RFC 3339)
 * or later, those with the most records or calls first, but not the files that users upload: they see the outcome. What
 * a program has mended is left out: calls that failed for another reason than their records, if the key completed one in a
 * later hour. So is a key and code of which files have corrected every call.
 */
export function selectFailedCalls(companyId: string, since: string): RawBuilder<FailedCallsRow> {
  const company = toUuid(companyId)
  return sql`
    with sums as (
      select * from ${FAILURES_BY_HOUR} where company_id = ${company} and hour >= ${since}
      order by hour desc limit ${MAX_SUMS}
    ), successes as (
      select k.key_id, s.hour from (select distinct key_id from sums) k cross join lateral (
        select max(hour) as hour from ${CALLS_BY_HOUR} h
        where h.company_id = ${company} and h.key_id = k.key_id and h.hour >= ${since} and h.status = 'Completed') s
    ), corrected as (
      select e.key_id, coalesce(e.error_code, '') as code
      from (
        select distinct corrected_id, applied.index from (
          select corrected_id, records from corrections
          where company_id = ${company} and corrected_id >= ${firstIdOf(since)}::uuid
          order by corrected_id desc limit ${MAX_CORRECTIONS}) newest cross join unnest(records) as applied(index)) c
        join ${ENTRIES} e on e.company_id = ${company} and e.call_id = c.corrected_id and e.requested_at >= ${since}
      where c.index < e.total and (e.status = 'Failed' or exists (
        select from events r where r.company_id = ${company} and r.stream_id = e.call_id
          and r.type = 'EmployeeRecordRejected' and r.record_index = c.index))
      group by e.key_id, e.error_code, e.position, e.status, e.total, e.failed
      having count(*) = case e.status when 'Failed' then e.total else e.failed end
    ), causes as (
      select key_id, error_code as code, sum(calls)::bigint as calls, sum(records)::bigint as records,
        sum(refused)::bigint as refused,
        min(first_at) as first_at, (array_agg(last_call_id order by last_position desc))[1] as last_call_id
      from sums s
      where error_code = any(${['', ...RECORD_CODES]}::text[])
        or not exists (select from successes done where done.key_id = s.key_id and done.hour > s.hour)
      group by key_id, error_code
      having sum(calls) > (select count(*) from corrected c where c.key_id = s.key_id and c.code = s.error_code)
      order by greatest(sum(calls), sum(case when error_code = '' then refused else records end)) desc, first_at
      limit ${MAX_CAUSES + 1}
    )
    select c.key_id, k.name as key_name, c.code, c.calls, c.records, c.refused, c.first_at, c.last_call_id,
      (select count(*) from sums) = ${MAX_SUMS} as is_cut
    from causes c join api_keys k on k.company_id = ${company} and k.api_id = c.key_id`
}

/** The least id (a UUIDv7) of a call of a time or later. A process's clock may be up to a day behind the database's. */
function firstIdOf(time: string) {
  const hex = (Date.parse(time) - 86_400_000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/**
 * Turns what `selectFailedCalls` selected into facts. `isCut` says that not all were counted, so that other keys and codes
 * may be missing.
 */
export function readFailedCalls(rows: readonly FailedCallsRow[]): {
  failedCalls: Found<'calls_failed'>[]
  partialCalls: Found<'records_refused'>[]
  isCut: boolean
} {
  const isMore = rows.some((row) => row.is_cut)
  const failedCalls: Found<'calls_failed'>[] = []
  const partialCalls: Found<'records_refused'>[] = []
  for (const { code, calls, refused, records, ...row } of rows.slice(0, MAX_CAUSES)) {
    const found = { subject: { id: fromUuid('key', row.key_id), name: row.key_name }, since: row.first_at }
    const others = { is_more: isMore, last_log_id: fromUuid('log', row.last_call_id) }
    if (code === '') partialCalls.push({ ...found, details: { records: refused, total: records, calls, ...others } })
    else failedCalls.push({ ...found, details: { code, calls, records, ...others } })
  }
  return { failedCalls, partialCalls, isCut: isMore || rows.length > MAX_CAUSES }
}

/** A company's last call. */
interface LastCall {
  logId: string
  requestedAt: string
  records: number
  status: 'Completed' | 'Failed'
}

type LastCallRow = Pick<BulkUserLogTables['entries'], 'call_id' | 'requested_at' | 'total' | 'status'>

/** Finds a company's last call; null if it has made none. */
export async function findLastCall(db: AnyDb, companyId: string): Promise<LastCall | null> {
  const { rows } = await sql<LastCallRow>`select call_id, requested_at, total, status from ${ENTRIES}
    where company_id = ${toUuid(companyId)} order by position desc limit 1`.execute(db)
  const [row] = rows
  return row
    ? { logId: fromUuid('log', row.call_id), requestedAt: row.requested_at, records: row.total, status: row.status }
    : null
}

/** Selects when each of these keys made the last of the calls in the log. Keys that made none are missing. */
export function selectLastCalls(
  companyId: string,
  keyIds: readonly string[],
): RawBuilder<Pick<BulkUserLogTables['entries'], 'key_id' | 'requested_at'>> {
  return sql`
    select last.* from unnest(${keyIds.map(toUuid)}::uuid[]) as key (key_id) cross join lateral (
      select e.key_id, e.requested_at from ${ENTRIES} e
      where e.company_id = ${toUuid(companyId)} and e.key_id = key.key_id order by e.position desc limit 1) last`
}
