import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { isAlive } from '../../src/files/unfinished.ts'
import type { SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { CommitLoss, DatabaseLine } from '../support/lines/database-line.ts'
import type { Fault, Happened } from './fault.ts'
import { alertUnderKills } from './alerts/alerts.ts'
import { CITUS_FAULTS } from './citus/citus-faults.ts'
import { connectionsTaken } from './connections-taken.ts'
import { deploy } from './deploy.ts'
import { stoppedBeyondExpiry } from './job-expiry.ts'
import { API_STAGES, WORKER_STAGES } from './bugs/plants.ts'
import { abusiveKey } from './hostile/abusive-key.ts'
import { uploadHostileFiles } from './hostile/hostile-files.ts'
import { hugeRecords } from './hostile/huge-records.ts'
import { stalledUploads, UPLOADS_WITHIN_MS } from './hostile/stalled-uploads.ts'
import { changeCompanies, rebuildAll } from './operator-work.ts'
import { poisonEvent } from './poison-event.ts'
import type { Supervised } from './program.ts'
import { gone } from './program.ts'
import type { Stage, StageSettings } from './stage.ts'
import { PREVIOUS_RELEASE, upgrade } from './upgrade.ts'

/** How often the process passes a stage at most before it kills itself there. */
const PASSES = 12
const DOWN_AT_MOST_MS = 1_500
const DIES_WITHIN_MS = 10_000
const DAY_MS = 86_400_000

/** The only fault that needs `PREVIOUS_RELEASE`. */
export const UPGRADE = 'upgrade from the previous release'

/** How many companies a fault's load has, if more than a few. */
export const COMPANIES: Record<string, number> = { 'poison event': 100 }

/** How often a fault happens in a run, if more than once. */
export const TIMES: Record<string, number> = {
  ...Object.fromEntries(Object.keys(CITUS_FAULTS).map((name) => [name, name === 'cluster: machine added' ? 1 : 4])),
  'API killed at a point': 4,
  'API killed at random': 4,
  'worker killed at a point': 4,
  'worker killed at random': 4,
  'answer to COMMIT swallowed': 4,
  'COMMIT swallowed': 4,
  'start: killed at a point': 4,
  'start: killed at random': 4,
  'start: connections lost': 4,
}

/**
 * Faults without webhooks and an administrator: those that damage events, and those whose companies this version doesn't
 * make.
 */
export const UNTOLD: ReadonlySet<string> = new Set(['poison event', UPGRADE])

/** Faults that leave a changed stage behind. */
export const SPOILS: ReadonlySet<string> = new Set(['two versions during a deploy', UPGRADE])

const SMALL_DISK: StageSettings = { smallDisk: true }
const ONE_PROCESS: StageSettings = { isOneProcess: true }
const MAIL: StageSettings = { hasMail: true }
const RELEASE: StageSettings = PREVIOUS_RELEASE === undefined ? {} : { release: PREVIOUS_RELEASE }
const CITUS: StageSettings = { isCitus: true }
const SHORT_UPLOADS: StageSettings = { program: () => ({ REQUEST_TIMEOUT_MS: String(UPLOADS_WITHIN_MS) }) }

/** Faults that need their own stage. */
const STAGES: Record<string, StageSettings> = {
  ...Object.fromEntries(Object.keys(CITUS_FAULTS).map((name) => [name, CITUS])),
  'disk full': SMALL_DISK,
  'stalled uploads': SHORT_UPLOADS,
  'alerts while killed': MAIL,
  [UPGRADE]: RELEASE,
  'start: killed at a point': ONE_PROCESS,
  'start: killed at random': ONE_PROCESS,
  'start: PostgreSQL killed': ONE_PROCESS,
  'start: connections lost': ONE_PROCESS,
}

const USUAL: StageSettings = {}

/** The settings of the stage for a fault. The same object for all faults that can share a stage. */
export function stageOf(fault: string): StageSettings {
  return STAGES[fault] ?? USUAL
}

/** Plans this many runs of the faults in turn, each with its own seed, by the stage that they share. */
export function planRuns(faults: string[], count: number, firstSeed: number) {
  const runs = Array.from({ length: count }, (_, at) => ({ fault: faults[at % faults.length]!, seed: firstSeed + at }))
  return Map.groupBy(runs, ({ fault }) => stageOf(fault))
}

/** Faults in which nothing breaks: a caller is hostile, and no other caller may be refused because of it. */
export const HOSTILE: ReadonlySet<string> = new Set(['abusive key', 'stalled uploads', 'huge records', 'hostile files'])

/** Every kind of fault, by name. */
export const FAULTS: Record<string, Fault> = {
  nothing: async () => undefined,
  'API killed at a point': ({ apis }, random) => dieAtStage(apis, API_STAGES, random),
  'API killed at random': ({ apis }, random) => killAtRandom(apis, random),
  'worker killed at a point': ({ workers }, random) => dieAtStage(workers, WORKER_STAGES, random),
  'worker killed at random': ({ workers }, random) => killAtRandom(workers, random),
  'PostgreSQL stopped at once': async ({ cluster }, random) => {
    await cluster.kill('SIGQUIT')
    await pause(random.below(DOWN_AT_MOST_MS))
    await cluster.start()
  },
  'postmaster killed': async ({ cluster }, random) => {
    await cluster.kill('SIGKILL')
    await pause(random.below(DOWN_AT_MOST_MS))
    await cluster.start()
  },
  'backends terminated': async (stage, random) => {
    let times = 0
    for (let count = 0; count < 5; count += 1) {
      const pids = (await backendsOf(stage, random)).slice(0, 2)
      await stage.withDatabase((db) =>
        sql`select pg_terminate_backend(pid) from unnest(${pids}::integer[]) as pid`.execute(db),
      )
      times += pids.length
      await pause(random.below(200))
    }
    return { times }
  },
  'a backend killed': async (stage, random) => {
    // PostgreSQL then ends all other backends and recovers by itself.
    const [pid] = await backendsOf(stage, random)
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  },
  'answer to COMMIT swallowed': ({ line }) => lose(line, 'swallow the answer to COMMIT'),
  'COMMIT swallowed': ({ line }) => lose(line, 'swallow COMMIT'),
  'slow line': async ({ line, workerLine }, random) => {
    const ms = 20 + random.below(200)
    for (const one of [line, workerLine]) one.delay(ms)
    await pause(1_000)
    for (const one of [line, workerLine]) one.delay(0)
  },
  'connections reset': async ({ line, workerLine }, random) => {
    for (let count = 0; count < 3; count += 1) {
      for (const one of [line, workerLine]) one.reset()
      await pause(random.below(300))
    }
  },
  'silent line': async ({ line, workerLine }, random) => {
    for (const one of [line, workerLine]) one.silence(true)
    await pause(500 + random.below(2_000))
    for (const one of [line, workerLine]) one.silence(false)
  },
  'heads held': async (stage, random) => {
    await stage.withDatabase(async (db) => {
      await db.transaction().execute(async (transaction) => {
        await sql`select 1 from heads order by company_id for update`.execute(transaction)
        await pause(500 + random.below(2_000))
      })
    })
  },
  'all connections taken': connectionsTaken,
  'poison event': poisonEvent,
  'two versions during a deploy': deploy,
  [UPGRADE]: upgrade,
  'worker stopped beyond the expiry of its job': stoppedBeyondExpiry,
  'worker stopped and continued': async ({ workers }, random) => {
    const child = random.pick(workers).child()
    child.kill('SIGSTOP')
    await pause(1_000 + random.below(2_000))
    child.kill('SIGCONT')
  },
  'the same job twenty times': async (stage) => {
    await stage.withDatabase(async (db) => {
      for (let count = 0; count < 20; count += 1) {
        await sql`insert into pgboss.job (name, data)
          select name, data from pgboss.job where name like 'project-%' and state = 'completed' order by completed_on desc limit 2`.execute(
          db,
        )
      }
    })
  },
  'clock of a process a day wrong': async ({ apis, workers }, random) => {
    const [api, worker] = [random.pick(apis), random.pick(workers)]
    const clockSkewMs = random.chance(0.5) ? DAY_MS : -DAY_MS
    for (const part of [api, worker]) await part.restart('SIGTERM', { clockSkewMs })
    for (const part of [api, worker]) await part.ready()
    await pause(1_000)
    for (const part of [api, worker]) await part.restart('SIGTERM')
  },
  'disk full': async (stage) => {
    const free = fillDisk(stage.dataDir)
    await pause(1_500)
    free()
    // PostgreSQL stops when it can't write its log.
    if (!isAlive(stage.cluster.pid())) await stage.cluster.start()
  },
  'read models rebuilt': rebuildAll,
  'companies changed in parallel': changeCompanies,
  'alerts while killed': alertUnderKills,
  'abusive key': abusiveKey,
  'stalled uploads': stalledUploads,
  'huge records': hugeRecords,
  'hostile files': uploadHostileFiles,
  'start: killed at a point': ({ apis }, random) => dieAtStage(apis, [...API_STAGES, ...WORKER_STAGES], random),
  'start: killed at random': ({ apis }, random) => killAtRandom(apis, random),
  'start: PostgreSQL killed': async ({ cluster }, random) => {
    await cluster.kill(random.chance(0.5) ? 'SIGQUIT' : 'SIGKILL')
    await pause(random.below(DOWN_AT_MOST_MS))
    await cluster.start()
  },
  'start: connections lost': async ({ line }, random) => {
    const { times } = await lose(line, random.pick(['swallow COMMIT', 'swallow the answer to COMMIT']))
    line.reset()
    return { times: times + 1 }
  },
  'killed in turn': async ({ apis, workers, cluster }, random) => {
    const kills = [
      () => random.pick(apis).restart('SIGKILL'),
      () => random.pick(workers).restart('SIGKILL'),
      () => cluster.kill(random.chance(0.5) ? 'SIGQUIT' : 'SIGKILL').then(cluster.start),
    ]
    for (const kill of random.sample(kills, kills.length)) {
      await pause(random.below(500))
      await kill()
    }
    return { times: kills.length }
  },
  'everything killed': async ({ apis, workers, cluster }) => {
    const kills = [...apis, ...workers].map((part) => part.restart('SIGKILL'))
    await cluster.kill('SIGQUIT')
    await Promise.all(kills)
    await cluster.start()
  },
  ...CITUS_FAULTS,
}

/** The backends that serve the program, in random order. */
async function backendsOf(stage: Stage, random: SeededRandom): Promise<number[]> {
  const select = sql<{
    pid: number
  }>`select pid from pg_stat_activity where application_name like 'employee-ledger%' order by pid`
  const { rows } = await stage.withDatabase((db) => select.execute(db))
  return random.sample(
    rows.map(({ pid }) => pid),
    rows.length,
  )
}

/** One of these processes kills itself at a stage, while the others continue. */
async function dieAtStage(processes: Supervised[], stages: string[], random: SeededRandom): Promise<Happened> {
  const process = random.pick(processes)
  await process.ready()
  const child = process.child()
  process.dieAt({ stage: random.pick(stages), passes: 1 + random.below(PASSES) })
  // The load may not pass the stage that often, for example on an idle worker.
  const timer = setTimeout(() => child.kill('SIGTERM'), DIES_WITHIN_MS)
  await gone(child).finally(() => clearTimeout(timer))
  return { times: child.signalCode === 'SIGKILL' ? 1 : 0 }
}

async function killAtRandom(processes: Supervised[], random: SeededRandom): Promise<void> {
  const process = random.pick(processes)
  await process.ready()
  await pause(random.below(500))
  await process.restart('SIGKILL')
}

/** Loses a COMMIT. */
async function lose(line: DatabaseLine, loss: CommitLoss): Promise<{ times: number }> {
  const before = line.losses()
  line.loseNext(loss)
  for (let waited = 0; line.losses() === before && waited < DIES_WITHIN_MS; waited += 20) await pause(20)
  return { times: line.losses() - before }
}

const FILLED_AT_ONCE = 1024 * 1024

/** Fills the stage's small disk to the last byte. Returns a function that frees it. */
function fillDisk(dataDir: string | null): () => void {
  if (dataDir === null) throw new Error('this fault needs a stage on a small disk')
  const file = path.join(dataDir, 'filler')
  const handle = openSync(file, 'w')
  try {
    for (let size = FILLED_AT_ONCE; size >= 1; size = Math.floor(size / 2)) fillWith(handle, Buffer.alloc(size))
  } finally {
    closeSync(handle)
  }
  return () => rmSync(file)
}

function fillWith(handle: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(handle, bytes) < bytes.length) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
