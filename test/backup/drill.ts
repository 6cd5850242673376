import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createNotes } from '../../src/bootstrap/keys.ts'
import { readConfig } from '../../src/config.ts'
import { toUuid } from '../../src/domain/ids.ts'
import type { Cluster } from '../faults/cluster.ts'
import type { Stage } from '../faults/stage.ts'
import { openStage } from '../faults/stage.ts'
import type { Load, LoadedCompany } from '../faults/workload.ts'
import { startLoad } from '../faults/workload.ts'
import { eventually } from '../support/eventually.ts'
import { takeBaseBackup } from './base-backup.ts'
import type { RestoreReport } from './judge-restore.ts'
import { judgeRestore } from './judge-restore.ts'
import { archiveCommands, ask, promote, recoverCluster, startStandby } from './recovery.ts'

/*
 * The drill: an installation under load archives its log, a base backup is taken, a synchronous standby runs; the
 * archive fails, then the server is lost. The rest is restored in each way in the runbook, and judged.
 */

interface DrillOptions {
  companies: number
  seed: number
  /** Calls that are answered in each part of the load. */
  callsPerPart: number
  /** How long a client rests between two calls, in milliseconds. */
  restMs: number
  /** Called at each step. */
  print(line: string): void
}

const CLIENTS = 8
/** How long after the loss of the server a client waits for an answer. */
const RESOLVE_WITHIN_MS = 3_000
const CHECKPOINT_EVERY_MS = '200'

/** Runs the drill, and reports on each kind of restore. */
export async function runDrill(options: DrillOptions): Promise<RestoreReport[]> {
  const SIGNING_KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  const program = (folder: string) => ({
    SIGNING_KEY,
    CHECKPOINT_DIR: path.join(folder, 'outside'),
    CHECKPOINT_INTERVAL_MS: CHECKPOINT_EVERY_MS,
  })
  const stage = await openStage({
    apis: 1,
    workers: 1,
    program,
    postgres: (folder) => ({
      archive_mode: 'on',
      archive_command: archiveCommands(makeArchive(folder)).archive,
      wal_keep_size: '1GB',
    }),
  })
  try {
    const companies = await stage.makeCompanies(options.companies)
    const lost = await loadAndLose(stage, companies, program(stage.folder)['CHECKPOINT_DIR'], options)
    return await restoreAll(stage, companies, { ...lost, settings: program(stage.folder) }, options)
  } finally {
    await stage.cleanup.run()
  }
}

function makeArchive(folder: string): string {
  const archive = path.join(folder, 'archive')
  mkdirSync(archive)
  // The server writes there as another user.
  chmodSync(archive, 0o777)
  return archive
}

/** What is left of a lost installation, and what was answered when. */
interface Lost {
  load: Load
  standby: Cluster
  backup: string
  archive: string
  rescuedLog: string
  /** A moment in the middle: in PostgreSQL's notation, and the load's times around it. */
  moment: { time: string; after: number; before: number }
  /** The load's time up to which every answered call reached the archive. */
  archivedAt: number
}

async function loadAndLose(
  stage: Stage,
  companies: LoadedCompany[],
  outside: string,
  options: DrillOptions,
): Promise<Lost> {
  const { cluster, folder } = stage
  const { print, seed, callsPerPart, restMs } = options
  const load = startLoad(
    stage.apis.map(({ address }) => address),
    companies,
    { clients: CLIENTS, seed, resolveWithinMs: RESOLVE_WITHIN_MS, restMs },
  )
  const answered = () => load.operations.filter(({ final }) => final !== null).length
  const more = async () => {
    const wanted = answered() + callsPerPart
    await eventually('calls are answered', async () => answered() >= wanted)
  }
  await more()
  const backup = path.join(folder, 'base.tar')
  await takeBaseBackup(cluster, backup)
  print(`a base backup under load, after ${answered()} calls`)
  const standby = await startStandby(cluster, backup, path.join(folder, 'standby'))
  stage.cleanup.teardown(() => standby.stop())
  await commitOnStandby(cluster)
  print('a standby that every commit waits for')
  await more()
  const after = load.now()
  const { time } = (await ask<{ time: string }>(cluster, 'select clock_timestamp()::text as time'))!
  const moment = { time, after, before: load.now() }
  print(`a moment to go back to, after ${answered()} calls: ${time}`)
  await more()
  const archivedAt = load.now()
  await archiveAll(cluster)
  // From now on the archive fails, as if its disk were gone.
  const archive = path.join(folder, 'archive-as-it-was')
  await rename(path.join(folder, 'archive'), archive)
  print(`the archive fails, after ${answered()} calls`)
  await untilBeyondIsSigned(stage, companies, outside)
  const rescuedLog = await loseServer(stage, load)
  print(`the server is lost, after ${answered()} calls`)
  return { load, standby, backup, archive, rescuedLog, moment, archivedAt }
}

