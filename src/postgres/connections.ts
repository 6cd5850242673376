/*
 * The connections of the program's parts, apart from the pool for reads.
 */

/**
 * The settings of connections for appends and folds. They only look rows up by key, so a plan made while a table was
 * small must not stay in use. A 2xx answer promises durability, whatever the defaults of the role or database are. One
 * plan serves any number of rows; by default, PostgreSQL would plan lookups through arrays each time.
 */
export const LOOK_UP_ONLY = {
  synchronous_commit: 'on',
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/**
 * For appends: one for small calls, one for each lane, as many for companies whose head another process has locked, two
 * for reading calls, and one for key lookups.
 */
export const appendConnections = (lanes: number) => 2 * lanes + 4

/** Connections of an API process for what must always answer; searches and exports do not use them. */
export const ACCESS_CONNECTIONS = 4

/** Connections of the job queues. */
export const QUEUE_CONNECTIONS = { api: 2, worker: 6 }

/** Connections of a worker process for deliveries to webhooks. */
export const DELIVERY_CONNECTIONS = 4

/** Connections of a worker process for sending email, if it does. */
export const MAIL_CONNECTIONS = 2

/** Connections of a worker process for publishing checkpoints to witnesses, if there are any. */
export const WITNESS_CONNECTIONS = 2

/** Transactions in which a worker process applies parts of uploaded files, side by side. */
export const UPLOAD_LANES = 1

/** Connections of a process to a machine of a cluster, besides those for work: where companies are, presence, metrics. */
export const MACHINE_CONNECTIONS = 3

/** The maximum number of connections of each kind of process. */
export function connectionsOf(settings: {
  POOL_SIZE: number
  LANES: number
  SMTP_URL?: string
  WITNESS_URLS?: string
}) {
  const { POOL_SIZE: reading, LANES: lanes, SMTP_URL: mail, WITNESS_URLS: witnesses } = settings
  const sending = (mail === undefined ? 0 : MAIL_CONNECTIONS) + (witnesses === undefined ? 0 : WITNESS_CONNECTIONS)
  // Four are for folding two projections, recording checkpoints, and listening for jobs.
  const working = QUEUE_CONNECTIONS.worker + DELIVERY_CONNECTIONS + appendConnections(UPLOAD_LANES) + 4
  return {
    api: reading + ACCESS_CONNECTIONS + appendConnections(lanes) + QUEUE_CONNECTIONS.api,
    worker: reading + working + sending,
  }
}
