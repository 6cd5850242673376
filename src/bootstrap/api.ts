import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { FastifyInstance } from 'fastify'
import { PROJECTIONS } from '#projections/index'
import { boundHeavyReads, shareConnections } from '#http/access/heavy-reads'
import { createFileBudget } from '#http/access/body-budget'
import { createKeyLookup, createKeyUsageCounter } from '#accounts/api-keys/key-access'
import { createCallsInProgress } from '#ledger/calls/calls-in-progress'
import { createTurnedAwayCalls } from '#accounts/api-keys/turned-away-calls'
import { createFailedSignIns } from '#accounts/sign-in/record-sign-ins'
import type { Config } from '#config'
import { recordFaults } from '#accounts/oidc/provider-client'
import { openProviderClient } from '#accounts/oidc/open-provider-client'
import { buildApp, type AppServices } from '#app'
import { createStoredFiles } from '#evidence/make-stored-file'
import { createLongCalls } from '#ledger/append/long-calls'
import { createCompleteness } from '#ledger/read/read-progress'
import type { LedgerTables } from '#ledger/tables'
import { countCalls, countPending } from '#observe/metrics/count-work'
import { createMetrics } from '#observe/metrics/metrics'
import { QUEUE_CONNECTIONS, ACCESS_CONNECTIONS, LOOK_UP_ONLY } from '#postgres/connections'
import { openDatabase, openPreparedDatabase } from '#postgres/kysely'
import { makeListenError } from '#postgres/listen-error'
import { createEmployeeLookup, createNamedLookup } from '#ledger/read/read-employees'
import { createReads } from '#ledger/read/reads'
import { createHealth } from '#workers/health'
import { MAKE_EVIDENCE, openQueues, queuePool, RUN_UPLOADS } from '#workers/queues'
import { announceTo, createWaker } from '#workers/announce'
import { openPoster } from '#delivery/webhooks/message-posting'
import { createSingleDeliveries } from '#delivery/webhooks/single-deliveries'
import { openAppendPool, startLanes } from './lanes.ts'
import { newId } from '#ledger/new-id'
import { createWriteProbe } from './write-probe.ts'
import type { PartOptions, RunningPart } from './running-part.ts'
import { createOutbox } from './mail.ts'
import { createSigner, createConfiguredSecretBox } from './keys.ts'
import { sql, type Kysely } from 'kysely'
import type { PoolOptions } from '#postgres/pool'

/** Starts the API. `address` is where it listens. */
export async function startApi(options: PartOptions): Promise<RunningPart & { address: string; app: FastifyInstance }> {
  const { config, urls, store, log, projections = PROJECTIONS, metrics = createMetrics(), tracing, recent } = options
  const pool = shareConnections(store.pool)
  const db = openDatabase<LedgerTables>(pool)
  const [signer, secrets] = [await createSigner(config), await createConfiguredSecretBox(config)]
  const warn = (error: unknown) => log.warn({ err: error }, 'could not reach the job queue; the sweep makes up for it')
  const boss = await openQueues(urls.serviceUrl, { works: false, connections: QUEUE_CONNECTIONS.api, onError: warn })
  const waker = createWaker(boss, warn)
  const mail = createOutbox(config, { secrets, boss, onError: warn })
  const uploads = announceTo(boss, [RUN_UPLOADS], warn)
  const evidence = announceTo(boss, [MAKE_EVIDENCE], warn)
  const appends = openAppendPool(options, config.LANES)
  const access = openAccess<LedgerTables>(store.open)
  const pools = { reads: store.pool, access: access.pool, appends, ...queuePool('wake-ups', boss) }
  const counted = countCalls(metrics, pools)
  const writes = createWriteProbe(access.pool)
  const lanes = startLanes(options, {
    pool: appends,
    onCommitted: waker.announce,
    ...writes.watch(counted.onTransaction),
  })
  // A change of a company may be an erasure, so this process forgets the company's recent events.
  const onChanged = (companyIds: string[]) => {
    recent?.forget(companyIds)
    waker.announce(companyIds)
  }
  const poster = openPoster({ allowPrivate: config.OUTGOING_PRIVATE === 1 })
  const providerClient = openProviderClient({ allowPrivate: config.OUTGOING_PRIVATE === 1, secrets })
  const client = recordFaults(providerClient, pool, (error) =>
    log.warn({ err: error }, 'could not record that an identity provider fails'),
  )
  const company = { pool, newId, onCommitted: onChanged, onErased: counted.onErased, outbox: mail.outbox }
  const refused = countRefused(access.pool, log)
  let isStopping = false
  const areReadModelsComplete = createCompleteness(access.db, projections)
  const commands = {
    lanes: countPending(metrics, tracing?.traceLanes(lanes) ?? lanes),
    newId,
    maxRecords: config.MAX_RECORDS,
    keepsFailed: config.FAILED_CALLS_KEPT_DAYS > 0,
    maxWaitMs: config.CALL_WAIT_MS,
    inProgress: createCallsInProgress(createLongCalls(pool), config.CALL_WAIT_MS),
  }
  const app = buildApp({
    commands,
    uploads: {
      pool,
      db,
      commands,
      bodyLimit: config.BODY_LIMIT,
      announce: uploads.announce,
    },
    fileBudget: createFileBudget(bodyBudgetOf(config)),
    company,
    failures: refused.failures,
    turnedAway: refused.turnedAway,
    webhooks: { ...company, secrets, allowsHttp: config.OUTGOING_PRIVATE === 1 },
    providers: { ...company, secrets, allowsHttp: config.OUTGOING_PRIVATE === 1, client },
    singleDeliveries: options.singleDeliveries ?? createSingleDeliveries({ pool, db, poster, secrets, newId }),
    db,
    access: access.db,
    accessPool: access.pool,
    reads: createReads(pool, config.OPTIONAL_READ_MS),
    signer,
    log,
    companiesTogether: store.companiesTogether,
    ...createLookups(appends, access.pool, store.companiesTogether),
    isReady: async () => (options.isSetUp?.() ?? true) && (await access.takesWrites()) && writes.isPossible(),
    isStopping: () => isStopping,
    areReadModelsComplete,
    health: createHealth(pool, waker),
    keyProtocols: options.keyProtocols,
    storedFiles: createStoredFiles({ db, announce: evidence.announce, secrets }),
    onAnswered: counted.onAnswered,
    beginTrace: tracing?.beginTrace,
    ...readAppSettings(config),
  })
  const turnAway = () => {
    isStopping = true
  }
  const stop = async () => {
    turnAway()
    await app.close()
    await lanes.idle()
    await Promise.all([waker.idle(), mail.flush(), uploads.idle(), evidence.idle(), refused.flush()])
    await boss.stop({ graceful: false })
    poster.close()
    providerClient.close()
    await Promise.all([appends.end(), access.pool.end()])
  }
  try {
    const address = await app.listen({ host: config.HOST, port: config.PORT })
    return { address, app, turnAway, stop }
  } catch (error) {
    await stop()
    throw makeListenError(error, 'PORT', config)
  }
}

