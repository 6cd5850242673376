import { sql, type RawBuilder } from 'kysely'
import { RECORD_CODES } from '#domain/attention'
import { fromUuid, toUuid } from '#domain/ids'
import type { Operation } from '#domain/operations'
import type { AnyDb } from '../projection.ts'
import { ENTRIES, FAILURES_BY_HOUR, REFUSALS_BY_HOUR, REFUSED_ERRORS } from './live-tables.ts'
import { type RefusalCause, countPeople, MAX_SKETCH_BYTES } from './refused-errors.ts'
import { startOfHour } from '#domain/local-times'

/* Why the records and calls of keys were refused in a period, across calls. */

/** The calls of a period: from the beginning of an hour (UTC) in which an instant is, before another instant. */
export interface RefusalFilter {
  from: string
  to?: string | undefined
  /** The API id of a key. */
  key?: string | undefined
}

/** Records that were refused for a cause, and are not corrected or erased since. */
export interface RefusedOfCause extends RefusalCause {
  records: number
  people: { count: number; isEstimate: boolean }
  keys: number
  firstAt: string
  lastAt: string
  /** The positions of the events of the newest records, each of another person. */
  examples: number[]
}

/** Calls that were refused for another reason than their records. */
export interface RefusedCalls {
  code: string
  calls: number
  /** Their records, as far as they could be counted. */
  records: number
  keys: number
  firstAt: string
  lastLogId: string
}

/** The sums of an hour that are read, the newest ones. */
const MAX_SUMS = 10_000
const EXAMPLES = 3
/** The newest records among which those of other people are looked for. */
const SEARCHED = 100

/** Lists the causes of a period, those with the most records first. `isCut` says that not all hours were counted. */
export async function listRefusalCauses(
  db: AnyDb,
  companyId: string,
  filter: RefusalFilter,
  limit: number,
): Promise<{ causes: RefusedOfCause[]; isMore: boolean; isCut: boolean }> {
  const company = toUuid(companyId)
  const { rows } = await sql<CauseRow>`
    with sums as materialized (
      select * from ${REFUSALS_BY_HOUR} where ${isInPeriod(company, filter, sql.ref('hour'))}
      order by hour desc limit ${MAX_SUMS}
    ), causes as (
      select code, field, kind, sum(records)::bigint as records, count(distinct key_id)::integer as keys,
        min(first_at) as first_at, max(last_at) as last_at
      from sums group by code, field, kind order by records desc, last_at desc, code, field, kind limit ${limit + 1}
    ), sketches as (
      select code, field, kind,
        substr(string_agg(distinct digest, ''::bytea order by digest), 1, ${MAX_SKETCH_BYTES}) as people
      from (
        select s.code, s.field, s.kind, substr(s.people, 8 * n + 1, 8) as digest
        from sums s join causes using (code, field, kind)
          cross join lateral generate_series(0, length(s.people) / 8 - 1) as n) each
      group by code, field, kind
    )
    select c.*, coalesce(k.people, '') as people, (select count(*) from sums) = ${MAX_SUMS} as is_cut,
      to_json(array(
        select max(position) from (
          select person, position, key_id from ${REFUSED_ERRORS} e
          where e.company_id = ${company} and e.code = c.code and e.field = c.field and e.kind = c.kind
            and e.requested_at >= ${startOfHour(filter.from)} and e.requested_at <= c.last_at
          order by e.requested_at desc, e.position desc limit ${SEARCHED}) newest
        where ${isOfKey(filter)}
        group by coalesce(person, convert_to(position::text, 'UTF8')) order by 1 desc limit ${EXAMPLES})) as examples
    from causes c left join sketches k using (code, field, kind)
    order by c.records desc, c.last_at desc, c.code, c.field, c.kind`.execute(db)
  return {
    causes: rows.slice(0, limit).map(toCause),
    isMore: rows.length > limit,
    isCut: rows.some((row) => row.is_cut),
  }
}

