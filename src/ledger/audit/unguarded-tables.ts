import type { LedgerDb } from '../tables.ts'
import { sql } from 'kysely'
import { hasCitus } from '#postgres/machine-address'

/*
 * Triggers refuse changes of events, even to the owner. An owner can disable or drop them, so they are looked for: by
 * `doctor`, and by each worker once a minute.
 */

/** Selects the name of a table of events if it lacks a trigger. */
const unguarded = (table: string) => `select ${table} as name where 2 > (select count(*) from pg_trigger
  where tgrelid = ${table}::regclass and tgenabled in ('O', 'A')
    and tgname ~ '^events_are_(append_only|only_erased)(_[0-9]+)?$')`

/** The names of the tables of events that lack a trigger: on a cluster, also those of shards, on all machines. */
export async function findUnguardedTables(db: LedgerDb): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(unguarded(`'events'`)).execute(db)
  const shards = (await hasCitus(db)) ? await findUnguardedShards(db) : []
  return [...rows.map(({ name }) => name), ...shards]
}

async function findUnguardedShards(db: LedgerDb) {
  const { rows } = await sql<{ success: boolean; result: string }>`
    select success, result from run_command_on_shards('public.events', ${unguarded(`'%1$s'`)})`.execute(db)
  const failed = rows.find(({ success }) => !success)
  if (failed) throw new Error(`a machine cannot tell: ${failed.result}`)
  return rows.map(({ result }) => result).filter((name) => name !== '')
}
