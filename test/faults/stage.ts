import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { registerCompany } from '../../src/accounts/companies/companies.ts'
import type { WebhookServices } from '../../src/accounts/webhooks/change-webhook.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { freePort } from '../support/processes/free-port.ts'
import type { LedgerDb, LedgerTables } from '../../src/ledger/tables.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { Cleanup } from '../support/cleanup.ts'
import type { UnreliableMail } from './alerts/unreliable-mail.ts'
import { startUnreliableMail } from './alerts/unreliable-mail.ts'
import type { Cluster } from './cluster.ts'
import { openCluster, urlsNow } from './cluster.ts'
import type { Machines } from './citus/machines.ts'
import { openMachines } from './citus/machines.ts'
import type { DatabaseLine } from '../support/lines/database-line.ts'
import { openDatabaseLine } from '../support/lines/database-line.ts'
import type { Supervised } from './program.ts'
import { runProgram, SECRETS_KEY, supervise } from './program.ts'
import { makeCompaniesOf } from './upgrade.ts'
import type { LoadedCompany } from './workload.ts'

/**
 * A whole installation of its own: PostgreSQL or a Citus cluster, a line to it, two API processes, two workers (or all in
 * one process), some companies.
 */
export interface Stage {
  /** The folder that contains all of it. */
  folder: string
  /** The folder of the small disk with the database; null when the database is on the machine's disk. */
  dataDir: string | null
  /** PostgreSQL; the coordinator of a Citus cluster. */
  cluster: Cluster
  /** The machines of a Citus cluster; null on plain PostgreSQL. */
  machines: Machines | null
  /** From the API processes to PostgreSQL, and from the workers, so that a COMMIT lost on the first is an append. */
  line: DatabaseLine
  workerLine: DatabaseLine
  apis: Supervised[]
  workers: Supervised[]
  /** The SMTP server of the program, if it sends email. */
  mail: UnreliableMail | null
  /**
   * How many companies were folded from memory so far, added up over the batches; null when API and workers are
   * separate processes.
   */
  foldsFromMemory(): number | null
  /** The projections that the workers maintain; a deploy may change them. */
  projections: readonly Projection[]
  /** A superuser's connections, bypassing the line. They are reopened after each start of PostgreSQL. */
  withDatabase<Result>(use: (db: LedgerDb) => Promise<Result>): Promise<Result>
  /** Runs a use case of the program here, as the service's role, bypassing the line. */
  withServices<Result>(use: (services: StageServices) => Promise<Result>): Promise<Result>
  /** Makes companies for one load. */
  makeCompanies(count: number): Promise<LoadedCompany[]>
  /**
   * Waits until every process is ready and all events of these companies are folded. Returns false if that never
   * happens.
   */
  settled(companyIds: string[], withinMs?: number): Promise<boolean>
  cleanup: Cleanup
}

interface StageServices extends WebhookServices {
  db: LedgerDb
}

/** Generous, for a busy machine: `lag.ts` measures how long it takes. */
const SETTLES_WITHIN_MS = 600_000
const LOOKS_EVERY_MS = 100
const QUOTA = 2_000_000_000
/** How many people the key of one company may deactivate in a day: a load reaches it. */
const FEW_DEACTIVATIONS = 10

export interface StageSettings {
  apis?: number
  workers?: number
  /** Runs a single `start` process with both API and workers. */
  isOneProcess?: boolean
  smallDisk?: boolean
  /** A Citus cluster instead of PostgreSQL. */
  isCitus?: boolean
  /** The folder of the version that the processes run at first, which has migrated the database. */
  release?: string
  /** Lets the program send email. */
  hasMail?: boolean
  /** Settings of PostgreSQL and of every process of the program, by the stage's folder. */
  postgres?(folder: string): Record<string, string>
  program?(folder: string): Record<string, string>
}

