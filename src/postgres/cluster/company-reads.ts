import pg from 'pg'
import type { Client, Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'
import { pipeline, UNNAMED } from '../pipeline.ts'
import type { Answer } from '../query-client.ts'
import type { Shard } from '../shard.ts'
import { assertShardsHere, onShard } from '../shard.ts'
import type { Cluster } from './cluster.ts'
import { clusterOf, followMoves, openPoolOf } from './company-connections.ts'
import { currentCompany } from './company-scope.ts'

/**
 * The same connections, for reads of the company that the running code works for, and nothing of other companies. On a
 * cluster, each `select` names the tables of the company's shard, and is sent after the company if it has moved on. All
 * other statements are sent unchanged.
 */
export function openReads(pool: Pool): Pool {
  const cluster = clusterOf(pool)
  if (!cluster) return pool
  return openPoolOf(async () => {
    const companyId = currentCompany()
    return companyId === null ? pool.connect() : readerOf(cluster, companyId, pool)
  }, pool.options)
}

interface Read {
  name?: string
  text: string
  values: unknown[]
}

/** How node-postgres sends a value, which its types leave out. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Buffer | string | null } }).utils

const SELECT = /^\s*select\b/i

/** What the reads of a company use of a connection. It is taken when the first statement is sent. */
function readerOf(cluster: Cluster, companyId: string, pool: Pool): PoolClient {
  let client: PoolClient | undefined
  const release = (isBroken?: boolean) => {
    client?.release(isBroken)
    client = undefined
  }
  const query = (statement: Read) =>
    followMoves(cluster, companyId, async () => {
      const { shard } = cluster.find(companyId)
      try {
        client ??= await pool.connect()
        if (!SELECT.test(statement.text)) return await client.query(statement)
        return await readOn(client, shard, statement)
      } catch (error) {
        release(true)
        throw error
      }
    })
  return { query, release, end: async () => (client as Client | undefined)?.end() } as unknown as PoolClient
}

/** Reads in one round trip, and makes sure that what was read is not what a move has left behind. */
async function readOn(client: PoolClient, shard: Shard, read: Read): Promise<QueryResult | Answer<QueryResultRow>> {
  const { name, text } = onShard(shard, { name: read.name ?? UNNAMED, text: read.text })
  if (text === read.text) return client.query(read)
  const values = read.values.map(prepareValue)
  const [answer] = await pipeline(client, (pipe) =>
    Promise.all([pipe.query({ name, text, values }), assertShardsHere(pipe, [shard])]),
  )
  return answer
}
