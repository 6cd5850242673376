import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/*
 * What Prometheus is told. Labels are names of routes, projections and queues, and ids of a few companies: never anything
 * personal, and never a set without a bound.
 */

const HTTP_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const APPEND_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const CALLS_TOGETHER = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const RECORDS_TOGETHER = [1, 10, 50, 100, 250, 500, 1_000, 5_000, 10_000]

/** What is known of a pool of connections; one of `pg` is such a thing. */
export interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** What the parts of a process count; the values stand in `registry`, from which they are told. */
export type Metrics = ReturnType<typeof openMetrics>

/** Makes the counters of a process. They cost next to nothing while nobody asks for them. */
export function openMetrics() {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    /** The pools of connections of this process, by name. */
    pools: countPools(registry),
    /** Brings values up to date that are looked up when somebody asks for them. None of them may throw. */
    lookUps: [] as (() => Promise<void>)[],
    httpSeconds: new Histogram({
      name: 'employee_ledger_http_request_duration_seconds',
      help: 'Time from the header of a request to the end of its answer, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: HTTP_SECONDS,
      registers,
    }),
    refusals: new Counter({
      name: 'employee_ledger_refusals_total',
      help: 'Requests that were turned away with 429, or with 503 for want of a turn, by the limit that they met',
      labelNames: ['limit'],
      registers,
    }),
    appendSeconds: new Histogram({
      name: 'employee_ledger_append_duration_seconds',
      help: 'Time of one appending transaction, from its connection to the end of COMMIT',
      buckets: APPEND_SECONDS,
      registers,
    }),
    appendCalls: new Histogram({
      name: 'employee_ledger_append_calls',
      help: 'Calls that shared one appending transaction',
      buckets: CALLS_TOGETHER,
      registers,
    }),
    appendRecords: new Histogram({
      name: 'employee_ledger_append_records',
      help: 'Records of the calls that shared one appending transaction',
      buckets: RECORDS_TOGETHER,
      registers,
    }),
    appendsPending: new Gauge({
      name: 'employee_ledger_append_calls_pending',
      help: 'Writing calls that wait for their transaction or are in it',
      registers,
    }),
    foldSeconds: new Histogram({
      name: 'employee_ledger_projection_batch_duration_seconds',
      help: 'Time of folding one batch of events of a company',
      labelNames: ['projection'],
      buckets: APPEND_SECONDS,
      registers,
    }),
    foldFailures: new Counter({
      name: 'employee_ledger_projection_failures_total',
      help: 'Batches of events that could not be folded; after five in a row the company is parked',
      labelNames: ['projection'],
      registers,
    }),
    erasures: new Counter({
      name: 'employee_ledger_erasures_total',
      help: 'People who were forgotten through this process, by whether they were employees or users',
      labelNames: ['of'],
      registers,
    }),
    answersExpired: new Counter({
      name: 'employee_ledger_answers_expired_total',
      help: 'Stored answers of idempotency keys that were forgotten for their age',
      registers,
    }),
    recordsRetired: new Counter({
      name: 'employee_ledger_records_retired_total',
      help: 'Refused records whose data were erased for their age',
      registers,
    }),
    ...replicaMetrics(registers),
    checkpointFailures: new Counter({
      name: 'employee_ledger_checkpoint_failures_total',
      help: 'Checkpoints of a company that could not be written outside the database, or were refused',
      registers,
    }),
  }
}

/** What is told where a replica is read. */
function replicaMetrics(registers: Registry[]) {
  return {
    reads: new Counter({
      name: 'employee_ledger_reads_total',
      help: 'Reads of the admin and audit endpoints and pages where there is a replica, by where they went and why',
      labelNames: ['place', 'reason'],
      registers,
    }),
    replicaLag: new Gauge({
      name: 'employee_ledger_replica_lag_seconds',
      help: 'The replica that this process reads has all that was committed so many seconds ago',
      labelNames: ['replica'],
      registers,
    }),
    replicaUsable: new Gauge({
      name: 'employee_ledger_replica_usable',
      help: 'Whether the replica is read: it answers, follows the primary, and is behind by no more than READ_STALENESS_MS',
      labelNames: ['replica'],
      registers,
    }),
  }
}

/** All values, in Prometheus' text format. */
export async function tellMetrics({ registry, lookUps }: Metrics): Promise<string> {
  await Promise.all(lookUps.map((lookUp) => lookUp()))
  return registry.metrics()
}

function countPools(registry: Registry): Map<string, PoolCounts> {
  const pools = new Map<string, PoolCounts>()
  const connections = new Gauge({
    name: 'employee_ledger_pool_connections',
    help: 'Connections of a pool, by whether they are in use',
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
    help: 'How many wait for a connection of a pool',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { waitingCount }] of pools) waiting.set({ pool }, waitingCount)
    },
  })
  return pools
}

/** Counts what a round of checkpoints came to, and tells when one was last without a failure. For who signs them. */
export function checkpointClock({ registry, checkpointFailures }: Metrics): (failures: number) => void {
  const lastSuccess = new Gauge({
    name: 'employee_ledger_checkpoint_last_success_timestamp_seconds',
    help: 'When this process was last through with a round of checkpoints without a failure; 0 is never',
    registers: [registry],
  })
  return (failures) => {
    checkpointFailures.inc(failures)
    if (failures === 0) lastSuccess.setToCurrentTime()
  }
}