/** Starts the stage. Every process of the program reaches PostgreSQL through the line. */
export async function openStage(settings: StageSettings = {}): Promise<Stage> {
  const cleanup = new Cleanup()
  // A test that takes too long gets SIGTERM, and a signal may reach this process alone; nothing it started outlives it.
  const onEnd = () => void cleanup.run().finally(() => process.exit(1))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, onEnd)
    cleanup.teardown(() => process.off(signal, onEnd), `forgetting ${signal}`)
  }
  try {
    const parent = mkdtempSync(path.join(os.tmpdir(), 'ledger-faults-'))
    chmodSync(parent, 0o755)
    cleanup.teardown(() => rmSync(parent, { recursive: true, force: true }), 'removing the folder')
    if (settings.smallDisk) mountSmallDisk(cleanup, parent)
    const machines = settings.isCitus ? await openMachines(cleanup, parent) : null
    const opening =
      machines?.coordinator ??
      openCluster(path.join(parent, 'data'), settings.postgres?.(parent), migrationOf(settings))
    // A server that is being made would go on without its folder.
    cleanup.teardown(async () => (await opening).stop(), 'stopping PostgreSQL')
    const cluster = await opening
    const line = await openDatabaseLine(cleanup, cluster.port)
    const workerLine = await openDatabaseLine(cleanup, cluster.port)
    const mail = settings.hasMail ? await startUnreliableMail(cleanup) : null
    const mailSettings: Record<string, string> = mail
      ? { SMTP_URL: mail.url, MAIL_FROM: 'ledger@example.com', PUBLIC_URL: 'https://ledger.example.com' }
      : {}
    const folds = path.join(parent, 'folds-from-memory')
    const checkpoints = path.join(parent, 'checkpoints')
    const start = async (command: 'serve' | 'work' | 'start', count: number) => {
      const started: Supervised[] = []
      const to = command === 'work' ? workerLine : line
      const databaseUrl = to.through(cluster.urls.serviceUrl)
      const own =
        command === 'start' ? { MIGRATE_DATABASE_URL: to.through(cluster.urls.ownerUrl), FOLDS_FROM_MEMORY: folds } : {}
      for (let at = 0; at < count; at += 1) {
        const [port, metricsPort] = [await freePort(), await freePort()]
        started.push(
          supervise(cleanup, {
            ...(settings.release === undefined ? {} : { plant: { folder: settings.release } }),
            command,
            databaseUrl,
            port,
            metricsPort,
            settings: { CHECKPOINT_DIR: checkpoints, ...own, ...mailSettings, ...settings.program?.(parent) },
          }),
        )
      }
      return started
    }
    const apis = settings.isOneProcess ? await start('start', 1) : await start('serve', settings.apis ?? 2)
    const workers = settings.isOneProcess ? [] : await start('work', settings.workers ?? 2)
    for (const part of [...apis, ...workers]) await part.ready()
    const stage: Stage = {
      folder: parent,
      dataDir: settings.smallDisk ? parent : null,
      cluster,
      machines,
      line,
      workerLine,
      apis,
      workers,
      mail,
      cleanup,
      projections: PROJECTIONS,
      foldsFromMemory: () => (settings.isOneProcess ? (statSync(folds, { throwIfNoEntry: false })?.size ?? 0) : null),
      withDatabase: (use) => withDatabase(cluster, use),
      withServices: (use) => withServices(stage, use),
      makeCompanies: (count) =>
        settings.release === undefined ? makeCompanies(stage, count) : makeCompaniesOf(stage, count),
      settled: (companyIds, withinMs = SETTLES_WITHIN_MS) => settled(stage, companyIds, withinMs),
    }
    return stage
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

/** What migrates the new database, if not this version. */
function migrationOf({ release }: StageSettings) {
  if (release === undefined) return undefined
  return async (urls: { ownerUrl: string; serviceUrl: string }) => {
    const cluster = { urls: { ...urls, superUrl: '' }, port: () => Number(new URL(urls.ownerUrl).port) }
    const code = await runProgram({ cluster }, ['migrate'], { folder: release })
    if (code !== 0) throw new Error(`the migration of ${release} ended with ${code}`)
  }
}

/** A superuser's temporary connections to a cluster. */
export async function withDatabase<Result>(cluster: Cluster, use: (db: LedgerDb) => Promise<Result>): Promise<Result> {
  const { superUrl: url } = urlsNow(cluster)
  const db = openDatabase<LedgerTables>(openPool({ url, name: 'oracle', max: 2, statementTimeoutMs: 600_000 }))
  try {
    return await use(db)
  } finally {
    await db.destroy()
  }
}

async function withServices<Result>(
  { cluster }: Stage,
  use: (services: StageServices) => Promise<Result>,
): Promise<Result> {
  const options = { url: urlsNow(cluster).serviceUrl, name: 'load', max: 2 }
  const pool = openPool(options)
  try {
    return await use({ pool, db: openDatabase<LedgerTables>(pool), newId, secrets: createSecretBox([SECRETS_KEY]) })
  } finally {
    await pool.end()
  }
}

/** Ids that are tried for a company on a worker; one that has no shards gets none. */
const TRIES = 20

/** On a cluster, on its workers in turn. */
async function makeCompanies({ withServices, machines }: Stage, count: number): Promise<LoadedCompany[]> {
  return withServices(async (services) => {
    const companies: LoadedCompany[] = []
    for (let at = 0; at < count; at += 1) {
      const newId = machines === null ? services.newId : await idOnMachine(machines, at)
      const companyId = await registerCompany({ ...services, newId }, `Company ${at}`)
      const limits = at === 0 ? { max_deactivations: FEW_DEACTIVATIONS } : {}
      const wanted = { companyId, name: 'load', quotaLimit: QUOTA, refreshPeriod: 'monthly', limits } as const
      companies.push({ companyId, key: await issueApiKey(services, wanted) })
    }
    return companies
  })
}

/** Makes ids of companies on one of the workers in turn, as long as it has shards. */
async function idOnMachine({ workers, machineOf }: Machines, at: number): Promise<StageServices['newId']> {
  const wanted = workers[at % workers.length]!
  for (let tries = 0; tries < TRIES; tries += 1) {
    const companyId = newId('com')
    if ((await machineOf(companyId)) === wanted) return (prefix) => (prefix === 'com' ? companyId : newId(prefix))
  }
  return newId
}

async function settled(
  { apis, workers, cluster, projections }: Stage,
  companyIds: string[],
  withinMs: number,
): Promise<boolean> {
  for (const part of [...apis, ...workers]) await part.ready()
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (await withDatabase(cluster, (db) => isCaughtUp(db, { companyIds, projections })).catch(() => false)) return true
    await new Promise((resolve) => setTimeout(resolve, LOOKS_EVERY_MS))
  }
  return false
}

const SMALL_DISK_MIB = 512
const UMOUNTS_WITHIN_MS = 30_000

/** Whether the user may make a small in-memory disk on this machine. */
export function canMount(): boolean {
  const probe = mkdtempSync(path.join(os.tmpdir(), 'ledger-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe])
  if (status === 0) spawnSync('umount', [probe])
  rmSync(probe, { recursive: true, force: true })
  return status === 0
}

function mountSmallDisk(cleanup: Cleanup, folder: string): void {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_MIB}m,mode=755`, 'tmpfs', folder])
  if (status !== 0) throw new Error('a small disk cannot be made here')
  cleanup.teardown(() => spawnSync('umount', [folder], { timeout: UMOUNTS_WITHIN_MS }), 'unmounting the small disk')
}