async function commitOnStandby(cluster: Cluster): Promise<void> {
  await ask(cluster, `alter system set synchronous_standby_names = 'standby'`)
  await ask(cluster, 'select pg_reload_conf()')
  await eventually('the standby is synchronous', async () =>
    ask(cluster, `select from pg_stat_replication where sync_state = 'sync'`),
  )
}

/** Ends the current segment of the log, and waits until the archive has it. */
async function archiveAll(cluster: Cluster): Promise<void> {
  const { segment } = (await ask<{ segment: string }>(
    cluster,
    'select pg_walfile_name(pg_switch_wal() - 1) as segment',
  ))!
  await eventually('the segment is archived', async () =>
    ask(cluster, `select from pg_stat_archiver where last_archived_wal >= '${segment}'`),
  )
}

/** Waits until external checkpoints cover events that cannot be in the archive. */
async function untilBeyondIsSigned(stage: Stage, companies: LoadedCompany[], outside: string): Promise<void> {
  const notes = createNotes(readConfig({ CHECKPOINT_DIR: outside }))
  for (const { companyId } of companies) {
    const [head] = await stage.withDatabase((db) =>
      db.selectFrom('heads').select('position').where('company_id', '=', toUuid(companyId)).execute(),
    )
    await eventually(
      'a later checkpoint is outside',
      async () => ((await notes.last(companyId))?.size ?? 0) > head!.position,
    )
  }
}

/** Kills the server and deletes its files except the log. Returns the log's folder. */
async function loseServer(stage: Stage, load: Load): Promise<string> {
  const { cluster, folder } = stage
  await cluster.kill('SIGQUIT')
  await load.end()
  for (const part of [...stage.apis, ...stage.workers]) await part.stop()
  const rescuedLog = path.join(folder, 'rescued-log')
  await rename(path.join(cluster.clusterDir, 'pg_wal'), rescuedLog)
  await rm(cluster.clusterDir, { recursive: true })
  return rescuedLog
}

async function restoreAll(
  stage: Stage,
  companies: LoadedCompany[],
  lost: Lost & { settings: Record<string, string> },
  { print }: DrillOptions,
): Promise<RestoreReport[]> {
  const { load, backup, archive, rescuedLog, moment, archivedAt } = lost
  const folderOf = (name: string) => path.join(stage.folder, name)
  const ways: { way: string; cluster(): Promise<Cluster>; answeredUntil: number; sentFrom?: number }[] = [
    {
      way: 'the synchronous standby is promoted',
      answeredUntil: Infinity,
      cluster: () => promote(lost.standby).then(() => lost.standby),
    },
    {
      way: 'backup, archive, and the log of the lost server',
      answeredUntil: Infinity,
      cluster: () => recoverCluster(stage.cluster, { backup, archive, rescuedLog, clusterDir: folderOf('with-log') }),
    },
    {
      way: 'backup and archive',
      answeredUntil: archivedAt,
      cluster: () => recoverCluster(stage.cluster, { backup, archive, clusterDir: folderOf('with-archive') }),
    },
    {
      way: 'backup and archive, to a moment',
      answeredUntil: moment.after,
      sentFrom: moment.before,
      cluster: () =>
        recoverCluster(stage.cluster, { backup, archive, time: moment.time, clusterDir: folderOf('to-a-moment') }),
    },
  ]
  const reports: RestoreReport[] = []
  for (const [at, { way, cluster: restore, ...bounds }] of ways.entries()) {
    print(`restoring: ${way}`)
    const cluster = await restore()
    stage.cleanup.teardown(() => cluster.stop())
    const outside = path.join(stage.folder, `outside-${at}`)
    await cp(lost.settings['CHECKPOINT_DIR']!, outside, { recursive: true })
    const settings = { ...lost.settings, CHECKPOINT_DIR: outside }
    reports.push({
      way,
      ...(await judgeRestore(stage, cluster, { companies, operations: load.operations, settings, ...bounds })),
    })
    await cluster.stop()
  }
  return reports
}
