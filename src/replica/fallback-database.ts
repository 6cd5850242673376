import type { PostgresPoolClient } from 'kysely'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { isOfTheServer, sqlState } from '../postgres/database-errors.ts'
import type { LedgerDb, LedgerTables } from '../ledger/tables.ts'

export interface FallbackOptions {
  replica: Pool
  primary: Pool
  /** Aborted when the replica has failed: whoever waits for it then waits no longer. */
  failed: AbortSignal
  /** Told when a statement failed on the replica and goes to the primary. */
  onFallback(error: unknown): void
}

/**
 * A query builder that reads from the replica. A statement that fails there for a reason of the replica's own is run again on
 * the primary, and so are all that follow: what one request sees never goes back. For reading statements alone, without
 * transactions.
 */
export function openFallbackDatabase({ replica, primary, failed, onFallback }: FallbackOptions): LedgerDb {
  let isOnPrimary = false
  const connect = async (): Promise<PostgresPoolClient> => {
    let own: PoolClient | undefined
    const query = async (text: string, values: unknown[]): Promise<QueryResult> => {
      if (!isOnPrimary) {
        try {
          return await ask(replica, failed, text, values)
        } catch (error) {
          if (!isOfReplica(error)) throw error
          isOnPrimary = true
          onFallback(error)
        }
      }
      own ??= await primary.connect()
      return own.query(text, values)
    }
    // Statements are run one by one, without cursors.
    return { query, release: () => own?.release() } as unknown as PostgresPoolClient
  }
  return new Kysely<LedgerTables>({
    dialect: new PostgresDialect({ pool: { connect, end: async () => undefined, options: {} } }),
  })
}

/** The replica has failed while a statement was under way. */
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
    // What may still be under way on it, or has broken it, is not given to the next.
    client.release(isOfReplica(error))
    throw error
  } finally {
    failed.removeEventListener('abort', stopWaiting!)
  }
}

const QUERY_CANCELED = '57014'
const READ_ONLY = '25'
const NOT_THERE_YET = '42'

/**
 * Whether the primary may well answer what the replica did not: it broke down, or it cancelled the statement to go on
 * replaying the log (class 40), or it has not replayed a migration. A statement that takes too long, or writes, is no better
 * off there.
 */
export function isOfReplica(error: unknown): boolean {
  if (error instanceof ReplicaFailedError) return true
  const state = sqlState(error)
  if (state === QUERY_CANCELED || state?.startsWith(READ_ONLY)) return false
  return isOfTheServer(error) || (state?.startsWith(NOT_THERE_YET) ?? false)
}

/** Whether a failure tells that the replica itself is not well, not only this statement on it. */
export function meansReplicaFailed(error: unknown): boolean {
  const state = sqlState(error)
  return isOfReplica(error) && !(state !== null && /^(?:40|42|55)/.test(state))
}
