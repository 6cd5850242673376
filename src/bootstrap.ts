import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import path from 'node:path'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { typeidUnboxed } from 'typeid-js'
import program from '../package.json' with { type: 'json' }
import { PROJECTIONS } from '../projections/index.ts'
import type { Config } from './config.ts'
import type { DatabaseUrls } from './database/database-urls.ts'
import { openEmbeddedDatabase } from './database/embedded-postgres.ts'
import { faultReason } from './database/fault-reason.ts'
import { makeFolder } from './database/make-folder.ts'
import { openDatabase, openPreparedDatabase } from './database/kysely.ts'
import { isCurrent, lastMigration, migrate } from './database/migrate.ts'
import { openPool } from './database/pool.ts'
import type { OpenedOwner } from './database/owner.ts'
import { openOwner } from './database/owner.ts'
import { StartupError } from './database/startup-error.ts'
import { buildApp } from './http/app.ts'
import { openKeyLookup, openKeyUsage } from './ledger/key-access.ts'
import { openLanes } from './ledger/lanes.ts'
import { openNoteFiles } from './ledger/note-files.ts'
import { openCompleteness } from './ledger/read-progress.ts'
import { retireRecords } from './ledger/retire-records.ts'
import type { CheckpointSigner } from './ledger/sign-checkpoint.ts'
import { openCheckpointSigner } from './ledger/sign-checkpoint.ts'
import { openSigningKeys, SigningKeyError } from './ledger/signing-keys.ts'
import type { LedgerTables } from './ledger/tables.ts'
import { openHealth } from './workers/health.ts'
import { createQueues, openQueues, QUEUES_VERSION } from './workers/queues.ts'
import { openWaker } from './workers/wake.ts'
import { startRecorder } from './workers/record-checkpoints.ts'
import { startWorker } from './workers/worker.ts'

/*
 * The only place that constructs pools, query builders, queues, clocks and ids. Each function opens one part and
 * returns how to close it; main.ts and the commands of cli/ put them together.
 */

/** Makes ids: TypeIDs with a UUIDv7, which grow with time. */
export const newId = typeidUnboxed

export interface OpenedDatabase {
  urls: DatabaseUrls
  isEmbedded: boolean
  /** Set when the embedded server's files could not live in DATA_DIR: where they are instead. */
  movedTo?: string
  release(): Promise<void>
}

/** Finds the database: the one that DATABASE_URL names, or the embedded server in DATA_DIR. */
export async function findDatabase(config: Config, purpose: 'serve' | 'visit'): Promise<OpenedDatabase> {
  const { DATABASE_URL: serviceUrl, MIGRATE_DATABASE_URL: ownerUrl } = config
  if (serviceUrl !== undefined) {
    const urls = { serviceUrl, ownerUrl: ownerUrl ?? serviceUrl }
    await assertReachable(urls.serviceUrl)
    return { urls, isEmbedded: false, release: async () => undefined }
  }
  const embedded = await openEmbeddedDatabase({ dataDir: config.DATA_DIR, purpose }).catch((error: unknown) => {
    // What is left are faults of the file system that nobody foresaw, such as a full disk.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new StartupError(`the data folder ${config.DATA_DIR} cannot be used: ${faultReason(error)}`, { cause: error })
  })
  const { ownerUrl: owner, serviceUrl: service, release } = embedded
  const moved = embedded.movedFrom === undefined ? {} : { movedTo: embedded.clusterDir }
  return { urls: { ownerUrl: owner, serviceUrl: service }, isEmbedded: true, ...moved, release }
}

async function assertReachable(url: string): Promise<void> {
  const pool = openPool({ url, name: 'employee-ledger', max: 1 })
  try {
    await pool.query('select 1')
  } catch (error) {
    throw new StartupError(`the database of DATABASE_URL cannot be used: ${faultReason(error)}`, { cause: error })
  } finally {
    await pool.end()
  }
}

