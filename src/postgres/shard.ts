import { MovedError, sqlState } from './database-errors.ts'
import type { QueryClient, Statement, WhenLocked } from './query-client.ts'

/*
 * On a cluster, statements for a company go to the machine that has its shard, and name the tables of the shard
 * (`heads_102008`) instead of the distributed ones (`heads`). PostgreSQL then plans them as on a single machine, once
 * for each connection, and Citus isn't involved in running them. What keeps a shard where it is meanwhile is
 * `hold_shards` (hold-shards.ts).
 */

/** The tables of the companies whose hashes fall into one range. They are all on one machine. */
export interface Shard {
  /** The shard of `heads`. */
  id: string
  /** The group of its machine, in Citus's words. */
  group: number
  /** The shard's tables by the names of the distributed ones, both with their schemas unless that is `public`. */
  tables: ReadonlyMap<string, string>
  /** Differs from that of every other shard, also of this one with other tables. Names statements. */
  serial: number
  /** Texts that were renamed before. */
  renamed: Map<string, string>
}

/** A table after the keyword that precedes it, and the next word, which may be an alias. */
const TABLE =
  /\b(from|join|into|update|using)(\s+)("?[a-z_]\w*"?(?:\."?[a-z_]\w*"?)?)(?=(\s+(?:as\s+)?"?([a-z_]\w*))?)/gi
/** Words that may follow a table without an alias. */
const NO_ALIAS = new Set([
  'where',
  'set',
  'join',
  'inner',
  'left',
  'right',
  'full',
  'cross',
  'on',
  'order',
  'group',
  'limit',
  'offset',
  'for',
  'using',
  'values',
  'select',
  'returning',
  'union',
  'except',
  'intersect',
  'having',
  'default',
  'with',
])
/** The number of texts that are kept; statements with a varying number of values are not repeated. */
const MAX_RENAMED = 500

/** The text of a statement with the tables of a shard. */
export function renameTables(shard: Shard, text: string): string {
  const rewritten = shard.renamed.get(text)
  if (rewritten !== undefined) return rewritten
  const renamed = text.replace(
    TABLE,
    (match: string, keyword: string, space: string, named: string, _: string, next: string | undefined) => {
      const name = named.replaceAll('"', '').replace(/^public\./, '')
      const table = shard.tables.get(name)
      if (table === undefined) return match
      // Columns may be qualified with the name of the table.
      const alias = next === undefined || NO_ALIAS.has(next.toLowerCase()) ? ` as "${name.split('.').at(-1)}"` : ''
      return `${keyword}${space}${table}${alias}`
    },
  )
  if (shard.renamed.size < MAX_RENAMED) shard.renamed.set(text, renamed)
  return renamed
}

/** The text of a `select` that returns the rows of all these shards. */
export function selectFromAll(shards: Shard[], text: string): string {
  return shards.map((shard) => `(${renameTables(shard, text)})`).join(' union all ')
}

const followers = new WeakMap<object, Shard>()

/** Marks a connection whose statements name the tables of a shard. */
export function followShard(client: object, shard: Shard): void {
  followers.set(client, shard)
}

/** The shard that the statements of a connection name; undefined if they name none. */
export function shardBehind(client: object): Shard | undefined {
  return followers.get(client)
}

/** Enough for a lock that is not contended. */
const PATIENCE = '20ms'
/** The SQLSTATE with which `hold_shards` gives up waiting for a shard. */
const MOVING = 'EL001'

/** Whether a transaction that did not want to wait met a shard that is being moved. */
export function isMoving(error: unknown): boolean {
  return sqlState(error) === MOVING
}

/** Keeps shards on this machine until the transaction ends. Unless `wait` is set, waits for a moment only. */
export function holdShards(client: QueryClient, shards: Shard[], whenLocked: WhenLocked): Promise<unknown> {
  return client.query({
    name: 'hold-shards',
    text: 'select hold_shards($1::bigint[], $2)',
    values: [idsOf(shards), whenLocked === 'wait' ? null : PATIENCE],
  })
}

/**
 * Throws MovedError if a shard is not on this machine. Sent after statements that read shards, it proves that
 * what they read was not left behind by a move.
 */
export async function assertShardsHere(client: QueryClient, shards: Shard[]): Promise<void> {
  const { rows } = await client.query({
    name: 'shards-here',
    text: 'select from pg_dist_placement where shardid = any($1::bigint[]) and groupid = $2',
    values: [idsOf(shards), String(shards[0]!.group)],
  })
  if (rows.length < shards.length) throw new MovedError('a shard is on another machine')
}

const idsOf = (shards: Shard[]) => `{${shards.map(({ id }) => id).join(',')}}`

/** A statement with the tables of a shard, under a name of its own. */
export function onShard(shard: Shard, { name, text, values }: Statement): Statement {
  const renamed = renameTables(shard, text)
  return {
    name: renamed === text || name === '' ? name : `${name} ${shard.serial}`,
    text: renamed,
    ...(values ? { values } : {}),
  }
}
