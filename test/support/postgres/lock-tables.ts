import pg from 'pg'
import { clusterOf } from '../../../src/postgres/cluster/company-connections.ts'
import type { Service } from '../service.ts'

/**
 * Locks tables against readers, on a cluster also those of the shards on the machine of the service's company. Call the
 * returned function to unlock them.
 */
export async function lockTables(service: Service, ...names: string[]): Promise<() => Promise<void>> {
  const machine = clusterOf(service.pool)?.find(service.company.id).machine
  const { href } = Object.assign(new URL(service.urls.superUrl), machine && { host: machine.name })
  const owner = new pg.Client({ connectionString: href })
  await owner.connect()
  await owner.query('begin')
  await owner.query(`lock table ${names.join(', ')} in access exclusive mode`)
  const shards = machine ? await listShards(owner, names) : []
  if (shards.length > 0)
    await owner.query(
      `set local citus.enable_manual_changes_to_shards = on; lock table ${shards.join(', ')} in access exclusive mode`,
    )
  return () => owner.end()
}

/** Lists the tables of these distributed tables' shards on a machine. */
async function listShards(owner: pg.Client, names: string[]): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select shard_name(s.logicalrelid, s.shardid) as name from pg_dist_shard s
     join pg_dist_placement p using (shardid) join pg_dist_local_group g on g.groupid = p.groupid
     where s.logicalrelid = any($1::regclass[])`,
    [names],
  )
  return rows.map(({ name }) => name)
}
