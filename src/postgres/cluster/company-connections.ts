import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Pool, PoolClient } from 'pg'
import { breaksConnection, isUnconfirmed, MovedError, sqlState } from '../database-errors.ts'
import type { PoolOptions } from '../pool.ts'
import { withClient } from '../pool.ts'
import type { Cluster } from './cluster.ts'
import { currentCompany } from './company-scope.ts'
import type { Machine } from './machine.ts'
import { onFirst } from './machine.ts'
import type { Shard } from '../shard.ts'
import { followShard, renameTables, selectFromAll } from '../shard.ts'

/** Waits until the running code may take a connection. Resolves with what it calls once it has released it. */
type Admit = () => Promise<() => void>

/** The cluster and the options of each pool that spans a cluster. */
const clusterPools = new WeakMap<Pool, { cluster: Cluster; options: PoolOptions; admit?: Admit }>()

/**
 * A pool over the machines of a cluster. A connection leads to the machine of the company that the running code works
 * for; without a company, to the first machine that answers. Every machine can run every statement, so one that is sent
 * to the wrong machine only takes longer.
 */
export function openCompanyPool(cluster: Cluster, options: PoolOptions): Pool {
  const pool = openPoolOf(() => {
    const companyId = currentCompany()
    if (companyId === null) return onFirst(cluster.machines(), (machine) => machine.connect(options))
    return followMoves(cluster, companyId, () => cluster.find(companyId).machine.connect(options))
  }, options)
  Object.defineProperties(
    pool,
    countsOf(() => cluster.machines(), options),
  )
  clusterPools.set(pool, { cluster, options })
  return pool
}

/** The connections of a pool, for code that has to be admitted before it takes one. */
export function admitTo(pool: Pool, admit: Admit): Pool {
  const admitting = openPoolOf(() => connectOnceAdmitted(admit, () => pool.connect()), pool.options)
  const clusterPool = clusterPools.get(pool)
  if (clusterPool) clusterPools.set(admitting, { ...clusterPool, admit })
  return admitting
}

async function connectOnceAdmitted(admit: Admit | undefined, connect: () => Promise<PoolClient>): Promise<PoolClient> {
  const giveBack = await admit?.()
  if (!giveBack) return connect()
  try {
    const client = await connect()
    // The pool sets this whenever it lends the connection.
    const { release } = client
    client.release = (isBroken) => {
      release.call(client, isBroken)
      giveBack()
    }
    return client
  } catch (error) {
    giveBack()
    throw error
  }
}

/** The connections of a pool to one machine. They are closed with the machine. */
export function poolOfMachine(pool: Pool, machine: Machine): Pool {
  const { options } = clusterPools.get(pool)!
  return openPoolOf(() => machine.connect(options), options)
}

/** A pool of connections that `connect` opens: what the program uses of one. */
export function openPoolOf(connect: () => Promise<PoolClient>, options: Pool['options'] | PoolOptions): Pool {
  const query = (statement: string, values?: unknown[]) =>
    withClient({ connect }, (client) => client.query(statement, values))
  const pool = { connect, query, options, on: () => pool, end: async () => undefined }
  return pool as unknown as Pool
}

function countsOf(machines: () => Machine[], { name }: PoolOptions): PropertyDescriptorMap {
  const sum = (count: 'totalCount' | 'idleCount' | 'waitingCount') => ({
    get: () => machines().reduce((total, machine) => total + machine.count(name)[count], 0),
  })
  return { totalCount: sum('totalCount'), idleCount: sum('idleCount'), waitingCount: sum('waitingCount') }
}

/** The cluster behind a pool; undefined on plain PostgreSQL. */
export function clusterOf(pool: Pool): Cluster | undefined {
  return clusterPools.get(pool)?.cluster
}

/**
 * With object_in_use, `hold_shards` refuses a shard that has moved on; its tables are dropped soon (undefined_table).
 */
const MOVED = new Set(['55006', '42P01'])

/** Whether a transaction failed because a shard was not where it was expected. */
export function isMoved(error: unknown): boolean {
  return (
    error instanceof MovedError || MOVED.has(sqlState(error) ?? '') || (error instanceof Error && isMoved(error.cause))
  )
}

/**
 * Begins a transaction of a company. On a cluster, its shard stays where it is until the transaction ends, and its
 * statements name the tables of the shard. Follows the company if it has moved on.
 */
export async function beginFor(pool: Pool, companyId: string): Promise<PoolClient> {
  const clusterPool = clusterPools.get(pool)
  if (!clusterPool) return begin(await pool.connect(), 'begin')
  const { cluster, options, admit } = clusterPool
  const attempt = async () => {
    const { machine, shard } = cluster.find(companyId)
    const client = await connectOnceAdmitted(admit, () => machine.connect(options))
    return onShardOf(await begin(client, beginHolding(shard)), shard)
  }
  return followMoves(cluster, companyId, attempt)
}

