import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import path from 'node:path'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { typeidUnboxed } from 'typeid-js'
import program from '../package.json' with { type: 'json' }
import { PROJECTIONS } from '../projections/index.ts'
import type { Config } from './config.ts'
import { assertCurrent } from './postgres/assert-current.ts'
import { appendConnections, lookUpOnly, QUEUE_CONNECTIONS } from './postgres/connections.ts'
import type { DatabaseUrls } from './postgres/database-urls.ts'
import { distribute } from './postgres/migration/distribute.ts'
import { isDistributed } from './postgres/migration/distribution-steps.ts'
import { faultReason } from './postgres/fault-reason.ts'
import type { OpenedDatabase } from './postgres/embedded/find-database.ts'
import { findDatabase } from './postgres/embedded/find-database.ts'
import { listenFault } from './postgres/listen-fault.ts'
import { makeFolder } from './postgres/embedded/make-folder.ts'
import { openDatabase, openPreparedDatabase } from './postgres/kysely.ts'
import { isCurrent, lastMigration, migrate, planMigration } from './postgres/migration/migrate.ts'
import { openAccess } from './postgres/open-access.ts'
import { openPool } from './postgres/pool.ts'
import type { OpenedOwner } from './postgres/migration/owner.ts'
import { openOwner } from './postgres/migration/owner.ts'
import { StartupError } from './postgres/startup-error.ts'
import { buildApp } from './http/app.ts'
import { openKeyLookup, openKeyUsage } from './accounts/api-keys/key-access.ts'
import { openLongCalls } from './ledger/append/long-calls.ts'
import { openLanes } from './ledger/append/lanes.ts'
import type { NoteFiles } from './ledger/audit/note-files.ts'
import { openNoteFiles } from './ledger/audit/note-files.ts'
import { openCompleteness } from './ledger/read/read-progress.ts'
import type { RecentEvents } from './ledger/append/recent-events.ts'
import { openRecentEvents } from './ledger/append/recent-events.ts'
import { retireRecords } from './erasure/retire-records.ts'
import type { CheckpointSigner } from './ledger/audit/sign-checkpoint.ts'
import { openCheckpointSigner } from './ledger/audit/sign-checkpoint.ts'
import { isOnShards, useShards } from './postgres/shards.ts'
import { openSigningKeys, SigningKeyError } from './ledger/audit/signing-keys.ts'
import type { LedgerTables } from './ledger/tables.ts'
import { loggedTrace } from './log.ts'
import { countCalls, countPending, countReads, countWork } from './observe/metrics/count-work.ts'
import { watchDatabase } from './observe/metrics/database-metrics.ts'
import type { Metrics } from './observe/metrics/metrics.ts'
import { checkpointClock, openMetrics } from './observe/metrics/metrics.ts'
import { startMetricsListener } from './observe/metrics/metrics-listener.ts'
import { answersKeptHours, appSettings, laneSettings } from './part-settings.ts'
import { openReads } from './replica/open-reads.ts'
import type { Tracing } from './observe/tracing/tracing.ts'
import { openWantedTracing } from './observe/tracing/wanted-tracing.ts'
import { COMPANIES_TOGETHER } from './workers/fold-together.ts'
import { openHealth, readQueueDepths } from './workers/health.ts'
import { createQueues, openQueues, queueNames, queuePool, QUEUES_VERSION } from './workers/queues.ts'
import { openWaker } from './workers/wake.ts'
import { startRecorder } from './workers/record-checkpoints.ts'
import { startWorker } from './workers/worker.ts'

/*
 * The only place that constructs pools, query builders, queues, clocks and ids. Each function opens one part and
 * returns how to close it; main.ts and the commands of cli/ put them together.
 */

/** Makes ids: TypeIDs with a UUIDv7, which grow with time. */
export const newId = typeidUnboxed

export { findDatabase }
export type { OpenedDatabase }

const QUEUES = { createQueues, queues: queueNames(), queuesVersion: QUEUES_VERSION }

/** What `migrateDatabase` would do, a line each. */
export const planDatabase = (urls: DatabaseUrls) => planMigration(urls, QUEUES)

/** Brings the database to what this program needs. `onStep` is told each thing that was done. */
export async function migrateDatabase(urls: DatabaseUrls, onStep: (line: string) => void): Promise<void> {
  try {
    await migrate(urls, { ...QUEUES, onStep })
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`the database could not be set up: ${faultReason(error)}`, { cause: error })
  }
}

export interface OpenedPool {
  pool: Pool
  db: Kysely<LedgerTables>
  close(): Promise<void>
}

