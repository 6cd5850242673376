import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { BACKGROUND_WORK } from '#domain/attention-kinds'
import {
  type ProjectionStanding,
  readStanding,
  readTimesAhead,
  readWorstCompanies,
  type QueueDepth,
  readFailingWitnesses,
} from '#ledger/read/read-standings'
import { summarizeFailingWork } from '#ledger/background/failing-work'
import type { Metrics } from './metrics.ts'
import type { LedgerDb } from '#ledger/tables'
import { isLeftOver, listMachines, onMachine, type MachineAddress } from '#postgres/machine-address'

/** The number of companies that are listed per projection. */
const NAMED_COMPANIES = 5
/** Below the scrape timeout of Prometheus. */
const LOOK_UP_MS = 5_000

interface WatchedDatabase {
  pool: Pool
  projections: readonly { name: string; version: number }[]
  queueDepths(): Promise<QueueDepth[]>
}

/**
 * Reports the lag of the projections across the whole installation, and the depth of the queues. The values are read
 * for each scrape, and missing while the database, or a machine of a cluster, does not answer.
 */
export function watchDatabase(metrics: Metrics, { pool, projections, queueDepths }: WatchedDatabase): void {
  const gauges = createGauges(metrics)
  const isUp = metrics.makeGauge('database_up', 'Whether the database answered the last time these values were read')
  const lookUp = async () => {
    const standings = await Promise.all(projections.map((projection) => readStanding(pool, projection)))
    const worst = await Promise.all(
      projections.map((projection) => readWorstCompanies(pool, projection, NAMED_COMPANIES)),
    )
    const queues = await queueDepths()
    const witnesses = await readFailingWitnesses(pool)
    const failing = await summarizeFailingWork(pool)
    const times = await readTimesAhead(pool)
    resetGauges(gauges)
    for (const standing of standings) setStanding(gauges, standing)
    for (const [at, companies] of worst.entries()) {
      for (const { company_id: company, events, seconds } of companies) {
        gauges.companyEvents.set({ projection: projections[at]!.name, company }, events)
        gauges.companySeconds.set({ projection: projections[at]!.name, company }, seconds)
      }
    }
    for (const { witness, fault, companies } of witnesses) gauges.witnesses.set({ witness, fault }, companies)
    for (const work of Object.keys(BACKGROUND_WORK)) gauges.failingWork.set({ work }, 0)
    for (const { work, companies } of failing) gauges.failingWork.set({ work }, companies)
    gauges.timesAhead.set(times.seconds)
    gauges.clockAhead.set(times.clockSeconds)
    for (const { name: queue, waiting, active } of queues) {
      gauges.jobs.set({ queue, state: 'waiting' }, waiting)
      gauges.jobs.set({ queue, state: 'active' }, active)
    }
    return true
  }
  metrics.lookUps.push(async () => {
    const answered = await Promise.race([lookUp().catch(() => false), pause(LOOK_UP_MS, false, { ref: false })])
    // Old values would hide the failure.
    if (!answered) resetGauges(gauges)
    isUp.set(answered ? 1 : 0)
  })
}

type Gauges = ReturnType<typeof createGauges>

function createGauges({ makeGauge: gauge }: Metrics) {
  return {
    lagEvents: gauge('projection_lag_events', 'Events that a projection has not folded, across all companies', [
      'projection',
    ]),
    lagSeconds: gauge('projection_lag_seconds', 'The age of the oldest event that a projection has not folded', [
      'projection',
    ]),
    behind: gauge('projection_lagging_companies', 'Companies with events that a projection has not folded', [
      'projection',
    ]),
    parked: gauge('projection_parked_companies', 'Companies whose events a projection cannot fold', ['projection']),
    witnesses: gauge(
      'witness_failing_companies',
      'Companies whose checkpoints a witness does not cosign, because it is unavailable, or disputes the ledger',
      ['witness', 'fault'],
    ),
    failingWork: gauge(
      'failing_work_companies',
      'Companies for which background work fails; a scheduled job counts as one',
      ['work'],
    ),
    complete: gauge(
      'projection_complete',
      'Whether the tables of a projection may be read: 0 while they are filled for the first time',
      ['projection'],
    ),
    companyEvents: gauge(
      'projection_company_lag_events',
      'Events that a projection has not folded, for the companies with the most',
      ['projection', 'company'],
    ),
    companySeconds: gauge(
      'projection_company_lag_seconds',
      'The age of the oldest event that a projection has not folded, for the companies with the most',
      ['projection', 'company'],
    ),
    timesAhead: gauge(
      'recorded_time_ahead_seconds',
      "How far the latest recorded time is ahead of the database's clock, in seconds; 0 if it is not ahead",
    ),
    clockAhead: gauge(
      'database_clock_ahead_seconds',
      "How far the database's clock is ahead of the clock of this process, in seconds; negative if it is behind",
    ),
    jobs: gauge('queue_jobs', 'Jobs in a queue, by state: waiting or active', ['queue', 'state']),
  }
}

function resetGauges(gauges: Gauges) {
  for (const gauge of Object.values(gauges)) gauge.reset()
}

function setStanding(gauges: Gauges, standing: ProjectionStanding) {
  const labels = { projection: standing.projection }
  gauges.lagEvents.set(labels, standing.events_behind)
  gauges.lagSeconds.set(labels, standing.seconds_behind ?? 0)
  gauges.behind.set(labels, standing.lagging)
  gauges.parked.set(labels, standing.parked_companies)
  gauges.complete.set(labels, standing.is_complete ? 1 : 0)
}

/**
 * Reports on each machine of a cluster, for each scrape. Without a cluster, there are no values. `url` names the
 * coordinator.
 */
export function watchMachines({ makeGauge, lookUps }: Metrics, db: LedgerDb, url: string): void {
  const up = makeGauge('machine_up', 'Whether a machine of the cluster answers', ['machine'])
  const left = makeGauge('prepared_transactions_left', 'Prepared transactions older than a minute, which hold locks', [
    'machine',
  ])
  lookUps.push(async () => {
    const answers = await askMachines(db, url).catch(() => [])
    for (const one of [up, left]) one.reset()
    for (const { name: machine, leftOver } of answers) {
      up.set({ machine }, leftOver === null ? 0 : 1)
      if (leftOver !== null) left.set({ machine }, leftOver)
    }
  })
}

/** Asks each machine of the cluster for its prepared transactions that a crash has left: null if it does not answer. */
export async function askMachines(db: LedgerDb, url: string): Promise<{ name: string; leftOver: number | null }[]> {
  const machines = await listMachines(db, url)
  return Promise.all(machines.map(async (machine) => ({ name: machine.name, leftOver: await countLeftOver(machine) })))
}

function countLeftOver(machine: MachineAddress) {
  return onMachine(machine, 'employee-ledger metrics', async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_prepared_xacts where ${isLeftOver()}`,
    )
    return rows[0]!.count
  }).catch(() => null)
}