/** Counts sign-ins and calls that were refused, in memory, and stores the counts now and then. */
function countRefused(pool: Pool, log: Logger) {
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, `could not count ${what}`)
  const failures = createFailedSignIns(pool, warn('failed sign-ins'))
  const turnedAway = createTurnedAwayCalls(pool, warn('calls with former secrets'))
  return { failures, turnedAway, flush: () => Promise.all([failures.flush(), turnedAway.flush()]) }
}

/** What each call of a key looks up, some for several companies in one statement. */
function createLookups(appends: Pool, access: Pool, companiesTogether: PartOptions['store']['companiesTogether']) {
  return {
    findKey: createKeyLookup(appends, companiesTogether),
    findEmployee: createEmployeeLookup(access, companiesTogether),
    findNamed: createNamedLookup(access),
    keyUsage: createKeyUsageCounter(appends, companiesTogether),
  }
}

const MIB = 1024 * 1024

/** The memory for bodies: of calls, and once more of uploaded files. */
const bodyBudgetOf = ({ BODY_BUDGET, BODY_LIMIT, CALL_WAIT_MS }: Config) => ({
  bytes: BODY_BUDGET ?? Math.max(64 * MIB, 8 * BODY_LIMIT),
  waitMs: CALL_WAIT_MS,
})

/** The settings of the HTTP server, its sessions and its streams. */
function readAppSettings(config: Config) {
  return {
    trustProxy: config.TRUST_PROXY ?? null,
    bodyLimit: config.BODY_LIMIT,
    bodyBudget: bodyBudgetOf(config),
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    burstLimit: config.BURST_LIMIT,
    failureLimit: config.FAILURE_LIMIT,
    heavyReads: boundHeavyReads(config.HEAVY_READS, config.POOL_SIZE),
    sessions: {
      idleMinutes: config.SESSION_IDLE_MINUTES,
      hours: config.SESSION_HOURS,
      publicUrl: config.PUBLIC_URL ?? null,
      port: config.PORT,
    },
    signInLimits: { perPerson: config.SIGN_IN_LIMIT, perAddress: config.SIGN_IN_ADDRESS_LIMIT },
    streamLimits: {
      perUser: config.STREAMS_PER_USER,
      perCompany: config.STREAMS_PER_COMPANY,
      heartbeatMs: config.STREAM_HEARTBEAT_MS,
      lifeMs: config.STREAM_LIFE_MS,
    },
  } satisfies Partial<AppServices>
}

// Each statement looks up a few rows by key. One that takes longer is waiting for a lock, and blocks others.
const STATEMENT_TIMEOUT_MS = 5_000
const LOCK_TIMEOUT_MS = 2_000

/** Opens the connections for what must always answer: sessions, tokens, sign-in, and readiness. */
function openAccess<Tables>(open: (options: Omit<PoolOptions, 'url'>) => Pool): {
  pool: Pool
  db: Kysely<Tables>
  /** Whether the database answers and takes writes. */
  takesWrites(): Promise<boolean>
} {
  const limits = { max: ACCESS_CONNECTIONS, statementTimeoutMs: STATEMENT_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS }
  const pool = open({ name: 'employee-ledger access', ...limits, settings: LOOK_UP_ONLY })
  const db = openPreparedDatabase<Tables>(pool)
  const takesWrites = async () => {
    const { rows } = await sql<{
      takes: boolean
    }>`select not current_setting('transaction_read_only')::boolean as takes`.execute(db)
    return rows[0]!.takes
  }
  return { pool, db, takesWrites }
}