/** Opens connections for reading, projecting and the commands about companies. */
export async function openStore(config: Config, urls: DatabaseUrls): Promise<OpenedPool> {
  const store = openUnchecked(config, urls)
  try {
    await assertCurrent(() => isSetUp(store.db))
    if (await isDistributed(store.db as unknown as Kysely<unknown>)) useShards(store.pool)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The same on a database that may not be set up. */
export function openUnchecked(config: Config, urls: DatabaseUrls): OpenedPool {
  const pool = openPool({
    url: urls.serviceUrl,
    name: 'employee-ledger',
    max: config.POOL_SIZE,
    settings: { jit: 'off' },
  })
  const db = openDatabase<LedgerTables>(pool)
  return { pool, db, close: () => db.destroy() }
}

/** Whether the database has what this program needs. */
export const isSetUp = (db: Kysely<LedgerTables>) => isCurrent(db as unknown as Kysely<unknown>, QUEUES.queues)

/** Opens connections of the owner, for work on whole projections. */
export const openMaintenance = (urls: DatabaseUrls) => openOwner<LedgerTables>(urls)

export type OpenedMaintenance = OpenedOwner<LedgerTables>

/** The file of the signing key; those before it are named beside it. */
export function signingKeyFile(config: Config): string {
  return config.SIGNING_KEY_FILE ?? path.join(config.DATA_DIR, 'signing-key.pem')
}

/** Opens what signs checkpoints. With a database of one's own the key has to be given; without one, nothing is signed. */
export async function openSigner(config: Config): Promise<CheckpointSigner> {
  const unset = config.DATABASE_URL === undefined ? 'make' : 'unsigned'
  const missing = config.SIGNING_KEY_FILE === undefined ? unset : 'refuse'
  const place = { pem: config.SIGNING_KEY, file: signingKeyFile(config), missing } as const
  const keys = await openSigningKeys(place).catch((error: unknown) => {
    throw error instanceof SigningKeyError ? new StartupError(error.message, { cause: error }) : error
  })
  return openCheckpointSigner(keys, openNotes(config))
}

/** The checkpoints outside the database. */
export function openNotes(config: Config): NoteFiles {
  return openNoteFiles(config.CHECKPOINT_DIR ?? path.join(config.DATA_DIR, 'checkpoints'), makeFolder)
}

/** A part of the program that runs until it is stopped. */
export interface RunningPart {
  stop(): Promise<void>
}

/** Starts the API. `address` is where it listens, `projections` are those that it reads, `recent` is for workers beside it. */
export async function startApi(
  config: Config,
  urls: DatabaseUrls,
  store: OpenedPool,
  log: Logger,
  projections = PROJECTIONS,
  metrics = openMetrics(),
  tracing: Tracing | null = null,
  recent?: RecentEvents,
): Promise<RunningPart & { address: string; app: FastifyInstance }> {
  const signer = await openSigner(config)
  const warn = (error: unknown) =>
    log.warn({ err: error }, 'the job queue could not be reached; the sweep makes up for it')
  const boss = await openQueues(urls.serviceUrl, { works: false, connections: QUEUE_CONNECTIONS.api, onError: warn })
  const waker = openWaker(boss, warn)
  const appending = { url: urls.serviceUrl, name: 'employee-ledger appends', max: appendConnections(config.LANES) }
  const pool = openPool({ ...appending, settings: lookUpOnly(isOnShards(store.pool)) })
  if (isOnShards(store.pool)) useShards(pool)
  const access = openAccess<LedgerTables>(urls.serviceUrl)
  const counted = countCalls(metrics, {
    reads: store.pool,
    access: access.pool,
    appends: pool,
    ...queuePool('wake-ups', boss),
  })
  // A change of a company may be an erasure: what this process remembers of it goes at once.
  const onChanged = (companyIds: string[]) => {
    recent?.forget(companyIds)
    waker.wake(companyIds)
  }
  const lanes = openLanes({
    pool,
    ...laneSettings(config),
    onCommitted: waker.wake,
    ...(recent ? { onStored: recent.keep } : {}),
    onTransaction: counted.onTransaction,
    ...(tracing ? { onBegin: tracing.traceTransaction } : {}),
    onFault: (error, { companyId, callId, traceparent }) =>
      log.error({ err: error, companyId, callId, ...loggedTrace(traceparent) }, 'a call could not be stored'),
  })
  const watched = countPending(metrics, tracing?.traceLanes(lanes) ?? lanes)
  const reading = openReads({
    primary: { url: urls.serviceUrl, db: store.db, pool: store.pool },
    ...{ url: config.READ_DATABASE_URL, boundMs: config.READ_STALENESS_MS, max: config.POOL_SIZE, projections, log },
    onRead: (labels) => metrics.reads.inc(labels),
    onReplica: (replica) => countReads(metrics, replica),
  })
  const app = buildApp({
    commands: {
      lanes: watched,
      newId,
      maxRecords: config.MAX_RECORDS,
      inProgress: new Map(),
      longCalls: openLongCalls(store.pool),
    },
    company: { pool: store.pool, newId, onCommitted: onChanged, onErased: counted.onErased },
    db: store.db,
    access: access.db,
    reads: reading.reads,
    ...{ findKey: openKeyLookup(pool), keyUsage: openKeyUsage(pool) },
    signer,
    isReady: access.isAnswering,
    areReadModelsComplete: openCompleteness(access.db, projections),
    health: openHealth(store.db, waker, await versions()),
    log,
    onAnswered: counted.onAnswered,
    beginTrace: tracing?.beginTrace,
    ...appSettings(config),
  })
  const stop = async () => {
    await app.close()
    await lanes.idle()
    await waker.flush()
    await boss.stop({ graceful: false })
    await Promise.all([pool.end(), access.pool.end(), reading.close()])
  }
  try {
    const address = await app.listen({ host: config.HOST, port: config.PORT })
    return { address, app, stop }
  } catch (error) {
    await stop()
    throw listenFault(error, 'PORT', config.PORT, config.HOST)
  }
}

/** What of this program runs, by name. */
async function versions(): Promise<Record<string, string>> {
  return { [program.name]: program.version, 'Node.js': process.versions.node, 'Last migration': await lastMigration() }
}

export { distribute as distributeDatabase, openMetrics }

/** Opens the memory of an API for the workers beside it. */
export const openRecent = () => openRecentEvents({ readers: PROJECTIONS.length })
export type { RecentEvents }

/** Starts to tell the metrics of this process, where METRICS_PORT says so; null where it is unset. */
export async function startMetrics(config: Config, metrics: Metrics): Promise<(RunningPart & { url: string }) | null> {
  const { METRICS_PORT: port, METRICS_HOST: host } = config
  if (port === undefined) return null
  const build = { version: program.version, node: process.versions.node, migration: await lastMigration() }
  return startMetricsListener(metrics, { host, port }, build).catch((error: unknown) => {
    throw listenFault(error, 'METRICS_PORT', port, host)
  })
}

/** Starts to collect traces, where OTEL_EXPORTER_OTLP_ENDPOINT says so; null where it is unset. */
export function startTracing(config: Config, log: Logger): Promise<Tracing | null> {
  const onFault = (error: Error) => log.warn({ err: error }, 'traces could not be handed over; nothing else is held up')
  return openWantedTracing(config, program, onFault)
}

/** Starts the workers that keep the projections current. */
export async function startWorkers(
  config: Config,
  urls: DatabaseUrls,
  store: OpenedPool,
  log: Logger,
  projections = PROJECTIONS,
  metrics = openMetrics(),
  tracing: Tracing | null = null,
  recent?: RecentEvents,
): Promise<RunningPart> {
  watchDatabase(metrics, { db: store.db, projections, queueDepths: () => readQueueDepths(store.db) })
  const signer = await openSigner(config)
  const warn = (error: unknown) => log.warn({ err: error }, 'the job queue could not be reached; it is tried again')
  const boss = await openQueues(urls.serviceUrl, { works: true, connections: QUEUE_CONNECTIONS.worker, onError: warn })
  // A projection folds one batch after the other.
  const folding = { url: urls.serviceUrl, name: 'employee-ledger projections', max: projections.length }
  const foldingDb = openPreparedDatabase<LedgerTables>(
    openPool({ ...folding, settings: lookUpOnly(isOnShards(store.pool)) }),
  )
  const worker = await startWorker({
    db: store.db,
    foldingDb,
    boss,
    log,
    projections,
    recent,
    companiesTogether: isOnShards(store.pool) ? 1 : COMPANIES_TOGETHER,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    answersKeptHours: answersKeptHours(config),
    retireRecords: () => retireRecords(store.pool, config.REJECTED_RECORDS_KEPT_DAYS),
    ...countWork(metrics, { reads: store.pool, ...queuePool('jobs', boss) }),
    traceFold: tracing?.foldTracer(store.db),
  })
  const recorder = openRecorder(config, urls, signer, log, metrics)
  return {
    async stop() {
      await recorder.stop()
      await worker.stop()
      await boss.stop({ graceful: false })
      await foldingDb.destroy()
    },
  }
}

/** Starts to record checkpoints, on a connection of its own; without a signing key there are none. */
function openRecorder(
  config: Config,
  urls: DatabaseUrls,
  signer: CheckpointSigner,
  log: Logger,
  metrics: Metrics,
): RunningPart {
  if (!signer.isSigning) return { stop: async () => undefined }
  const db = openDatabase<LedgerTables>(openPool({ url: urls.serviceUrl, name: 'employee-ledger checkpoints', max: 1 }))
  const onRound = checkpointClock(metrics)
  const recorder = startRecorder({ db, signer, log, intervalMs: config.CHECKPOINT_INTERVAL_MS, onRound })
  return {
    async stop() {
      await recorder.stop()
      await db.destroy()
    },
  }
}
