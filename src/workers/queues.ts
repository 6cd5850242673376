import type { Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import { PROJECTIONS } from '#projections/index'
import type { Projection } from '#projections/projection'
import { nameStatements } from '#postgres/name-statements'
import { connectionTo } from '#postgres/session-settings'
import type { DueWork } from './watch-standstill.ts'

/** The name of a projection's queue. */
export function queueOf(projection: Pick<Projection, 'name'>) {
  return `project-${projection.name}`
}

/** The dead letter queue, which shows operators the parked companies. */
export function deadLetterOf(projection: Pick<Projection, 'name'>) {
  return `${queueOf(projection)}-parked`
}

/** Change this whenever `createQueues` changes, so that a database with older queues is noticed. */
export const QUEUES_VERSION = 'pg-boss 12, queues 14'

const SCHEMA = 'pgboss'
// A job is only a hint, and the sweep makes up for a lost one, so commits need not wait for the disk. A plan made while
// a queue was empty must not read all of a full one. So one plan is good for all of them, and making it takes a third
// of taking and ending a job.
const CONNECTION_SETTINGS = {
  synchronous_commit: 'off',
  jit: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
}
// Waiting for a table lock would block the workers behind it; `migrate` retries instead.
const SET_UP_SETTINGS = { lock_timeout: '2s' }
const JOB_EXPIRES_SECONDS = 300
const DONE_JOBS_KEPT_SECONDS = 600
const UNDONE_JOBS_KEPT_SECONDS = 86_400
const PARKED_JOBS_KEPT_SECONDS = 30 * 86_400
const RETRIES = 3

/**
 * How often a worker asks for jobs, in seconds. Every queue notifies its workers, so they ask only for jobs that are
 * tried again or whose notification was lost, and more often where they can't listen.
 */
export const POLLING = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 15 }
/** How often pg-boss looks for jobs that depend on others, in seconds. There are none. */
const DEPENDENCIES_SECONDS = 86_400

/**
 * The scheduled job that deletes expired answers of idempotency keys, old traces, ended sessions, and records of old
 * messages and deliveries.
 */
export const DELETE_EXPIRED = 'delete-expired'

/** The scheduled job that retires old refused records. */
export const RETIRE_RECORDS = 'retire-records'

/** The queue of companies that may have email messages to send. */
export const SEND_EMAILS = 'send-emails'
/** The queue of companies that may have uploads to preview or apply. */
export const RUN_UPLOADS = 'run-uploads'
/** The queue of companies that may have an evidence file to be made. */
export const MAKE_EVIDENCE = 'make-evidence-files'
/** The queues whose jobs announce what may have something to do. */
const ANNOUNCED = [SEND_EMAILS, RUN_UPLOADS, MAKE_EVIDENCE]

/** The scheduled job that looks for what begins or stops needing attention. */
export const CHECK_ATTENTION = 'check-attention'

/** The scheduled job that appends sign-ins to the ledger that are not in it yet. */
export const RECORD_SIGN_INS = 'record-sign-ins'

/** The scheduled job that publishes checkpoints to witnesses. */
export const PUBLISH_CHECKPOINTS = 'publish-checkpoints'

/** The scheduled job that indexes records that changed nothing. */
export const INDEX_UNCHANGED = 'index-unchanged'

const EVERY_MINUTE = '* * * * *'
const SCHEDULES = {
  [PUBLISH_CHECKPOINTS]: EVERY_MINUTE,
  [RECORD_SIGN_INS]: EVERY_MINUTE,
  [CHECK_ATTENTION]: EVERY_MINUTE,
  [DELETE_EXPIRED]: '7 * * * *',
  [RETIRE_RECORDS]: '37 * * * *',
  [INDEX_UNCHANGED]: '*/15 * * * *',
}

/** The names of the queues whose jobs workers run: all but the dead letter queues. */
export function workedQueueNames() {
  return [...PROJECTIONS.map(queueOf), ...ANNOUNCED, ...Object.keys(SCHEDULES)]
}

/** The names of all queues. */
export function queueNames(): string[] {
  return [...workedQueueNames(), ...PROJECTIONS.map(deadLetterOf)]
}

/**
 * Creates pg-boss's tables and the queues of all projections. Run as the database's owner; safe to repeat. Fails with
 * `lock_not_available` if a table stays in use.
 */
