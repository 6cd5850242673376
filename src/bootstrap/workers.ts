import { countWork, countDeliveries } from '#observe/metrics/count-work'
import { PROJECTIONS } from '#projections/index'
import { checkAttention } from '#accounts/attention/check-attention'
import type { Config } from '#config'
import { startMakingEvidence } from '#evidence/make-stored-file'
import { deleteOldClients, forgetTraces } from '#ledger/append/actor-clients'
import { expireAnswers } from '#ledger/append/expire-answers'
import { createRecentEvents } from '#ledger/append/recent-events'
import { watchDatabase, watchMachines } from '#observe/metrics/database-metrics'
import { createMetrics, type Metrics, trackCheckpoints } from '#observe/metrics/metrics'
import { LOOK_UP_ONLY, QUEUE_CONNECTIONS, DELIVERY_CONNECTIONS, UPLOAD_LANES } from '#postgres/connections'
import { openPreparedDatabase, openDatabase } from '#postgres/kysely'
import { listWaitingMail } from '#delivery/mail/send-next'
import { listWaitingWebhooks } from '#delivery/webhooks/progress'
import { listWaitingSubmissions } from '#delivery/witnesses/progress'
import { readQueueDepths } from '#workers/health'
import {
  CHECK_ATTENTION,
  DELETE_EXPIRED,
  listMissedJobs,
  openQueues,
  type PgBoss,
  PUBLISH_CHECKPOINTS,
  queuePool,
  RECORD_SIGN_INS,
} from '#workers/queues'
import { watchStandstill, watchGuard } from '#workers/watch-standstill'
import { createWaker } from '#workers/announce'
import { startWorker } from '#workers/worker'
import { recordSignIns } from '#accounts/sign-in/record-sign-ins'
import { createEvidenceServices } from './evidence.ts'
import type { PartOptions, RunningPart } from './running-part.ts'
import { createOutbox, openMail } from './mail.ts'
import { createSigner, createConfiguredSecretBox } from './keys.ts'
import { openPublishing } from './witnesses.ts'
import type { LedgerTables } from '#ledger/tables'
import { startDeliveries, expireDeliveries } from '#delivery/webhooks/deliveries'
import { openPoster } from '#delivery/webhooks/message-posting'
import { newId } from '#ledger/new-id'
import type { CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import { openPool } from '#postgres/pool'
import { startRecorder } from '#workers/record-checkpoints'
import { createCallsInProgress } from '#ledger/calls/calls-in-progress'
import { createLongCalls } from '#ledger/append/long-calls'
import { startUploads } from '#uploads/run-uploads'
import { openAppendPool, startLanes } from './lanes.ts'
import { deleteOldFailedCalls, deleteOldBodies } from '#ledger/append/failed-calls'
import { expireFiles } from '#ledger/evidence/stored-files'
import { forgetTurnedAway } from '#accounts/api-keys/turned-away-calls'
import { deleteOldEmails, endOverdueEmails } from '#accounts/mail/outbox'
import { expireFailingWork } from '#ledger/background/failing-work'
import { expireUploads } from '#ledger/uploads/erase-rows'
import { expireLogoutTokens } from '#accounts/sign-in/sign-in-through-provider'
import { expireSessions } from '#accounts/users/sessions'
import { forgetOldSignIns } from '#accounts/users/sign-in-records'

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
  const { onExpired, ...counted } = countWork(metrics, { reads: store.pool, ...queuePool('jobs', boss) }, projections)
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
    rejectedRecordsKeptDays: config.REJECTED_RECORDS_KEPT_DAYS,
    scheduled: {
      [DELETE_EXPIRED]: () => deleteExpired(options, onExpired),
      [CHECK_ATTENTION]: () => checkAttention(checked),
      [RECORD_SIGN_INS]: () => recordSignIns(checked),
      [PUBLISH_CHECKPOINTS]: publishing.publish,
    },
    ...counted,
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
function getAnswersKeptHours({ ANSWERS_KEPT_HOURS: hours, REJECTED_RECORDS_KEPT_DAYS: days }: Config) {
  return days === 0 ? hours : Math.min(hours, 24 * days)
}

/** Opens the memory through which an API hands its events to workers in the same process. */
export const createRecentEventsForWorkers = () => createRecentEvents({ readers: PROJECTIONS.length })

/** Starts delivering to webhooks, on connections of their own. */
async function openDeliveries(options: PartOptions, metrics: Metrics) {
  const { config, store, log } = options
  const pool = store.open({
    name: 'employee-ledger webhooks',
    max: DELIVERY_CONNECTIONS,
    lockTimeoutMs: 1_000,
  })
  const poster = openPoster({ allowPrivate: config.OUTGOING_PRIVATE === 1 })
  const deliveries = startDeliveries({
    pool,
    db: openDatabase<LedgerTables>(pool),
    poster,
    newId,
    log,
    companiesTogether: store.companiesTogether,
    secrets: await createConfiguredSecretBox(config),
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    ...countDeliveries(metrics),
  })
  return {
    announce: deliveries.announce,
    async stop() {
      await deliveries.stop()
      poster.close()
      await pool.end()
    },
  }
}

/** Starts recording checkpoints, on a connection of its own. Does nothing without a signing key. */
function openRecorder(
  { config, urls, store, log }: PartOptions,
  signer: CheckpointSigner,
  metrics: Metrics,
): RunningPart {
  if (!signer.isSigning) return { stop: async () => undefined }
  const lock = { url: urls.serviceUrl, name: 'employee-ledger checkpoints', max: 1 }
  const lockDb = openDatabase<LedgerTables>(openPool(lock))
  const onRound = trackCheckpoints(metrics)
  const recorder = startRecorder({
    lockDb,
    pool: store.pool,
    signer,
    log,
    intervalMs: config.CHECKPOINT_INTERVAL_MS,
    onRound,
  })
  return {
    async stop() {
      await recorder.stop()
      await lockDb.destroy()
    },
  }
}

/** Starts the upload worker, on connections of its own: the parts of files are calls. */
async function openUploads(
  options: PartOptions,
  boss: PgBoss,
  onCommitted: (companyIds: string[]) => void,
): Promise<RunningPart> {
  const { config, store, log } = options
  const appends = openAppendPool(options, UPLOAD_LANES)
  const lanes = startLanes(options, { pool: appends, onCommitted, lanes: UPLOAD_LANES })
  const uploads = await startUploads({
    boss,
    log,
    pool: store.pool,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    commands: {
      lanes,
      newId,
      maxRecords: config.MAX_RECORDS,
      keepsFailed: config.FAILED_CALLS_KEPT_DAYS > 0,
      maxWaitMs: config.CALL_WAIT_MS,
      inProgress: createCallsInProgress(createLongCalls(store.pool), config.CALL_WAIT_MS),
    },
  })
  return {
    async stop() {
      await uploads.stop()
      await lanes.idle()
      await appends.end()
    },
  }
}

/** Valid records are kept no longer than the refused ones of their call. */
function getFailedCallsKeptDays(config: Config) {
  const { FAILED_CALLS_KEPT_DAYS: days, REJECTED_RECORDS_KEPT_DAYS: others } = config
  return others === 0 ? days : Math.min(days, others)
}

/** Deletes what is kept for a limited time. If one part fails, the others are still deleted. */
async function deleteExpired({ config, log, store: { pool } }: PartOptions, onExpired: (answers: number) => void) {
  const answers = async () => {
    const count = await expireAnswers(pool, getAnswersKeptHours(config))
    onExpired(count)
    if (count > 0) log.info({ count }, 'expired answers of idempotency keys')
  }
  const outcomes = await Promise.allSettled([
    answers(),
    deleteOldClients(pool, config.ADDRESSES_KEPT_DAYS),
    forgetTraces(pool),
    deleteOldBodies(pool, config.REJECTED_RECORDS_KEPT_DAYS),
    deleteOldFailedCalls(pool, getFailedCallsKeptDays(config)),
    forgetOldSignIns(pool, config.ADDRESSES_KEPT_DAYS),
    forgetTurnedAway(pool, config.ADDRESSES_KEPT_DAYS),
    expireUploads(pool),
    expireFailingWork(pool),
    expireSessions(pool),
    expireLogoutTokens(pool),
    expireFiles(pool),
    expireDeliveries(pool),
    // Also where nothing is sent any more.
    endOverdueEmails(pool),
    deleteOldEmails(pool),
  ])
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw new AggregateError(failures, 'could not delete everything that has expired')
}
