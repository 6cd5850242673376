import { sql, type Transaction } from 'kysely'
import type { CallCounts } from '../../src/domain/events.ts'
import { type BulkUserLogTables, EVERY_KEY, NO_KEY } from './tables.ts'
import { bigints, insertRows, texts, timestamps, uuids } from '../unnested-rows.ts'

/** The fields of an entry that the rollups need. They have the names of their columns, except for ids. */
export interface CountedEntry extends CallCounts {
  companyId: string
  position: number
  callId: string
  requested_at: string
  /** Null if the call completed. */
  error_code: string | null
  keyId: string
  operation: BulkUserLogTables['calls_by_hour']['operation']
  status: BulkUserLogTables['calls_by_hour']['status']
}

/**
 * Adds entries to the sums of their hours, and extends the position ranges of their hours. Locks rows in the order of
 * their keys, so that concurrent folds do not deadlock.
 */
export async function addToRollups(
  transaction: Transaction<unknown>,
  schema: string,
  entries: CountedEntry[],
): Promise<void> {
  await widenHours(transaction, schema, entries)
  await addToSums(transaction, schema, entries)
  await addToFailures(transaction, schema, entries)
}

async function widenHours(transaction: Transaction<unknown>, schema: string, entries: CountedEntry[]): Promise<void> {
  const hours = groupByKey(entries, (entry) => [entry.companyId, startOfHour(entry.requested_at)]).map((group) => {
    const first = group.reduce((least, { position }) => Math.min(least, position), Infinity)
    const last = group.reduce((most, { position }) => Math.max(most, position), 0)
    return { companyId: group[0]!.companyId, hour: startOfHour(group[0]!.requested_at), first, last }
  })
  const insert = insertRows<keyof BulkUserLogTables['hours']>(sql`${sql.id(schema, 'hours')} as h`, {
    company_id: uuids(hours.map(({ companyId }) => companyId)),
    hour: timestamps(hours.map(({ hour }) => hour)),
    first_position: bigints(hours.map(({ first }) => first)),
    last_position: bigints(hours.map(({ last }) => last)),
  })
  await sql`${insert}
    on conflict (company_id, hour) do update set
      first_position = least(h.first_position, excluded.first_position),
      last_position = greatest(h.last_position, excluded.last_position)`.execute(transaction)
}

async function addToSums(transaction: Transaction<unknown>, schema: string, entries: CountedEntry[]): Promise<void> {
  const hours = groupByKey(
    entries.flatMap((entry) => [entry, { ...entry, keyId: EVERY_KEY }]),
    (entry) => [entry.companyId, entry.keyId, startOfHour(entry.requested_at), entry.operation, entry.status],
  )
  const first = hours.map((group) => group[0]!)
  const sums = (count: keyof CallCounts) => bigints(hours.map((group) => sumOf(group, count)))
  const insert = insertRows<keyof BulkUserLogTables['calls_by_hour']>(sql`${sql.id(schema, 'calls_by_hour')} as h`, {
    company_id: uuids(first.map(({ companyId }) => companyId)),
    key_id: uuids(first.map(({ keyId }) => keyId)),
    hour: timestamps(first.map(({ requested_at: requestedAt }) => startOfHour(requestedAt))),
    operation: texts(first.map(({ operation }) => operation)),
    status: texts(first.map(({ status }) => status)),
    calls: bigints(hours.map((group) => group.length)),
    total: sums('total'),
    updated: sums('updated'),
    deactivated: sums('deactivated'),
    failed: sums('failed'),
    no_updates: sums('no_updates'),
  })
  await sql`${insert}
    on conflict (company_id, key_id, hour, operation, status) do update set
      calls = h.calls + excluded.calls, total = h.total + excluded.total, updated = h.updated + excluded.updated,
      deactivated = h.deactivated + excluded.deactivated, failed = h.failed + excluded.failed,
      no_updates = h.no_updates + excluded.no_updates`.execute(transaction)
}

async function addToFailures(
  transaction: Transaction<unknown>,
  schema: string,
  entries: CountedEntry[],
): Promise<void> {
  const failed = entries.filter(
    ({ failed, error_code: code, keyId }) => (code !== null || failed > 0) && keyId !== NO_KEY,
  )
  if (failed.length === 0) return
  const hours = groupByKey(failed, (entry) => [
    entry.companyId,
    startOfHour(entry.requested_at),
    entry.keyId,
    codeOf(entry),
  ])
  const first = hours.map((group) => group[0]!)
  const last = hours.map((group) => group.at(-1)!)
  const sums = (count: keyof CallCounts) => bigints(hours.map((group) => sumOf(group, count)))
  const firstAt = (group: CountedEntry[]) => group.map(({ requested_at: requestedAt }) => requestedAt).toSorted()[0]!
  const insert = insertRows<keyof BulkUserLogTables['failures_by_hour']>(
    sql`${sql.id(schema, 'failures_by_hour')} as h`,
    {
      company_id: uuids(first.map(({ companyId }) => companyId)),
      hour: timestamps(first.map(({ requested_at: requestedAt }) => startOfHour(requestedAt))),
      key_id: uuids(first.map(({ keyId }) => keyId)),
      error_code: texts(first.map(codeOf)),
      calls: bigints(hours.map((group) => group.length)),
      records: sums('total'),
      refused: sums('failed'),
      first_at: timestamps(hours.map(firstAt)),
      last_position: bigints(last.map(({ position }) => position)),
      last_call_id: uuids(last.map(({ callId }) => callId)),
    },
  )
  // Entries are folded in the order of their positions, so those that are added are the last ones.
  await sql`${insert}
    on conflict (company_id, hour, key_id, error_code) do update set
      calls = h.calls + excluded.calls, records = h.records + excluded.records, refused = h.refused + excluded.refused,
      first_at = least(h.first_at, excluded.first_at),
      last_position = excluded.last_position, last_call_id = excluded.last_call_id`.execute(transaction)
}

function codeOf({ error_code: code }: CountedEntry): string {
  return code ?? ''
}

function sumOf(entries: CountedEntry[], count: keyof CallCounts): number {
  return entries.reduce((sum, entry) => sum + entry[count], 0)
}

/** The start of the hour of an instant; both are RFC 3339 in UTC. */
export function startOfHour(instant: string): string {
  return `${instant.slice(0, 'yyyy-mm-ddThh'.length)}:00:00.000Z`
}

/** Groups entries by key, in the order of the keys. */
function groupByKey(entries: CountedEntry[], keyOf: (entry: CountedEntry) => string[]): CountedEntry[][] {
  const groups = Map.groupBy(entries, (entry) => keyOf(entry).join(' '))
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}
