import { countWork } from '#observe/metrics/count-work'
import { PROJECTIONS } from '#projections/index'
import { checkAttention } from '#accounts/attention/check-attention'
import type { Config } from '../config.ts'
import { startMakingEvidence } from '#evidence/make-stored-file'
import { createRecentEvents } from '#ledger/append/recent-events'
import { watchDatabase, watchMachines } from '#observe/metrics/database-metrics'
import { createMetrics } from '#observe/metrics/metrics'
import { LOOK_UP_ONLY, QUEUE_CONNECTIONS } from '#postgres/connections'
import { openPreparedDatabase } from '#postgres/kysely'
import { listWaitingMail } from '#delivery/mail/send-next'
import { listWaitingWebhooks } from '#delivery/webhooks/progress'
import { listWaitingSubmissions } from '#delivery/witnesses/progress'
import { readQueueDepths } from '#workers/health'
import { queuePool, listMissedJobs, openQueues } from '#workers/queues'
import { watchStandstill, watchGuard } from '#workers/watch-standstill'
import { createWaker } from '#workers/announce'
import { startWorker } from '#workers/worker'
import { recordSignIns } from '#accounts/sign-in/record-sign-ins'
import { createEvidenceServices } from './evidence.ts'
import type { PartOptions, RunningPart } from './running-part.ts'
import { createOutbox, openMail } from './mail.ts'
import { createSigner, createConfiguredSecretBox } from './keys.ts'
import { openPublishing } from './witnesses.ts'
import { openRecorder } from './checkpoint-recorder.ts'
import { openDeliveries } from './deliveries.ts'
import { openUploads } from './upload-worker.ts'
import { listExpirations } from './expirations.ts'

/** Starts the workers that keep the projections current. */
export async function startWorkers(options: PartOptions): Promise<RunningPart> {
  const { config, urls, store, log, projections = PROJECTIONS, metrics = createMetrics(), tracing, recent } = options
  watchDatabase(metrics, { pool: store.pool, projections, queueDepths: () => readQueueDepths(store.db) })
  watchMachines(metrics, store.db, urls.serviceUrl)
  const signer = await createSigner(config)
  const warn = (error: unknown) => log.warn({ err: error }, 'could not reach the job queue; retrying')
  const boss = await openQueues(urls.serviceUrl, { works: true, connections: QUEUE_CONNECTIONS.worker, onError: warn })
  // One connection for each projection, as a projection folds one batch at a time.
  const limits = { max: projections.length, settings: LOOK_UP_ONLY }
  const folding = store.open({ name: 'employee-ledger projections', ...limits })
  const webhooks = await openDeliveries(options, metrics)
  const mail = await openMail(options, boss)
  const { outbox, flush } = createOutbox(config, {
    secrets: await createConfiguredSecretBox(config),
    boss,
    onError: warn,
  })
  const waker = createWaker(boss, warn)
  const uploads = await openUploads(options, boss, waker.announce)
  const checked = { pool: store.pool, db: store.db, outbox, log, onCommitted: waker.announce }
  const publishing = openPublishing(options, signer)
  const worker = await startWorker({
    db: store.db,
    pool: store.pool,
    foldingDb: openPreparedDatabase(folding),
    companiesTogether: store.companiesTogether,
    boss,
    log,
    projections,
    maxRecords: config.MAX_RECORDS,
    recent,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    answersKeptHours: getAnswersKeptHours(config),
    rejectedRecordsKeptDays: config.REJECTED_RECORDS_KEPT_DAYS,
    addressesKeptDays: config.ADDRESSES_KEPT_DAYS,
    checkAttention: () => checkAttention(checked),
    publishCheckpoints: publishing.publish,
    recordSignIns: () => recordSignIns(checked),
    expirations: listExpirations(store.pool, config),
    ...countWork(metrics, { reads: store.pool, ...queuePool('jobs', boss) }, projections),
    onDone: webhooks.announce,
    traceFold: tracing?.foldTracer(store.db),
  })
  const evidence = await startMakingEvidence({
    ...(await createEvidenceServices(config, store)),
    boss,
    log,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    secrets: await createConfiguredSecretBox(config),
  })
  const recorder = openRecorder(options, signer, metrics)
  const guard = watchGuard({ db: store.db, log, onRound: (count) => metrics.unguardedTables.set(count) })
  const standstill = watchStandstill({ pool: store.pool, log, lists: listsOfDueWork(config) })
  return {
    async stop() {
      await Promise.all([guard.stop(), standstill.stop()])
      await recorder.stop()
      await Promise.all([worker.stop(), uploads.stop(), evidence.stop()])
      await Promise.all([waker.idle(), flush()])
      await Promise.all([webhooks.stop(), mail.stop(), publishing.stop()])
      await boss.stop({ graceful: false })
      await folding.end()
    },
  }
}

/** What could be done now. Without an SMTP server, messages wait. */
const listsOfDueWork = ({ SMTP_URL }: Config) => [
  listWaitingWebhooks,
  listWaitingSubmissions,
  listMissedJobs,
  ...(SMTP_URL === undefined ? [] : [listWaitingMail]),
]

/** How long answers are kept for retries, in hours: never longer than the records of refused calls, which they show. */
function getAnswersKeptHours({ ANSWERS_KEPT_HOURS: hours, REJECTED_RECORDS_KEPT_DAYS: days }: Config): number {
  return days === 0 ? hours : Math.min(hours, 24 * days)
}

/** Opens the memory through which an API hands its events to workers in the same process. */
export const createRecentEventsForWorkers = () => createRecentEvents({ readers: PROJECTIONS.length })
