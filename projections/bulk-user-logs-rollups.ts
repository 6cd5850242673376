import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { toUuid } from '../src/domain/ids.ts'

/** What the sums need to know of an entry, in the words of its row. */
export interface CountedEntry {
  position: number
  requested_at: string
  key_id: string
  operation: string
  status: string
  total: number
  updated: number
  deactivated: number
  failed: number
  no_updates: number
}

const COUNTS = ['total', 'updated', 'deactivated', 'failed', 'no_updates'] as const

/** Adds entries to the sums of their days, and widens the positions of their hours. */
export async function addToRollups(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  entries: CountedEntry[],
): Promise<void> {
  const company = toUuid(companyId)
  // In the order of their keys, so that nobody who folds something else waits for a row in another order.
  const hours = [...Map.groupBy(entries, ({ requested_at: at }) => `${at.slice(0, 13)}:00:00.000Z`)].sort(byKey)
  const hourRows = hours.map(([hour, group]) => {
    const positions = group.map(({ position }) => position)
    return { hour, f: Math.min(...positions), l: Math.max(...positions) }
  })
  await sql`insert into ${sql.id(schema, 'hours')} as h (company_id, hour, first_position, last_position)
    select ${company}, r.hour, r.f, r.l
    from json_to_recordset(${JSON.stringify(hourRows)}) as r(hour timestamptz, f bigint, l bigint)
    on conflict (company_id, hour) do update set
      first_position = least(h.first_position, excluded.first_position),
      last_position = greatest(h.last_position, excluded.last_position)`.execute(transaction)

  const days = Map.groupBy(entries, (entry) => [dayOf(entry), entry.key_id, entry.operation, entry.status].join(' '))
  const dayRows = [...days].sort(byKey).map(([, group]) => sumOf(group))
  await sql`insert into ${sql.id(schema, 'days')} as d
      (company_id, day, key_id, operation, status, calls, total, updated, deactivated, failed, no_updates)
    select ${company}, r.* from json_to_recordset(${JSON.stringify(dayRows)}) as r(
      day date, key_id uuid, operation text, status text, calls bigint,
      total bigint, updated bigint, deactivated bigint, failed bigint, no_updates bigint)
    on conflict (company_id, day, key_id, operation, status) do update set
      calls = d.calls + excluded.calls, total = d.total + excluded.total, updated = d.updated + excluded.updated,
      deactivated = d.deactivated + excluded.deactivated, failed = d.failed + excluded.failed,
      no_updates = d.no_updates + excluded.no_updates`.execute(transaction)
}

function dayOf(entry: CountedEntry): string {
  return entry.requested_at.slice(0, 10)
}

function sumOf(group: CountedEntry[]) {
  const { key_id, operation, status } = group[0]!
  const sums = Object.fromEntries(COUNTS.map((name) => [name, group.reduce((sum, entry) => sum + entry[name], 0)]))
  return { day: dayOf(group[0]!), key_id, operation, status, calls: group.length, ...sums }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