/**
 * After these milliseconds, a company that has moved is looked for again: a move reaches one machine after the other.
 */
const REFRESHES_AFTER_MS = [0, 50, 250]

/** How long a call that has lost its machine waits to learn where its company is now, in milliseconds. */
const REFRESHES_WITHIN_MS = 500

/**
 * Runs a task that finds its company's machine, and again if the company has moved on meanwhile. A task whose COMMIT
 * may have taken effect must say so with an UnconfirmedCommitError; it is not run again.
 */
export async function followMoves<Result>(
  cluster: Cluster,
  companyId: string,
  task: () => Promise<Result>,
): Promise<Result> {
  for (const afterMs of REFRESHES_AFTER_MS) {
    let machine: Machine | undefined
    let wasDown = false
    try {
      machine = cluster.find(companyId).machine
      wasDown = machine.isDown
      return await task()
    } catch (error) {
      if (isUnconfirmed(error)) throw error
      if (isMoved(error)) {
        if (afterMs > 0) await pause(afterMs)
        await cluster.refresh().catch(() => undefined)
      } else {
        if (!hasLostConnection(error)) throw error
        // When a machine goes down, a refresh begins. Another one would find nothing new.
        const refreshed = (wasDown ? cluster.pendingRefresh() : cluster.refresh()).catch(() => undefined)
        await Promise.race([refreshed, pause(REFRESHES_WITHIN_MS, undefined, { ref: false })])
        if (cluster.find(companyId).machine === machine) throw error
      }
    }
  }
  return task()
}

/** Whether a task lost its connection, or got none. Its machine may have been removed. */
function hasLostConnection(error: unknown): boolean {
  return breaksConnection(error) || (error instanceof Error && hasLostConnection(error.cause))
}

async function begin(client: PoolClient, text: string): Promise<PoolClient> {
  try {
    await client.query(text)
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}

const beginHolding = ({ id }: Shard) => `begin; select hold_shards(array[${id}]::bigint[], null)`

/** A connection whose statements name the tables of a shard. Its transactions keep the shard where it is. */
function onShardOf(client: PoolClient, shard: Shard): PoolClient {
  const renamed = (query: unknown): unknown => {
    if (typeof query === 'string') return renameTables(shard, query)
    const { text, name } = query as { text?: unknown; name?: string }
    if (typeof text !== 'string') return query
    return {
      ...(query as object),
      text: renameTables(shard, text),
      ...(name ? { name: `${name} ${shard.serial}` } : {}),
    }
  }
  const beginHere = async () => {
    try {
      return await client.query(beginHolding(shard))
    } catch (error) {
      // Whoever asked for a transaction that did not begin does not end it.
      if (sqlState(error) !== null) await client.query('rollback').catch(() => undefined)
      throw error
    }
  }
  const query = (first: unknown, second: unknown, third: unknown) =>
    textOf(first) === 'begin'
      ? beginHere()
      : (client.query as (...args: unknown[]) => unknown).call(client, renamed(first), second, third)
  const wrapped = Object.create(client, {
    query: { value: query },
    release: { value: (isBroken?: boolean) => client.release(isBroken) },
  }) as PoolClient
  followShard(wrapped, shard)
  return wrapped
}

function textOf(query: unknown): unknown {
  return typeof query === 'string' ? query : (query as { text?: unknown }).text
}

/** The connections of a pool to a shard, for work that reads and folds its companies. */
export function poolOfShard(pool: Pool, { machine, shard }: { machine: Machine; shard: Shard }): Pool {
  const { options } = clusterPools.get(pool)!
  return openPoolOf(async () => onShardOf(await machine.connect(options), shard), options)
}

/** Connections to a machine that send each `select` to all of these shards in one statement. */
export function poolOfShards(pool: Pool, machine: Machine, shards: Shard[]): Pool {
  const { options } = clusterPools.get(pool)!
  return openPoolOf(async () => onAllShards(await machine.connect(options), shards), options)
}

function onAllShards(client: PoolClient, shards: Shard[]): PoolClient {
  const query = (statement: string | { text: string; values?: unknown[] }, values?: unknown[]) => {
    const read = typeof statement === 'string' ? { text: statement, values } : statement
    // No name: the text changes with the placements.
    return client.query({ text: selectFromAll(shards, read.text), values: read.values ?? [] })
  }
  const release = (isBroken?: boolean) => client.release(isBroken)
  return { query, release, end: async () => (client as unknown as Client).end() } as unknown as PoolClient
}