export async function createQueues(ownerUrl: string): Promise<void> {
  // The workers create the scheduler's own queue when they start scheduling.
  const boss = new PgBoss({
    ...connectionTo(ownerUrl, SET_UP_SETTINGS),
    schema: SCHEMA,
    supervise: false,
    schedule: false,
    max: 2,
  })
  boss.on('error', () => undefined)
  await boss.start()
  try {
    const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
    // Creating a queue waits up to 30 seconds for locks, so skip those that exist.
    const create = async (name: string, options: Parameters<typeof boss.createQueue>[1]) => {
      if (!existing.has(name)) await boss.createQueue(name, options)
    }
    for (const projection of PROJECTIONS) {
      const dead = { retentionSeconds: PARKED_JOBS_KEPT_SECONDS, deleteAfterSeconds: PARKED_JOBS_KEPT_SECONDS }
      await create(deadLetterOf(projection), dead)
      // A table of its own keeps the queue's statistics good, whatever the other queues do.
      await create(queueOf(projection), { partition: true, ...WORKED })
    }
    for (const name of ANNOUNCED) await create(name, WORKED)
    for (const [name, cron] of Object.entries(SCHEDULES)) {
      await create(name, WORKED)
      // Version 1.0.0 created some of these queues without notifications.
      if (existing.get(name)?.notify === false) await boss.updateQueue(name, { notify: true })
      await boss.schedule(name, cron)
    }
    // Version 1.0.0 had a job of its own for what DELETE_EXPIRED also does now.
    await boss.unschedule('expire-deliveries')
  } finally {
    await boss.stop({ graceful: false })
  }
}

const WORKED = {
  notify: true,
  expireInSeconds: JOB_EXPIRES_SECONDS,
  deleteAfterSeconds: DONE_JOBS_KEPT_SECONDS,
  retentionSeconds: UNDONE_JOBS_KEPT_SECONDS,
  retryLimit: RETRIES,
  retryBackoff: true,
}

/** How often to reconnect if LISTEN is unavailable. */
const LISTEN_TRIES = 3
const CANNOT_LISTEN = 'listen_notify_unavailable'

interface QueueOptions {
  works: boolean
  connections: number
  onError(error: Error): void
}

/**
 * Connects to the queues. `works` also maintains them and listens for new jobs. If pg-boss cannot listen at its start,
 * it polls for as long as it runs, so it is restarted a few times. If listening stays impossible, for example behind a
 * connection pooler, `onError` is called and polling continues.
 */
export async function openQueues(url: string, options: QueueOptions): Promise<PgBoss> {
  for (let tries = 1; ; tries += 1) {
    const boss = createBoss(url, options)
    let listenError: string | undefined
    boss.on('warning', ({ message, data }) => {
      if ((data as { type?: string }).type === CANNOT_LISTEN) listenError = message
    })
    boss.on('error', options.onError)
    // Its connections may close a little later, and break before that.
    boss.once('stopped', () => void boss.off('error', options.onError).on('error', () => undefined))
    await boss.start()
    if (listenError === undefined) return boss
    options.onError(new Error(listenError))
    if (tries === LISTEN_TRIES) return boss
    await boss.stop({ graceful: false })
  }
}

/** How long a statement of pg-boss may take, in milliseconds; its maintenance takes the longest. */
const ANSWERS_WITHIN_MS = 60_000

const IDLE_CONNECTIONS_KEPT_MS = 60_000

function createBoss(url: string, { works, connections }: QueueOptions) {
  // pg-boss hands all of these to node-postgres; its types know only some.
  const connection = {
    ...connectionTo(url, CONNECTION_SETTINGS),
    // A server that dies silently must not hold up the loops that fetch jobs.
    keepAlive: true,
    query_timeout: ANSWERS_WITHIN_MS,
    // A worker's next question needs no new connection.
    idleTimeoutMillis: IDLE_CONNECTIONS_KEPT_MS,
  }
  const boss = new PgBoss({
    ...connection,
    schema: SCHEMA,
    application_name: 'employee-ledger jobs',
    max: connections,
    migrate: false,
    createSchema: false,
    supervise: works,
    schedule: works,
    reindex: false,
    flowIntervalSeconds: DEPENDENCIES_SECONDS,
    useListenNotify: works,
  })
  prepareStatements(boss.getDb())
  return boss
}

/** pg-boss repeats few statements. A connection parses and plans each once, because it gets a name. */
function prepareStatements(db: QueueDb) {
  const nameOf = nameStatements()
  db.executeSql = (text, values = []) => {
    const name = values.length > 0 ? nameOf(text) : undefined
    return db.pool!.query({ text, values, ...(name === undefined ? {} : { name }) })
  }
}

/** pg-boss does not document its pool, which exists once it has started. */
type QueueDb = ReturnType<PgBoss['getDb']> & { pool?: Pool }

/** Lists the scheduled jobs of every minute that have not begun for as long as one may run. */
export async function listMissedJobs(pool: Pool): Promise<DueWork[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select s.name from ${SCHEMA}.schedule s where s.cron = $1 and not exists (select from ${SCHEMA}.job j
       where j.name = s.name and j.started_on > statement_timestamp() - make_interval(secs => $2))`,
    [EVERY_MINUTE, JOB_EXPIRES_SECONDS],
  )
  return rows.map(({ name }) => ({ companyId: null, work: 'jobs', subject: name, trace: '' }))
}

/** The queues' connection pool, by name, for metrics; empty if it is missing. */
export function queuePool(name: string, boss: PgBoss): Record<string, Pool> {
  const { pool }: QueueDb = boss.getDb()
  return pool === undefined ? {} : { [name]: pool }
}

export type { PgBoss }
