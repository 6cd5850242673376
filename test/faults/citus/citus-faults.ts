import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { runSql } from '../../support/postgres/run-sql.ts'
import { signalServer } from '../../support/postgres/signal-server.ts'
import type { Cluster } from '../cluster.ts'
import type { Fault, Happened, LoadUnder } from '../fault.ts'
import { runProgram } from '../program.ts'
import type { Stage } from '../stage.ts'
import type { Machines } from './machines.ts'
import { nameOf } from './machines.ts'

/* What happens to a Citus cluster. Companies that it doesn't affect must not notice any of it. */

const DOWN_AT_MOST_MS = 1_500
const HANGS_AT_LEAST_MS = 2_000
const HANGS_AT_MOST_MS = 6_000
/** Between two faults, so that there is something to lose. */
const WORKS_AT_MOST_MS = 1_000
const REBALANCES_WITHIN = '120s'
/** How long the service may send statements to a machine that has no more shards, as docs/citus.md says. */
const FORGOTTEN_AFTER_MS = 60_000

/** Every kind of fault of a cluster, by name. */
export const CITUS_FAULTS: Record<string, Fault> = {
  'cluster: machine killed': async (stage, random, load) => {
    const machine = random.pick(machinesOf(stage).workers)
    await pause(random.below(WORKS_AT_MOST_MS))
    return whileAway(stage, machine, load, () => kill(machine, random))
  },
  'cluster: machine hung': async (stage, random, load) => {
    const machine = random.pick(machinesOf(stage).workers)
    return whileAway(stage, machine, load, async () => {
      signalServer(machine.pid(), 'SIGSTOP')
      try {
        await pause(HANGS_AT_LEAST_MS + random.below(HANGS_AT_MOST_MS - HANGS_AT_LEAST_MS))
      } finally {
        signalServer(machine.pid(), 'SIGCONT')
      }
    })
  },
  'cluster: coordinator killed': async (stage, random, load) => {
    await pause(random.below(WORKS_AT_MOST_MS))
    const from = load.now()
    await kill(machinesOf(stage).coordinator, random)
    return { spell: { from, to: load.now(), companyIds: load.companyIds, isAway: true } }
  },
  'cluster: shard moved': async (stage, random, load) => {
    const { workers, machineOf } = machinesOf(stage)
    const places = await Promise.all(load.companyIds.map(async (id) => ({ id, machine: await machineOf(id) })))
    // From the worker with the most companies, so that neither is left without.
    const [from] = workers.toSorted((one, other) => countOn(places, other) - countOn(places, one)) as [Cluster]
    const to = workers.find((worker) => worker !== from)!
    const { id: companyId } = random.pick(places.filter(({ machine }) => machine === from))
    // What the move before has left would stop this one.
    await stage.withDatabase((db) => sql`call citus_cleanup_orphaned_resources()`.execute(db))
    return whileMoved(load, await findNeighbors(stage, companyId, load.companyIds), () =>
      stage.withDatabase((db) =>
        sql`select citus_move_shard_placement(get_shard_id_for_distribution_column('heads', ${toUuid(companyId)}::uuid),
          '127.0.0.1', ${from.port()}, '127.0.0.1', ${to.port()}, 'force_logical')`.execute(db),
      ),
    )
  },
  'cluster: company isolated': async (stage, random, load) => {
    const companyId = await findTogether(stage, random.sample(load.companyIds, load.companyIds.length))
    if (companyId === null) return { times: 0 }
    // Citus stops the writes of all meanwhile.
    return whileMoved(load, load.companyIds, () =>
      stage.withDatabase((db) =>
        sql`select isolate_tenant_to_new_shard('heads', ${toUuid(companyId)}::text, 'CASCADE',
          shard_transfer_mode => 'block_writes')`.execute(db),
      ),
    )
  },
  'cluster: standby promoted': async (stage, random, load) => {
    const machines = machinesOf(stage)
    const machine = random.pick(machines.workers)
    const standby = await machines.startStandby(machine)
    return whileAway(stage, machine, load, async () => {
      await machine.kill(random.chance(0.5) ? 'SIGQUIT' : 'SIGKILL')
      await pause(random.below(DOWN_AT_MOST_MS))
      await promote(stage, standby, machine)
      machines.workers.splice(machines.workers.indexOf(machine), 1, standby)
    })
  },
  'cluster: machine added': async (stage, _, load) => whileMoved(load, load.companyIds, () => addAndRemove(stage)),
}

