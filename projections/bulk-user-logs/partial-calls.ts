import { sql } from 'kysely'
import type { PartialCalls } from '../../src/domain/attention.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import type { AnyDb } from '../projection.ts'
import { ENTRIES } from './live-tables.ts'
import { buildTimeConditions, joinConditions } from './queries.ts'
import type { BulkUserLogTables } from './tables.ts'
import { NO_KEY } from './tables.ts'

/** The calls that are counted, the newest ones, and the most keys. */
const MAX_COUNTED = 10_000
const MAX_KEYS = 200

/**
 * Counts the calls of each key that were requested at a time (RFC 3339) or later, and that applied some of their records
 * and refused others. `isCut` says that not all were counted, so that other keys may be missing.
 */
export async function readPartialCalls(
  db: AnyDb,
  companyId: string,
  since: string,
): Promise<{ partialCalls: PartialCalls[]; isCut: boolean }> {
  const company = toUuid(companyId)
  const { rows } = await sql<
    Pick<BulkUserLogTables['entries'], 'key_id' | 'key_name'> & {
      calls: number
      refused: number
      total: number
      first_at: string
      last_call: string
      counted: number
    }
  >`
    with partial as (
      select position, call_id, key_id, key_name, requested_at, failed, total from ${ENTRIES}
      where company_id = ${company} and failed > 0 and status = 'Completed' and key_id <> ${toUuid(NO_KEY)}
        and requested_at >= ${since}
        and ${joinConditions(buildTimeConditions(company, { from: since }, sql.ref('position')))}
      order by position desc limit ${MAX_COUNTED}
    )
    select key_id, (array_agg(key_name order by position desc))[1] as key_name, count(*)::integer as calls,
      sum(failed)::bigint as refused, sum(total)::bigint as total, min(requested_at) as first_at,
      (array_agg(call_id order by position desc))[1] as last_call, (select count(*)::integer from partial) as counted
    from partial group by key_id order by max(position) desc limit ${MAX_KEYS + 1}`.execute(db)
  const partialCalls = rows.slice(0, MAX_KEYS).map((row) => ({
    key: { id: fromUuid('key', row.key_id), name: row.key_name },
    calls: row.calls,
    refused: row.refused,
    total: row.total,
    isMore: row.counted === MAX_COUNTED,
    firstAt: row.first_at,
    lastLogId: fromUuid('log', row.last_call),
  }))
  return { partialCalls, isCut: rows.length > MAX_KEYS || rows[0]?.counted === MAX_COUNTED }
}
