import type { Queryable } from '../../../src/postgres/pool.ts'
import { toUuid } from '../../../src/domain/ids.ts'

/** The machine of a cluster that has a company, as `host:port`. */
export async function machineOfCompany(client: Queryable, companyId: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select n.nodename || ':' || n.nodeport as name from pg_dist_placement p
     join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where p.shardid = get_shard_id_for_distribution_column('public.heads', $1::uuid)`,
    [toUuid(companyId)],
  )
  return rows[0]!.name
}