function countOn(places: { machine: Cluster }[], worker: Cluster): number {
  return places.filter(({ machine }) => machine === worker).length
}

/** Kills a machine's server, and starts it again after a moment. */
async function kill(machine: Cluster, random: SeededRandom): Promise<void> {
  await machine.kill(random.chance(0.5) ? 'SIGQUIT' : 'SIGKILL')
  await pause(random.below(DOWN_AT_MOST_MS))
  await machine.start()
}

/** Lets a standby take the place of a lost machine, as an operator does. */
async function promote(stage: Stage, standby: Cluster, lost: Cluster): Promise<void> {
  await runSql(standby.urls.superUrl, 'do $$ begin assert pg_promote(); end $$')
  await stage.withDatabase((db) =>
    sql`select citus_update_node(nodeid, '127.0.0.1', ${standby.port()}) from pg_dist_node
      where nodeport = ${lost.port()}`.execute(db),
  )
}

/** The first of these companies that does not have a shard of its own yet; null if all have. */
async function findTogether(stage: Stage, companyIds: string[]): Promise<string | null> {
  for (const id of companyIds) {
    const { rows } = await stage.withDatabase((db) =>
      sql`select from pg_dist_shard where shardminvalue <> shardmaxvalue
        and shardid = get_shard_id_for_distribution_column('heads', ${toUuid(id)}::uuid)`.execute(db),
    )
    if (rows.length > 0) return id
  }
  return null
}

/** The companies in the shard of one of them. */
async function findNeighbors(stage: Stage, companyId: string, companyIds: string[]): Promise<string[]> {
  const { rows } = await stage.withDatabase((db) =>
    sql<{ id: string }>`select id from unnest(${companyIds.map(toUuid)}::uuid[]) as id
      where get_shard_id_for_distribution_column('heads', id)
        = get_shard_id_for_distribution_column('heads', ${toUuid(companyId)}::uuid)`.execute(db),
  )
  return rows.map(({ id }) => fromUuid('com', id))
}

/** Adds a machine as an operator does, and empties and removes it again. */
async function addAndRemove(stage: Stage): Promise<void> {
  const machine = await machinesOf(stage).start()
  const port = machine.port()
  await stage.withDatabase(async (db) => {
    await sql`select citus_add_node('127.0.0.1', ${port})`.execute(db)
    const exitCode = await runProgram(stage, ['migrate'])
    if (exitCode !== 0) throw new Error(`migrate ended with ${exitCode}`)
    const rebalance = async () => {
      await sql`set statement_timeout = ${sql.lit(REBALANCES_WITHIN)}`.execute(db)
      await sql`select citus_rebalance_start(shard_transfer_mode => 'force_logical')`.execute(db)
      await sql`select citus_rebalance_wait()`.execute(db)
    }
    await rebalance()
    const { rows } = await sql<{ moved: number }>`select count(*)::integer as moved from citus_shards
      where nodeport = ${port} and table_name = 'heads'::regclass`.execute(db)
    if (rows[0]!.moved === 0) throw new Error(`no shard was moved to ${nameOf(machine)}`)
    await sql`select citus_set_node_property('127.0.0.1', ${port}, 'shouldhaveshards', false)`.execute(db)
    await rebalance()
    // Otherwise, what is left there stays in the way of the next machine.
    await sql`call citus_cleanup_orphaned_resources()`.execute(db)
    await pause(FORGOTTEN_AFTER_MS)
    await sql`select citus_remove_node('127.0.0.1', ${port})`.execute(db)
  })
  await machine.stop()
}

function machinesOf({ machines }: Stage): Machines {
  if (machines === null) throw new Error('this fault needs a stage with a cluster')
  return machines
}

/** What happens while a machine with some companies is away. */
async function whileAway(
  stage: Stage,
  machine: Cluster,
  { companyIds, now }: LoadUnder,
  happen: () => Promise<void>,
): Promise<Happened> {
  const { machineOf } = machinesOf(stage)
  const affected: string[] = []
  for (const companyId of companyIds) if ((await machineOf(companyId)) === machine) affected.push(companyId)
  const from = now()
  await happen()
  return { spell: { from, to: now(), companyIds: affected, isAway: true } }
}

/** What happens while the shards of these companies are moved: they may have to wait, and are served. */
async function whileMoved({ now }: LoadUnder, companyIds: string[], happen: () => Promise<unknown>): Promise<Happened> {
  const from = now()
  await happen()
  return { spell: { from, to: now(), companyIds, isAway: false } }
}
