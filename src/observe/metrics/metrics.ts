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

/** Makes metrics in one registry, under names of this program. */
function openRegistry() {
  const registry = new Registry()
  function describe<Label extends string>(name: string, help: string, labelNames: Label[]) {
    return { name: `employee_ledger_${name}`, help, labelNames, registers: [registry] }
  }
  return {
    registry,
    makeCounter<Label extends string>(name: string, help: string, labelNames: Label[] = []) {
      return new Counter(describe(name, help, labelNames))
    },
    makeGauge<Label extends string>(name: string, help: string, labelNames: Label[] = []) {
      return new Gauge(describe(name, help, labelNames))
    },
    makeHistogram<Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[] = []) {
      return new Histogram({ ...describe(name, help, labelNames), buckets })
    },
  }
}

/** Creates the metrics of a process. They cost next to nothing while they are not scraped. */
export function createMetrics() {
  const { registry, makeCounter, makeGauge, makeHistogram } = openRegistry()
  return {
    registry,
    makeGauge,
    /** The connection pools of this process, by name. */
    pools: new Map<string, PoolCounts>(),
    /** Called before each scrape, to update values. They must not throw. */
    lookUps: [] as (() => Promise<void>)[],
    poolConnections: makeGauge('pool_connections', 'Connections of a pool, by state: idle or used', ['pool', 'state']),
    poolWaiting: makeGauge('pool_waiting', 'Requests that wait for a connection of a pool', ['pool']),
    httpSeconds: makeHistogram(
      'http_request_duration_seconds',
      'Time from the headers of a request to the end of its answer, by route and status',
      HTTP_SECONDS,
      ['method', 'route', 'status'],
    ),
    refusals: makeCounter(
      'refusals_total',
      'Requests that were refused with 429, or with 503 because a waiting line was full, by the limit that they ' +
        'exceeded',
      ['limit'],
    ),
    appendSeconds: makeHistogram(
      'append_duration_seconds',
      'Time of an append transaction, from getting a connection to the end of COMMIT',
      APPEND_SECONDS,
    ),
    appendCalls: makeHistogram('append_calls', 'Calls that shared an append transaction', CALLS_TOGETHER),
    appendRecords: makeHistogram(
      'append_records',
      'Records of the calls that shared an append transaction',
      RECORDS_TOGETHER,
    ),
    appendsPending: makeGauge('append_calls_pending', 'Writing calls that wait for a transaction or are in one'),
    foldSeconds: makeHistogram(
      'projection_batch_duration_seconds',
      "Time to fold a batch of a company's events",
      APPEND_SECONDS,
      ['projection'],
    ),
    foldFailures: makeCounter(
      'projection_failures_total',
      'Batches of events that could not be folded; five failures in a row park the company',
      ['projection'],
    ),
    deliverySeconds: makeHistogram(
      'webhook_delivery_duration_seconds',
      'Time until a receiver had answered a message of a webhook, or the attempt failed',
      HTTP_SECONDS,
      ['result'],
    ),
    erasures: makeCounter('erasures_total', 'People erased by this process: employees or users', ['of']),
    answersExpired: makeCounter('answers_expired_total', 'Stored answers of idempotency keys that have expired'),
    recordsRetired: makeCounter(
      'records_retired_total',
      'Refused records whose data was erased after the retention period',
    ),
    unguardedTables: makeGauge(
      'unguarded_tables',
      'Tables of events, on a cluster their shards, that lack a trigger which refuses changes',
    ),
    checkpointFailures: makeCounter(
      'checkpoint_failures_total',
      'Checkpoints of a company that could not be written outside the database, or were refused',
    ),
  }
}

/** Renders all values in Prometheus's text format. */
export async function renderMetrics(metrics: Metrics) {
  const { registry, lookUps, pools, poolConnections, poolWaiting } = metrics
  for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
    poolConnections.set({ pool, state: 'idle' }, idleCount)
    poolConnections.set({ pool, state: 'used' }, totalCount - idleCount)
    poolWaiting.set({ pool }, waitingCount)
  }
  await Promise.all(lookUps.map((lookUp) => lookUp()))
  return registry.metrics()
}

/** Returns a function that records a round of checkpoints: its number of failures, and the time if there was none. */
export function trackCheckpoints({ makeGauge, checkpointFailures }: Metrics): (failures: number) => void {
  const lastSuccess = makeGauge(
    'checkpoint_last_success_timestamp_seconds',
    'When this process last finished a round of checkpoints without a failure; 0 if never',
  )
  return (failures) => {
    checkpointFailures.inc(failures)
    if (failures === 0) lastSuccess.setToCurrentTime()
  }
}