/** Counts the refused records of a period by cause, whatever its kind, and by key: of each, those with the most. */
export async function countRefusals(
  db: AnyDb,
  companyId: string,
  filter: RefusalFilter,
  limit: number,
): Promise<{
  byCause: (Omit<RefusalCause, 'kind'> & { records: number })[]
  byKey: { key: string; records: number }[]
}> {
  const { rows } = await sql<{ code: string | null; field: string; key_id: string; records: number }>`
    select code, field, key_id, records from (
      select code, field, key_id, sum(records)::bigint as records,
        row_number() over (partition by code is null order by sum(records) desc, code, field, key_id) as place
      from (
        select code, field, key_id, records from ${REFUSALS_BY_HOUR}
        where ${isInPeriod(toUuid(companyId), filter, sql.ref('hour'))} order by hour desc limit ${MAX_SUMS}) sums
      group by grouping sets ((code, field), (key_id))) ranked
    where place <= ${limit} order by place`.execute(db)
  return {
    byCause: rows.flatMap(({ code, field, records }) => (code === null ? [] : { code, field, records })),
    byKey: rows.flatMap((row) => (row.code === null ? { key: fromUuid('key', row.key_id), records: row.records } : [])),
  }
}

interface CauseRow extends RefusalCause {
  records: number
  keys: number
  first_at: string
  last_at: string
  people: Buffer
  examples: number[]
  is_cut: boolean
}

function toCause({ code, field, kind, records, keys, examples, ...row }: CauseRow): RefusedOfCause {
  const people = countPeople(row.people)
  return { code, field, kind, records, people, keys, firstAt: row.first_at, lastAt: row.last_at, examples }
}

function isInPeriod(company: string, { from, to, key }: RefusalFilter, time: RawBuilder<unknown>) {
  return sql`company_id = ${company} and ${time} >= ${startOfHour(from)}
    ${to === undefined ? sql`` : sql`and ${time} < ${to}`} and ${isOfKey({ key })}`
}

function isOfKey({ key }: Pick<RefusalFilter, 'key'>) {
  return key === undefined ? sql`true` : sql`key_id = ${toUuid(key)}`
}

/** Lists why calls of a period were refused for another reason than their records, those with the most calls first. */
export async function listRefusedCalls(
  db: AnyDb,
  companyId: string,
  filter: RefusalFilter,
  limit: number,
): Promise<RefusedCalls[]> {
  const { rows } = await sql<Pick<RefusedCalls, 'code' | 'calls' | 'records' | 'keys'> & Record<string, string>>`
    select error_code as code, sum(calls)::bigint as calls, sum(records)::bigint as records,
      count(distinct key_id)::integer as keys, min(first_at) as first_at,
      (array_agg(last_call_id order by last_position desc))[1] as last_call_id
    from (
      select * from ${FAILURES_BY_HOUR} where ${isInPeriod(toUuid(companyId), filter, sql.ref('hour'))}
        and error_code <> all(${['', ...RECORD_CODES]}::text[])
      order by hour desc limit ${MAX_SUMS}) sums
    group by error_code order by calls desc, error_code limit ${limit}`.execute(db)
  return rows.map(({ code, calls, records, keys, ...row }) => {
    return { code, calls, records, keys, firstAt: row['first_at']!, lastLogId: fromUuid('log', row['last_call_id']!) }
  })
}

/** A refused record, and the call that it was in. */
export interface RefusedPlace {
  position: number
  index: number | null
  requestedAt: string
  entry: { id: string; operation: Operation }
}

/** Lists the refused records of a cause in a period, newest first, after another one. */
export async function listRefusedOfCause(
  db: AnyDb,
  companyId: string,
  filter: RefusalFilter & RefusalCause,
  page: { limit: number; after: Pick<RefusedPlace, 'requestedAt' | 'position'> | null },
): Promise<RefusedPlace[]> {
  const company = toUuid(companyId)
  const { after } = page
  const isAfter = after ? sql`and (requested_at, position) < (${after.requestedAt}, ${after.position}::bigint)` : sql``
  const { rows } = await sql<
    Record<'call_id' | 'requested_at', string> & { position: number; record_index: number | null; operation: Operation }
  >`
    select e.position, v.record_index, e.requested_at, v.call_id, l.operation
    from (
      select position, requested_at from ${REFUSED_ERRORS}
      where ${isInPeriod(company, filter, sql.ref('requested_at'))}
        and code = ${filter.code} and field = ${filter.field} and kind = ${filter.kind}
        ${isAfter}
      order by requested_at desc, position desc limit ${page.limit}) e
      join events v on v.company_id = ${company} and v.position = e.position
      join ${ENTRIES} l on l.company_id = ${company} and l.call_id = v.call_id
    order by e.requested_at desc, e.position desc`.execute(db)
  return rows.map(({ position, record_index: index, requested_at: requestedAt, call_id: id, operation }) => {
    return { position, index, requestedAt, entry: { id: fromUuid('log', id), operation } }
  })
}
