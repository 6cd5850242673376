import { randomUUID } from 'node:crypto'
import { UUID_BYTES, writeUuid } from '../../domain/ids.ts'
import type { Shard } from '../shard.ts'
import type { MachineRow } from './machine-address.ts'
import { COORDINATOR, MACHINES } from './machine-address.ts'
import { StartupError } from '../startup-error.ts'
import { hashUuid } from './uuid-hash.ts'
import type { Queryable } from '../query-client.ts'

/** A shard, and the hashes of its companies. */
export interface PlacedShard extends Shard {
  /** The greatest hash. */
  upTo: number
}

/** Where the companies of a cluster are. */
export interface Placements {
  /** The machine of each group, the coordinator first. */
  machines: ReadonlyMap<number, MachineRow>
  /** In the order of their hashes. */
  shards: readonly PlacedShard[]
  /** Differs after a change. */
  version: string
}

// The tables that are placed together with `heads`.
const SHARDS = `select s.shardid::text as id, s.shardmaxvalue::integer as up_to, p.groupid as "group",
    t.logicalrelid::regclass::text as "table", shard_name(t.logicalrelid, s.shardid) as name,
    dense_rank() over (partition by t.logicalrelid order by s.shardminvalue::integer)::integer as at
  from pg_dist_partition h
  join pg_dist_partition t on t.colocationid = h.colocationid
  join pg_dist_shard s on s.logicalrelid = t.logicalrelid
  join pg_dist_placement p on p.shardid = s.shardid
  where h.logicalrelid = 'public.heads'::regclass`

/** Reads where everything is. Any machine of a cluster can be asked. Returns null if it is the same as in `known`. */
export async function readPlacements(client: Queryable, previous?: Placements): Promise<Placements | null> {
  const { rows: versions } = await client.query<{ version: string }>(`select md5(coalesce((select string_agg(
      concat_ws(' ', "group", id, up_to, name), ',' order by id) from (${SHARDS}) s), '')
    || coalesce((select string_agg(concat_ws(' ', "group", host, port), ',') from (${MACHINES}) n), '')) as version`)
  const { version } = versions[0]!
  if (version === previous?.version) return null
  const { rows: machines } = await client.query<MachineRow>(MACHINES)
  if (machines[0]?.group !== COORDINATOR)
    throw new StartupError(
      'the cluster does not know its coordinator: as a superuser, run `select citus_set_coordinator_host(host)` on it',
    )
  const { rows } = await client.query<ShardRow>(`${SHARDS} order by up_to`)
  const shards = Array.from(Map.groupBy(rows, ({ at }) => at).values(), (tables): PlacedShard => {
    const { id, up_to: upTo, group } = tables.find(({ table }) => table === 'heads')!
    const names = new Map(tables.map(({ table, name }) => [table, name]))
    if (names.size < tables.length) throw new Error(`shard ${id} has several copies, which are not supported`)
    const before = previous?.shards.find((shard) => shard.id === id)
    if (before && isSame(before.tables, names)) return { ...before, upTo, group }
    serials += 1
    return { id, upTo, group, tables: names, serial: serials, renamed: new Map() }
  })
  const placements = {
    version,
    shards,
    machines: new Map(machines.map((machine) => [machine.group, machine])),
  }
  await assertSameHash(client, placements)
  return placements
}

let serials = 0

function isSame(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  return some.size === others.size && [...some].every(([table, name]) => others.get(table) === name)
}

interface ShardRow {
  id: string
  up_to: number
  group: number
  table: string
  name: string
  at: number
}

/** A row in a wrong shard would be lost to every statement that Citus routes. */
async function assertSameHash(client: Queryable, placements: Placements): Promise<void> {
  const uuid = randomUUID()
  const { rows } = await client.query<{ shard: string }>(
    `select get_shard_id_for_distribution_column('public.heads', $1::uuid)::text as shard`,
    [uuid],
  )
  const shard = shardOfHash(placements, hashUuid(Buffer.from(uuid.replaceAll('-', ''), 'hex')))
  if (shard.id !== rows[0]!.shard) throw new Error('the database places companies in other shards than expected')
}

const bytes = Buffer.alloc(UUID_BYTES)

/** The shard of a company. */
export function shardOfCompany(placements: Placements, companyId: string): PlacedShard {
  writeUuid(companyId, bytes, 0)
  return shardOfHash(placements, hashUuid(bytes))
}

/** The first shard whose greatest hash is not smaller. */
function shardOfHash({ shards }: Placements, hash: number): PlacedShard {
  let [low, high] = [0, shards.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (shards[middle]!.upTo < hash) low = middle + 1
    else high = middle
  }
  return shards[low]!
}
