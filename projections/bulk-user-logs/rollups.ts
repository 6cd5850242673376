import { sql, type Transaction } from 'kysely'
import type { CallCounts } from '#domain/events'
import { startOfHour } from '#domain/local-times'
import { BULK_USER_LOG_TABLES, EVERY_KEY, NO_KEY, type BulkUserLogTables } from './tables.ts'
import { insertRows } from '../projection.ts'

type Tables = BulkUserLogTables
type Entry = Tables['entries']

/**
 * Adds entries to the sums of their hours, and extends the position ranges of their hours. Locks rows in the order of
 * their keys, so that concurrent folds do not deadlock.
 */
export async function addToRollups(transaction: Transaction<unknown>, schema: string, entries: Entry[]) {
  await widenHours(transaction, schema, entries)
  await addToSums(transaction, schema, entries)
  await addToFailures(transaction, schema, entries)
}

/** The rows to add to a table of the schema, called `h`. */
function insertInto<Name extends 'hours' | 'calls_by_hour' | 'failures_by_hour'>(
  schema: string,
  name: Name,
  rows: Tables[Name][],
) {
  return insertRows(sql`${sql.id(schema, name)} as h`, BULK_USER_LOG_TABLES[name].columns, rows)
}

async function widenHours(transaction: Transaction<unknown>, schema: string, entries: Entry[]) {
  const hours = groupByKey(entries, (entry) => [entry.company_id, startOfHour(entry.requested_at)]).map((group) => ({
    company_id: group[0]!.company_id,
    hour: startOfHour(group[0]!.requested_at),
    first_position: group.reduce((least, { position }) => Math.min(least, position), Infinity),
    last_position: group.reduce((most, { position }) => Math.max(most, position), 0),
  }))
  await sql`${insertInto(schema, 'hours', hours)}
    on conflict (company_id, hour) do update set
      first_position = least(h.first_position, excluded.first_position),
      last_position = greatest(h.last_position, excluded.last_position)`.execute(transaction)
}

async function addToSums(transaction: Transaction<unknown>, schema: string, entries: Entry[]) {
  const groups = groupByKey(
    entries.flatMap((entry) => [entry, { ...entry, key_id: EVERY_KEY }]),
    (entry) => [entry.company_id, entry.key_id, startOfHour(entry.requested_at), entry.operation, entry.status],
  )
  const sums = groups.map((group) => {
    const { company_id, key_id, requested_at, operation, status } = group[0]!
    return {
      company_id,
      key_id,
      hour: startOfHour(requested_at),
      operation,
      status,
      calls: group.length,
      total: sumOf(group, 'total'),
      updated: sumOf(group, 'updated'),
      deactivated: sumOf(group, 'deactivated'),
      failed: sumOf(group, 'failed'),
      no_updates: sumOf(group, 'no_updates'),
    }
  })
  await sql`${insertInto(schema, 'calls_by_hour', sums)}
    on conflict (company_id, key_id, hour, operation, status) do update set
      calls = h.calls + excluded.calls, total = h.total + excluded.total, updated = h.updated + excluded.updated,
      deactivated = h.deactivated + excluded.deactivated, failed = h.failed + excluded.failed,
      no_updates = h.no_updates + excluded.no_updates`.execute(transaction)
}

async function addToFailures(transaction: Transaction<unknown>, schema: string, entries: Entry[]) {
  const failed = entries.filter(
    ({ failed, error_code, key_id }) => (error_code !== null || failed > 0) && key_id !== NO_KEY,
  )
  if (failed.length === 0) return
  const groups = groupByKey(failed, (entry) => [
    entry.company_id,
    startOfHour(entry.requested_at),
    entry.key_id,
    codeOf(entry),
  ])
  const sums = groups.map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!]
    return {
      company_id: first.company_id,
      hour: startOfHour(first.requested_at),
      key_id: first.key_id,
      error_code: codeOf(first),
      calls: group.length,
      records: sumOf(group, 'total'),
      refused: sumOf(group, 'failed'),
      first_at: group.map((entry) => entry.requested_at).toSorted()[0]!,
      last_position: last.position,
      last_call_id: last.call_id,
    }
  })
  // Entries are folded in the order of their positions, so those that are added are the last ones.
  await sql`${insertInto(schema, 'failures_by_hour', sums)}
    on conflict (company_id, hour, key_id, error_code) do update set
      calls = h.calls + excluded.calls, records = h.records + excluded.records, refused = h.refused + excluded.refused,
      first_at = least(h.first_at, excluded.first_at),
      last_position = excluded.last_position, last_call_id = excluded.last_call_id`.execute(transaction)
}

function codeOf({ error_code: code }: Entry) {
  return code ?? ''
}

function sumOf(entries: Entry[], count: keyof CallCounts) {
  return entries.reduce((sum, entry) => sum + entry[count], 0)
}

/** Groups entries by key, in the order of the keys. */
function groupByKey(entries: Entry[], keyOf: (entry: Entry) => string[]): Entry[][] {
  const groups = Map.groupBy(entries, (entry) => keyOf(entry).join(' '))
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}
