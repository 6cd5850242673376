import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/*
 * The Prometheus metrics. Labels are names of routes, projections and queues, and ids of a few companies. They never
 * contain personal data, and the set of their values is always bounded.
 */

const HTTP_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const APPEND_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const CALLS_TOGETHER = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const RECORDS_TOGETHER = [1, 10, 50, 100, 250, 500, 1_000, 5_000, 10_000]

/** The counts of a connection pool, with the names that `pg.Pool` gives them. */
export interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** The metrics of a process. `registry` holds their values. */
export type Metrics = ReturnType<typeof createMetrics>

function timeFolds(registers: Registry[]) {
  return new Histogram({
    name: 'employee_ledger_projection_batch_duration_seconds',
    help: "Time to fold a batch of a company's events",
    labelNames: ['projection'],
    buckets: APPEND_SECONDS,
    registers,
  })
}

function timeDeliveries(registers: Registry[]) {
  return new Histogram({
    name: 'employee_ledger_webhook_delivery_duration_seconds',
    help: 'Time until a receiver had answered a message of a webhook, or the attempt failed',
    labelNames: ['result'],
    buckets: HTTP_SECONDS,
    registers,
  })
}

/** Creates the metrics of a process. They cost next to nothing while they are not scraped. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    /** The connection pools of this process, by name. */
    pools: countPools(registry),
    /** Called before each scrape, to update values. They must not throw. */
    lookUps: [] as (() => Promise<void>)[],
    httpSeconds: new Histogram({
      name: 'employee_ledger_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its answer, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: HTTP_SECONDS,
      registers,
    }),
    refusals: new Counter({
      name: 'employee_ledger_refusals_total',
      help: 'Requests that were refused with 429, or with 503 because a waiting line was full, by the limit that they exceeded',
      labelNames: ['limit'],
      registers,
    }),
    appendSeconds: new Histogram({
      name: 'employee_ledger_append_duration_seconds',
      help: 'Time of an append transaction, from getting a connection to the end of COMMIT',
      buckets: APPEND_SECONDS,
      registers,
    }),
    appendCalls: new Histogram({
      name: 'employee_ledger_append_calls',
      help: 'Calls that shared an append transaction',
      buckets: CALLS_TOGETHER,
      registers,
    }),
    appendRecords: new Histogram({
      name: 'employee_ledger_append_records',
      help: 'Records of the calls that shared an append transaction',
      buckets: RECORDS_TOGETHER,
      registers,
    }),
    appendsPending: new Gauge({
      name: 'employee_ledger_append_calls_pending',
      help: 'Writing calls that wait for a transaction or are in one',
      registers,
    }),
    foldSeconds: timeFolds(registers),
    foldFailures: new Counter({
      name: 'employee_ledger_projection_failures_total',
      help: 'Batches of events that could not be folded; five failures in a row park the company',
      labelNames: ['projection'],
      registers,
    }),
    deliverySeconds: timeDeliveries(registers),
    erasures: new Counter({
      name: 'employee_ledger_erasures_total',
      help: 'People erased by this process: employees or users',
      labelNames: ['of'],
      registers,
    }),
    answersExpired: new Counter({
      name: 'employee_ledger_answers_expired_total',
      help: 'Stored answers of idempotency keys that have expired',
      registers,
    }),
    recordsRetired: new Counter({
      name: 'employee_ledger_records_retired_total',
      help: 'Refused records whose data was erased after the retention period',
      registers,
    }),
    unguardedTables: new Gauge({
      name: 'employee_ledger_unguarded_tables',
      help: 'Tables of events, on a cluster their shards, that lack a trigger which refuses changes',
      registers,
    }),
    checkpointFailures: new Counter({
      name: 'employee_ledger_checkpoint_failures_total',
      help: 'Checkpoints of a company that could not be written outside the database, or were refused',
      registers,
    }),
  }
}

/** Renders all values in Prometheus's text format. */
export async function renderMetrics({ registry, lookUps }: Metrics): Promise<string> {
  await Promise.all(lookUps.map((lookUp) => lookUp()))
  return registry.metrics()
}

function countPools(registry: Registry): Map<string, PoolCounts> {
  const pools = new Map<string, PoolCounts>()
  const connections = new Gauge({
    name: 'employee_ledger_pool_connections',
    help: 'Connections of a pool, by state: idle or used',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount }] of pools) {
        connections.set({ pool, state: 'idle' }, idleCount)
        connections.set({ pool, state: 'used' }, totalCount - idleCount)
      }
    },
  })
  const waiting = new Gauge({
    name: 'employee_ledger_pool_waiting',
    help: 'Requests that wait for a connection of a pool',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { waitingCount }] of pools) waiting.set({ pool }, waitingCount)
    },
  })
  return pools
}

/** Returns a function that records a round of checkpoints: its number of failures, and the time if there was none. */
export function trackCheckpoints({ registry, checkpointFailures }: Metrics): (failures: number) => void {
  const lastSuccess = new Gauge({
    name: 'employee_ledger_checkpoint_last_success_timestamp_seconds',
    help: 'When this process last finished a round of checkpoints without a failure; 0 if never',
    registers: [registry],
  })
  return (failures) => {
    checkpointFailures.inc(failures)
    if (failures === 0) lastSuccess.setToCurrentTime()
  }
}
