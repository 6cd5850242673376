import { sql, type Kysely } from 'kysely'
import type pg from 'pg'
import { createClient } from './pool.ts'

/*
 * The machines of a Citus cluster, one by one, on a connection to each: a statement through the coordinator would fail,
 * or wait, for all of them when one does not answer.
 */

const ANSWERS_WITHIN_MS = 2_000

/** Where a machine of a cluster is. */
export interface MachineAddress {
  /** Its host and port, as the other machines know them. */
  name: string
  /** Its number in Citus's catalog, where the coordinator is 0. */
  group: number
  /** Where it has this database, with the credentials of the service or the owner. */
  url: string
}

/** A row of `MACHINES`. */
export interface MachineRow {
  group: number
  host: string
  port: number
}

export const COORDINATOR = 0

/** Reads the machines, the coordinator first. */
export const MACHINES = `select groupid as "group", nodename as host, nodeport as port from pg_dist_node
  where noderole = 'primary' and isactive order by groupid`

/** The address of a machine. `databaseUrl` names the coordinator. */
export function addressOf({ group, host, port }: MachineRow, databaseUrl: string): MachineAddress {
  const url = new URL(databaseUrl)
  // The workers' name for the coordinator may lead nowhere from here.
  if (group !== COORDINATOR) {
    Object.assign(url, { hostname: host, port: String(port) })
    // These would take precedence.
    for (const name of ['host', 'port']) url.searchParams.delete(name)
  }
  return { name: `${host}:${port}`, group, url: url.href }
}

/** Reads whether a database has the Citus extension. */
export const HAS_CITUS = `select to_regclass('pg_catalog.pg_dist_partition') is not null as has`

export async function hasCitus<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql.raw<{ has: boolean }>(HAS_CITUS).execute(db)
  return rows[0]!.has
}

/** The machines of the cluster, the coordinator first; none without Citus. `databaseUrl` names the coordinator. */
export async function listMachines<Tables>(db: Kysely<Tables>, databaseUrl: string): Promise<MachineAddress[]> {
  if (!(await hasCitus(db))) return []
  const { rows } = await sql.raw<MachineRow>(MACHINES).execute(db)
  return rows.map((row) => addressOf(row, databaseUrl))
}

/** Runs a task on a connection of its own to a machine. Every wait is short. */
export async function onMachine<Result>(
  { url }: MachineAddress,
  name: string,
  task: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = createClient({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
  })
  try {
    await client.connect()
    return await task(client)
  } finally {
    // A machine that has gone silent would not answer a goodbye either.
    void client.end().catch(() => undefined)
  }
}

/**
 * A condition of pg_prepared_xacts: transactions of Citus that are older than this. Citus ends what a crash left every
 * minute, so older ones wait for a machine that does not come back, and hold their locks until then.
 */
export function isLeftOver(seconds = 60): string {
  return `database = current_database() and gid like 'citus\\_%' and prepared <= now() - interval '${seconds} s'`
}
