import { sql } from 'kysely'
import type { FailedCalls } from '../../src/domain/attention.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import type { AnyDb } from '../projection.ts'
import { ENTRIES } from './live-tables.ts'
import { buildTimeConditions, joinConditions } from './queries.ts'
import type { BulkUserLogTables } from './tables.ts'
import { NO_KEY } from './tables.ts'

/** The failed calls that are counted, the newest ones, and the most pairs of a key and a code. */
const MAX_COUNTED = 10_000
const MAX_CAUSES = 200

/**
 * Counts the failed calls of each key and code that were requested at a time (RFC 3339) or later, but not the files that
 * users upload: they see the outcome. `isCut` says that not all were counted, so that other keys and codes may be missing.
 */
export async function readFailedCalls(
  db: AnyDb,
  companyId: string,
  since: string,
): Promise<{ failedCalls: FailedCalls[]; isCut: boolean }> {
  const company = toUuid(companyId)
  const { rows } = await sql<
    Pick<BulkUserLogTables['entries'], 'key_id' | 'key_name'> & {
      code: string
      calls: number
      first_at: string
      last_call: string
      counted: number
    }
  >`
    with failed as (
      select position, call_id, key_id, key_name, error_code, requested_at from ${ENTRIES}
      where company_id = ${company} and status = 'Failed' and key_id <> ${toUuid(NO_KEY)} and requested_at >= ${since}
        and ${joinConditions(buildTimeConditions(company, { from: since }, sql.ref('position')))}
      order by position desc limit ${MAX_COUNTED}
    )
    select key_id, (array_agg(key_name order by position desc))[1] as key_name, error_code as code,
      count(*)::integer as calls, min(requested_at) as first_at, (array_agg(call_id order by position desc))[1] as last_call,
      (select count(*)::integer from failed) as counted
    from failed group by key_id, error_code order by max(position) desc limit ${MAX_CAUSES + 1}`.execute(db)
  const failedCalls = rows.slice(0, MAX_CAUSES).map((row) => ({
    key: { id: fromUuid('key', row.key_id), name: row.key_name },
    code: row.code,
    calls: row.calls,
    isMore: row.counted === MAX_COUNTED,
    firstAt: row.first_at,
    lastLogId: fromUuid('log', row.last_call),
  }))
  return { failedCalls, isCut: rows.length > MAX_CAUSES || rows[0]?.counted === MAX_COUNTED }
}

interface LastCall {
  keyId: string
  logId: string
  requestedAt: string
  records: number
  status: 'Completed' | 'Failed'
}

type LastCallRow = Pick<BulkUserLogTables['entries'], 'key_id' | 'call_id' | 'requested_at' | 'total' | 'status'>

const LAST_CALL = sql`select e.key_id, e.call_id, e.requested_at, e.total, e.status from ${ENTRIES} e`

/** Finds a company's last call; null if it has made none. */
export async function findLastCall(db: AnyDb, companyId: string): Promise<LastCall | null> {
  const { rows } = await sql<LastCallRow>`${LAST_CALL}
    where e.company_id = ${toUuid(companyId)} order by e.position desc limit 1`.execute(db)
  return rows[0] ? toLastCall(rows[0]) : null
}

/** Finds the last call of each of these keys. */
export async function findLastCallsOf(db: AnyDb, companyId: string, keyIds: string[]): Promise<LastCall[]> {
  if (keyIds.length === 0) return []
  const { rows } = await sql<LastCallRow>`
    select last.* from unnest(${keyIds.map(toUuid)}::uuid[]) as key (key_id) cross join lateral (${LAST_CALL}
      where e.company_id = ${toUuid(companyId)} and e.key_id = key.key_id order by e.position desc limit 1) last`.execute(
    db,
  )
  return rows.map(toLastCall)
}

function toLastCall(row: LastCallRow): LastCall {
  return {
    keyId: fromUuid('key', row.key_id),
    logId: fromUuid('log', row.call_id),
    requestedAt: row.requested_at,
    records: row.total,
    status: row.status,
  }
}
