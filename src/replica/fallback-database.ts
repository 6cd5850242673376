import type { PostgresPoolClient } from 'kysely'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { isTransient, sqlState } from '../postgres/database-errors.ts'
import type { LedgerDb, LedgerTables } from '../ledger/tables.ts'

interface FallbackOptions {
  replica: Pool
  primary: Pool
  /** Aborted when the replica fails, which ends all waits for it. */
  failed: AbortSignal
  /** Called when a statement failed on the replica and is retried on the primary. */
  onFallback(error: unknown): void
}

/**
 * A query builder that reads from the replica. A statement that fails because of the replica is retried on the primary,
 * and all further statements go there too, so that a request never sees older data than before. For reads only, without
 * transactions.
 */
export function openFallbackDatabase({ replica, primary, failed, onFallback }: FallbackOptions): LedgerDb {
  let isOnPrimary = false
  const connect = async (): Promise<PostgresPoolClient> => {
    let client: PoolClient | undefined
    const query = async (text: string, values: unknown[]): Promise<QueryResult> => {
      if (!isOnPrimary) {
        try {
          return await ask(replica, failed, text, values)
        } catch (error) {
          if (!isReplicaError(error)) throw error
          isOnPrimary = true
          onFallback(error)
        }
      }
      client ??= await primary.connect()
      return client.query(text, values)
    }
    // No cursors: statements run one at a time.
    return { query, release: () => client?.release() } as unknown as PostgresPoolClient
  }
  return new Kysely<LedgerTables>({
    dialect: new PostgresDialect({ pool: { connect, end: async () => undefined, options: {} } }),
  })
}

/** The replica failed while a statement was running. */
class ReplicaFailedError extends Error {
  override name = 'ReplicaFailedError'
}

async function ask(replica: Pool, failed: AbortSignal, text: string, values: unknown[]): Promise<QueryResult> {
  if (failed.aborted) throw new ReplicaFailedError('the replica has failed')
  const client = await replica.connect()
  let stopWaiting: (() => void) | undefined
  const failure = new Promise<never>((_, reject) => {
    stopWaiting = () => reject(new ReplicaFailedError('the replica has failed'))
    failed.addEventListener('abort', stopWaiting, { once: true })
  })
  try {
    const result = await Promise.race([client.query(text, values), failure])
    client.release()
    return result
  } catch (error) {
    // Do not reuse a connection that is broken or still busy.
    client.release(isReplicaError(error))
    throw error
  } finally {
    failed.removeEventListener('abort', stopWaiting!)
  }
}

const QUERY_CANCELED = '57014'
const READ_ONLY = '25'
const NOT_THERE_YET = '42'

/**
 * Whether the primary may be able to answer what the replica could not: the replica failed, canceled the statement
 * because of WAL replay (class 40), or has not replayed a migration. A statement that times out or writes would fail on
 * the primary too.
 */
function isReplicaError(error: unknown): boolean {
  if (error instanceof ReplicaFailedError) return true
  const state = sqlState(error)
  if (state === QUERY_CANCELED || state?.startsWith(READ_ONLY)) return false
  return isTransient(error) || (state?.startsWith(NOT_THERE_YET) ?? false)
}

/** Whether an error means that the replica itself is unhealthy, not only this statement. */
export function isReplicaFailure(error: unknown): boolean {
  const state = sqlState(error)
  return isReplicaError(error) && !(state !== null && /^(?:40|42|55)/.test(state))
}
