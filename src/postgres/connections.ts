/*
 * How the parts of the program connect, beside the pool for reading.
 */

// Appends and folds look rows up by their keys and nothing else; a plan that was made while a table was small must not stay.
// A 2xx answer means durable, whatever the role's or the database's default is.
const LOOK_UP_ONLY = {
  synchronous_commit: 'on',
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/**
 * The settings of connections for appends and folds. One plan serves any number of rows: without being told so, PostgreSQL
 * plans the look-ups through arrays anew each time, which was a sixth of the time of a transaction with one call. Citus has to
 * know the company to find its machine, so there each is planned anew.
 */
export function lookUpOnly(isDistributed: boolean): Record<string, string> {
  return isDistributed ? LOOK_UP_ONLY : { ...LOOK_UP_ONLY, plan_cache_mode: 'force_generic_plan' }
}

/**
 * Of appends: one for small calls, one for each lane, as many for companies whose head another process holds, two for
 * reading calls, and one to look keys up.
 */
export const appendConnections = (lanes: number) => 2 * lanes + 4

/** For what must always answer, in an API process: no search and no export takes them. */
export const ACCESS_CONNECTIONS = 4

/** Of the queues. */
export const QUEUE_CONNECTIONS = { api: 2, worker: 6 }

/** How many connections processes of each kind open at most. */
export function connectionsOf(settings: { POOL_SIZE: number; LANES: number; READ_DATABASE_URL?: string }) {
  const { POOL_SIZE: reading, LANES: lanes, READ_DATABASE_URL: replica } = settings
  // One that asks how far ahead of its replica the database is.
  const watching = replica === undefined ? 0 : 1
  // A worker folds two projections, records checkpoints and listens for jobs on connections of their own.
  return {
    api: reading + ACCESS_CONNECTIONS + appendConnections(lanes) + QUEUE_CONNECTIONS.api + watching,
    worker: reading + QUEUE_CONNECTIONS.worker + 4,
  }
}
