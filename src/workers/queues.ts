import { PgBoss } from 'pg-boss'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { connectionTo } from '../postgres/session-settings.ts'

/** A job tells which companies may have events that a projection has not folded: a hint, the checkpoint is the fact. */
export interface ProjectJob {
  companies: string[]
}

export function queueOf(projection: Pick<Projection, 'name'>): string {
  return `project-${projection.name}`
}

/** Companies that are parked end up here, for people to see. */
export function deadLetterOf(projection: Pick<Projection, 'name'>): string {
  return `${queueOf(projection)}-parked`
}

/** Changes with whatever `createQueues` makes, so that a database that lacks it is noticed. */
export const QUEUES_VERSION = 'pg-boss 12, queues 4'

const SCHEMA = 'pgboss'
// A job is only a hint and the sweep makes up for a lost one, so its commits need not wait for the disk.
const CONNECTION_SETTINGS = { synchronous_commit: 'off', jit: 'off' }
// Who waits for a lock on a table of the queues holds up the workers that come after it: `migrate` tries again.
const SET_UP_SETTINGS = { lock_timeout: '2s' }
const JOB_EXPIRES_SECONDS = 300
const DONE_JOBS_KEPT_SECONDS = 600
const UNDONE_JOBS_KEPT_SECONDS = 86_400
const PARKED_JOBS_KEPT_SECONDS = 30 * 86_400
const RETRIES = 3

/** The scheduled job that forgets old answers of idempotency keys. */
export const EXPIRE_ANSWERS = 'expire-answers'
const EXPIRE_ANSWERS_CRON = '7 * * * *'

/** The scheduled job that retires old refused records. */
export const RETIRE_RECORDS = 'retire-records'
const RETIRE_RECORDS_CRON = '37 * * * *'

/** The names of all queues. */
export function queueNames(): string[] {
  return [
    ...PROJECTIONS.flatMap((projection) => [queueOf(projection), deadLetterOf(projection)]),
    EXPIRE_ANSWERS,
    RETIRE_RECORDS,
  ]
}

/**
 * Makes pg-boss's tables and the queues of all projections. Run by the owner of the database; safe to repeat. Fails with
 * `lock_not_available` when a table stays in use.
 */
export async function createQueues(ownerUrl: string): Promise<void> {
  // The queue of the scheduler itself is made by the workers when they begin to schedule.
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
    const made = new Set((await boss.getQueues()).map(({ name }) => name))
    // To make one the library waits for up to 30 seconds for its locks: not for one that is there already.
    const create = async (name: string, options: Parameters<typeof boss.createQueue>[1]) => {
      if (!made.has(name)) await boss.createQueue(name, options)
    }
    for (const projection of PROJECTIONS) {
      const dead = { retentionSeconds: PARKED_JOBS_KEPT_SECONDS, deleteAfterSeconds: PARKED_JOBS_KEPT_SECONDS }
      await create(deadLetterOf(projection), dead)
      // A queue with a table of its own keeps good statistics whatever the other queues do.
      await create(queueOf(projection), { partition: true, notify: true, ...LIFE })
    }
    await create(EXPIRE_ANSWERS, LIFE)
    await boss.schedule(EXPIRE_ANSWERS, EXPIRE_ANSWERS_CRON)
    await create(RETIRE_RECORDS, LIFE)
    await boss.schedule(RETIRE_RECORDS, RETIRE_RECORDS_CRON)
  } finally {
    await boss.stop({ graceful: false })
  }
}

const LIFE = {
  expireInSeconds: JOB_EXPIRES_SECONDS,
  deleteAfterSeconds: DONE_JOBS_KEPT_SECONDS,
  retentionSeconds: UNDONE_JOBS_KEPT_SECONDS,
  retryLimit: RETRIES,
  retryBackoff: true,
}

/** How often a connection is tried again on which new jobs could not be listened for. */
const LISTEN_TRIES = 3
const CANNOT_LISTEN = 'listen_notify_unavailable'

interface QueueOptions {
  works: boolean
  connections: number
  onError(error: Error): void
}

/**
 * Connects to the queues; `works` also maintains them and listens for new jobs. pg-boss itself never listens when it could
 * not at its start, and would look for jobs every few seconds as long as it runs: so it is started again. Where a pooler
 * stands in the way of listening, `onError` is told, and looking is what remains.
 */
export async function openQueues(url: string, options: QueueOptions): Promise<PgBoss> {
  for (let tries = 1; ; tries += 1) {
    const boss = bossOf(url, options)
    let deaf: string | undefined
    boss.on('warning', ({ message, data }) => {
      if ((data as { type?: string }).type === CANNOT_LISTEN) deaf = message
    })
    boss.on('error', options.onError)
    await boss.start()
    if (deaf === undefined) return boss
    options.onError(new Error(deaf))
    if (tries === LISTEN_TRIES) return boss
    await boss.stop({ graceful: false })
  }
}

function bossOf(url: string, { works, connections }: QueueOptions): PgBoss {
  return new PgBoss({
    ...connectionTo(url, CONNECTION_SETTINGS),
    schema: SCHEMA,
    application_name: 'employee-ledger jobs',
    max: connections,
    migrate: false,
    createSchema: false,
    supervise: works,
    schedule: works,
    reindex: false,
    useListenNotify: works,
  })
}

/**
 * The connections of the queues, under a name, for who watches pools. pg-boss does not document its pool: nothing when it
 * is not there.
 */
export function queuePool(
  name: string,
  boss: PgBoss,
): Record<string, { totalCount: number; idleCount: number; waitingCount: number }> {
  const { pool } = boss.getDb() as { pool?: { totalCount: number; idleCount: number; waitingCount: number } }
  return pool === undefined ? {} : { [name]: pool }
}

export type { PgBoss }
