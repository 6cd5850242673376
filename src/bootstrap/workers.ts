import { PROJECTIONS } from '../../projections/index.ts'
import { ATTENTION_WORDS } from '../pages/parts/attention-words.ts'
import { checkAttention } from '../accounts/attention/check-attention.ts'
import type { Config } from '../config.ts'
import { deleteOldBodies } from '../ledger/append/rejected-bodies.ts'
import { startMakingEvidence } from '../evidence/make-stored-file.ts'
import { expireFiles } from '../ledger/evidence/stored-files.ts'
import { createRecentEvents } from '../ledger/append/recent-events.ts'
import type { CheckpointSigner } from '../ledger/audit/sign-checkpoint.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import { countDeliveries, countWork } from '../observe/metrics/count-work.ts'
import { watchDatabase } from '../observe/metrics/database-metrics.ts'
import { watchMachines } from '../observe/metrics/machine-metrics.ts'
import { trackCheckpoints, createMetrics, type Metrics } from '../observe/metrics/metrics.ts'
import {
  DELIVERY_CONNECTIONS,
  LOOK_UP_ONLY,
  MAIL_CONNECTIONS,
  QUEUE_CONNECTIONS,
  UPLOAD_LANES,
} from '../postgres/connections.ts'
import { openDatabase, openPreparedDatabase } from '../postgres/kysely.ts'
import { openPool } from '../postgres/pool.ts'
import { deleteOldEmails, endOverdueEmails } from '../accounts/mail/outbox.ts'
import { listWaitingMail } from '../delivery/mail/claims.ts'
import { startSending } from '../delivery/mail/start-sending.ts'
import { startDeliveries } from '../delivery/webhooks/deliveries.ts'
import { expireDeliveries } from '../delivery/webhooks/expire-deliveries.ts'
import { openPoster } from '../delivery/webhooks/post.ts'
import { listWaitingWebhooks } from '../delivery/webhooks/progress.ts'
import { listWaitingSubmissions } from '../delivery/witnesses/progress.ts'
import { parseRecord } from '../http/server/json-body.ts'
import { createCallsInProgress } from '../ledger/calls/calls-in-progress.ts'
import { createLongCalls } from '../ledger/append/long-calls.ts'
import { expireFailingWork } from '../ledger/background/failing-work.ts'
import { expireUploads } from '../ledger/uploads/erase-rows.ts'
import { startUploads } from '../uploads/run-uploads.ts'
import { readQueueDepths } from '../workers/health.ts'
import { listMissedJobs, openQueues, queuePool, type PgBoss } from '../workers/queues.ts'
import { startRecorder } from '../workers/record-checkpoints.ts'
import { watchGuard } from '../workers/watch-guard.ts'
import { watchStandstill } from '../workers/watch-standstill.ts'
import { createWaker } from '../workers/wake.ts'
import { startWorker } from '../workers/worker.ts'
import { expireLogoutTokens } from '../accounts/sign-in/provider-sessions.ts'
import { recordSignIns } from '../accounts/sign-in/record-sign-ins.ts'
import { expireSessions } from '../accounts/users/sessions.ts'
import { forgetOldSignIns } from '../accounts/users/sign-in-records.ts'
import { createEvidenceServices } from './evidence.ts'
import { openAppendPool, startLanes } from './lanes.ts'
import { newId } from '../ledger/new-id.ts'
import type { PartOptions, RunningPart } from './running-part.ts'
import { findMailServer, createOutbox } from './mail.ts'
import { createConfiguredSecretBox } from './secrets.ts'
import { createSigner } from './signing.ts'
import { openPublishing } from './witnesses.ts'

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
    checkAttention: () => checkAttention({ ...checked, outbox: outbox && { ...outbox, words: ATTENTION_WORDS } }),
    publishCheckpoints: publishing.publish,
    recordSignIns: () => recordSignIns(checked),
    expirations: [
      () => deleteOldBodies(store.pool, config.REJECTED_RECORDS_KEPT_DAYS),
      () => forgetOldSignIns(store.pool, config.ADDRESSES_KEPT_DAYS),
      () => expireUploads(store.pool),
      () => expireFailingWork(store.pool),
      () => expireSessions(store.pool),
      () => expireLogoutTokens(store.pool),
      () => expireFiles(store.pool),
      () => expireDeliveries(store.pool),
      // Also where nothing is sent any more.
      () => endOverdueEmails(store.pool),
      () => deleteOldEmails(store.pool),
    ],
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
    parseRecord,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    commands: {
      lanes,
      newId,
      maxRecords: config.MAX_RECORDS,
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

/** Starts sending messages, on connections of its own. Does nothing without an SMTP server. */
async function openMail({ config, store, log }: PartOptions, boss: PgBoss): Promise<RunningPart> {
  const secrets = await createConfiguredSecretBox(config)
  const server = findMailServer(config, secrets)
  if (!server) return { stop: async () => undefined }
  const pool = store.open({ name: 'employee-ledger email', max: MAIL_CONNECTIONS, lockTimeoutMs: 1_000 })
  const sending = await startSending({
    boss,
    pool,
    secrets,
    server,
    log,
    publicUrl: config.PUBLIC_URL!,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
  })
  return {
    async stop() {
      await sending.stop()
      await pool.end()
    },
  }
}