/** Brings the database to what this program needs. `onStep` is told each thing that was done. */
export async function migrateDatabase(urls: DatabaseUrls, onStep: (line: string) => void): Promise<void> {
  try {
    await migrate(urls, { createQueues, queuesVersion: QUEUES_VERSION, onStep })
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
  const pool = openPool({ url: urls.serviceUrl, name: 'employee-ledger', max: config.POOL_SIZE, settings: { jit: 'off' } })
  const db = openDatabase<LedgerTables>(pool)
  try {
    await assertCurrent(db as unknown as Kysely<unknown>)
    return { pool, db, close: () => db.destroy() }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function assertCurrent(db: Kysely<unknown>): Promise<void> {
  const made = await isCurrent(db, QUEUES_VERSION).catch((error: unknown) => {
    throw new StartupError(`the database cannot be used: ${faultReason(error)}`, { cause: error })
  })
  if (!made) throw new StartupError('the database is not set up for this version: run `npm run --silent cli -- migrate`')
}

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
  return openCheckpointSigner(keys, openNoteFiles(config.CHECKPOINT_DIR ?? path.join(config.DATA_DIR, 'checkpoints'), makeFolder))
}

/** A part of the program that runs until it is stopped. */
export interface RunningPart {
  stop(): Promise<void>
}

// Appends and folds look rows up by their keys and nothing else; a plan that was made while a table was small must not stay.
const LOOK_UP_ONLY = { jit: 'off', enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' }
// A 2xx answer means durable, whatever the role's or the database's default is.
const APPENDING = { ...LOOK_UP_ONLY, synchronous_commit: 'on' }

/** Starts the API. `address` is where it listens, `projections` are those that it reads. */
export async function startApi(
  config: Config,
  urls: DatabaseUrls,
  store: OpenedPool,
  log: Logger,
  projections = PROJECTIONS,
): Promise<RunningPart & { address: string; app: FastifyInstance }> {
  const signer = await openSigner(config)
  const warn = (error: unknown) => log.warn({ err: error }, 'the job queue could not be reached; the sweep makes up for it')
  const boss = await openQueues(urls.serviceUrl, { works: false, onError: warn })
  const waker = openWaker(boss, warn)
  // One connection for each lane, as many for companies whose head another process holds, two for reading calls, and one
  // to look keys up.
  const appending = { url: urls.serviceUrl, name: 'employee-ledger appends', max: 2 * config.LANES + 3 }
  const pool = openPool({ ...appending, pipeline: true, settings: APPENDING })
  const lanes = openLanes({
    pool,
    lanes: config.LANES,
    maxRecordsPerCommit: config.RECORDS_PER_COMMIT,
    maxWaiting: config.CALLS_WAITING,
    maxRecordsWaiting: config.RECORDS_WAITING,
    maxWaitMs: config.CALL_WAIT_MS,
    onCommitted: waker.wake,
    onFault: (error) => log.error({ err: error }, 'a call could not be stored'),
  })
  const app = buildApp({
    commands: { lanes, newId, maxRecords: config.MAX_RECORDS, inProgress: new Map() },
    company: { pool: store.pool, newId, onCommitted: waker.wake },
    db: store.db,
    findKey: openKeyLookup(pool),
    keyUsage: openKeyUsage(pool),
    signer,
    isReady: async () => (await sql`select 1`.execute(store.db)).rows.length === 1,
    areReadModelsComplete: openCompleteness(store.db, projections),
    health: openHealth(store.db, waker, await versions()),
    log,
    bodyLimit: config.BODY_LIMIT,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    burstLimit: config.BURST_LIMIT,
    failureLimit: config.FAILURE_LIMIT,
    sessions: {
      idleMinutes: config.SESSION_IDLE_MINUTES,
      hours: config.SESSION_HOURS,
      publicUrl: config.PUBLIC_URL ?? null,
    },
    signInLimit: config.SIGN_IN_LIMIT,
    streamLimits: {
      perUser: config.STREAMS_PER_USER,
      heartbeatMs: config.STREAM_HEARTBEAT_MS,
      lifeMs: config.STREAM_LIFE_MS,
    },
  })
  const stop = async () => {
    await app.close()
    await lanes.idle()
    await waker.flush()
    await boss.stop({ graceful: false })
    await pool.end()
  }
  try {
    const address = await app.listen({ host: config.HOST, port: config.PORT })
    return { address, app, stop }
  } catch (error) {
    await stop()
    throw listenFault(error, config)
  }
}

/** What of this program runs, by name. */
async function versions(): Promise<Record<string, string>> {
  return { [program.name]: program.version, 'Node.js': process.versions.node, 'Last migration': await lastMigration() }
}

function listenFault(error: unknown, { HOST, PORT }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return new StartupError(`port ${PORT} of ${HOST} is in use: set PORT to another one`)
  if (code === 'EACCES') return new StartupError(`port ${PORT} of ${HOST} may not be used by this user: set PORT to another one`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new StartupError(`${HOST} is no address of this machine: set HOST`)
  return new StartupError(`cannot listen on port ${PORT} of ${HOST}: ${faultReason(error)}`, { cause: error })
}

/** Starts the workers that keep the projections current. */
export async function startWorkers(
  config: Config,
  urls: DatabaseUrls,
  store: OpenedPool,
  log: Logger,
  projections = PROJECTIONS,
): Promise<RunningPart> {
  const signer = await openSigner(config)
  const warn = (error: unknown) => log.warn({ err: error }, 'the job queue could not be reached; it is tried again')
  const boss = await openQueues(urls.serviceUrl, { works: true, onError: warn })
  // A projection folds one batch after the other.
  const folding = { url: urls.serviceUrl, name: 'employee-ledger projections', max: projections.length }
  const foldingDb = openPreparedDatabase<LedgerTables>(openPool({ ...folding, settings: LOOK_UP_ONLY }))
  const worker = await startWorker({
    db: store.db,
    foldingDb,
    boss,
    log,
    projections,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    answersKeptHours: config.ANSWERS_KEPT_HOURS,
    retireRecords: () => retireRecords(store.pool, config.REJECTED_RECORDS_KEPT_DAYS),
  })
  const recorder = openRecorder(config, urls, signer, log)
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
function openRecorder(config: Config, urls: DatabaseUrls, signer: CheckpointSigner, log: Logger): RunningPart {
  if (!signer.isSigning) return { stop: async () => undefined }
  const db = openDatabase<LedgerTables>(openPool({ url: urls.serviceUrl, name: 'employee-ledger checkpoints', max: 1 }))
  const recorder = startRecorder({ db, signer, log, intervalMs: config.CHECKPOINT_INTERVAL_MS })
  return {
    async stop() {
      await recorder.stop()
      await db.destroy()
    },
  }
}
