import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { BulkUserLogTables } from './tables.ts'
import { bigints, texts, timestamps, unnestedRows, uuids } from '../unnested-rows.ts'

const COUNTS = ['total', 'updated', 'deactivated', 'failed', 'no_updates'] as const
type Counts = Record<(typeof COUNTS)[number], number>

/** The fields of an entry that the rollups need. They have the names of their columns, except for ids. */
export interface CountedEntry extends Counts {
  companyId: string
  position: number
  requested_at: string
  keyId: string
  operation: BulkUserLogTables['days']['operation']
  status: BulkUserLogTables['days']['status']
}

/**
 * Adds entries to the sums of their days, and extends the position ranges of their hours. Locks rows in the order of
 * their keys, so that concurrent folds do not deadlock.
 */
export async function addToRollups(
  transaction: Transaction<unknown>,
  schema: string,
  entries: CountedEntry[],
): Promise<void> {
  await widenHours(transaction, schema, entries)
  await addToDays(transaction, schema, entries)
}

async function widenHours(transaction: Transaction<unknown>, schema: string, entries: CountedEntry[]): Promise<void> {
  const hours = groupByKey(entries, (entry) => [entry.companyId, getHour(entry)]).map((group) => {
    const first = group.reduce((least, { position }) => Math.min(least, position), Infinity)
    const last = group.reduce((most, { position }) => Math.max(most, position), 0)
    return { companyId: group[0]!.companyId, hour: getHour(group[0]!), first, last }
  })
  await sql`insert into ${sql.id(schema, 'hours')} as h (company_id, hour, first_position, last_position)
    select * from ${unnestedRows({
      company_id: uuids(hours.map(({ companyId }) => companyId)),
      hour: timestamps(hours.map(({ hour }) => hour)),
      first_position: bigints(hours.map(({ first }) => first)),
      last_position: bigints(hours.map(({ last }) => last)),
    })}
    on conflict (company_id, hour) do update set
      first_position = least(h.first_position, excluded.first_position),
      last_position = greatest(h.last_position, excluded.last_position)`.execute(transaction)
}

async function addToDays(transaction: Transaction<unknown>, schema: string, entries: CountedEntry[]): Promise<void> {
  const days = groupByKey(entries, (entry) => [
    entry.companyId,
    getDay(entry),
    entry.keyId,
    entry.operation,
    entry.status,
  ])
  const first = days.map((group) => group[0]!)
  const sums = (count: keyof Counts) =>
    bigints(days.map((group) => group.reduce((sum, entry) => sum + entry[count], 0)))
  await sql`insert into ${sql.id(schema, 'days')} as d
      (company_id, day, key_id, operation, status, calls, total, updated, deactivated, failed, no_updates)
    select company_id, day::date, key_id, operation, status, calls, total, updated, deactivated, failed, no_updates
    from ${unnestedRows({
      company_id: uuids(first.map(({ companyId }) => companyId)),
      day: texts(first.map(getDay)),
      key_id: uuids(first.map(({ keyId }) => keyId)),
      operation: texts(first.map(({ operation }) => operation)),
      status: texts(first.map(({ status }) => status)),
      calls: bigints(days.map((group) => group.length)),
      ...Object.fromEntries(COUNTS.map((count) => [count, sums(count)])),
    })}
    on conflict (company_id, day, key_id, operation, status) do update set
      calls = d.calls + excluded.calls, total = d.total + excluded.total, updated = d.updated + excluded.updated,
      deactivated = d.deactivated + excluded.deactivated, failed = d.failed + excluded.failed,
      no_updates = d.no_updates + excluded.no_updates`.execute(transaction)
}

function getHour(entry: CountedEntry): string {
  return `${entry.requested_at.slice(0, 13)}:00:00.000Z`
}

function getDay(entry: CountedEntry): string {
  return entry.requested_at.slice(0, 10)
}

/** Groups entries by key, in the order of the keys. */
function groupByKey(entries: CountedEntry[], keyOf: (entry: CountedEntry) => string[]): CountedEntry[][] {
  const groups = Map.groupBy(entries, (entry) => keyOf(entry).join(' '))
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}
