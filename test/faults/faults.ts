import { once } from 'node:events'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { isAlive } from '../../src/database/is-alive.ts'
import type { SeededRandom } from '../../src/cli/seeded-random.ts'
import { API_POINTS, WORKER_POINTS } from './plants.ts'
import type { Stage } from './stage.ts'

/** Something bad that happens to an installation under load, and is over when it returns. */
export type Fault = (stage: Stage, random: SeededRandom) => Promise<void>

/** How often a place in the program may be passed at most before the process ends itself there. */
const PASSES = 12
const DOWN_AT_MOST_MS = 1_500
const DIES_WITHIN_MS = 10_000
const DAY_MS = 86_400_000

/** Faults that need a stage on a small disk of its own. */
export const ON_A_SMALL_DISK: ReadonlySet<string> = new Set(['disk full'])

/** Every kind of fault, by name. */
export const FAULTS: Record<string, Fault> = {
  nothing: async () => undefined,
  'API killed at a point': async ({ apis }, random) => {
    const name = random.pick(Object.keys(API_POINTS))
    await dieAt(random.pick(apis), { name, killAt: 1 + random.below(PASSES) })
  },
  'API killed at random': async ({ apis }, random) => {
    await pause(random.below(500))
    await random.pick(apis).restart('SIGKILL')
  },
  'worker killed at a point': async ({ workers }, random) => {
    const name = random.pick(Object.keys(WORKER_POINTS))
    await dieAt(random.pick(workers), { name, killAt: 1 + random.below(PASSES) })
  },
  'worker killed at random': async ({ workers }, random) => {
    await pause(random.below(500))
    await random.pick(workers).restart('SIGKILL')
  },
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
  'backends killed': async (stage, random) => {
    for (let count = 0; count < 5; count += 1) {
      await stage.withDatabase(async (db) => {
        await sql`select pg_terminate_backend(pid) from (
          select pid from pg_stat_activity where application_name like 'employee-ledger%' and pid <> pg_backend_pid()
          order by md5(pid::text || ${String(random.below(1_000_000))}) limit 2) as some`.execute(db)
      })
      await pause(random.below(200))
    }
  },
  'answer to COMMIT swallowed': ({ line }) => lose(() => line.loseNext('swallow the answer to COMMIT'), line.losses),
  'COMMIT swallowed': ({ line }) => lose(() => line.loseNext('swallow COMMIT'), line.losses),
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
          select name, data from pgboss.job where name like 'project-%' and state = 'completed' order by completed_on desc limit 2`.execute(db)
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
    // PostgreSQL ends itself when it cannot write its log.
    if (!isAlive(stage.cluster.pid())) await stage.cluster.start()
  },
  'everything killed': async ({ apis, workers, cluster }) => {
    const kills = [...apis, ...workers].map((part) => part.restart('SIGKILL'))
    await cluster.kill('SIGQUIT')
    await Promise.all(kills)
    await cluster.start()
  },
}

/** Starts a process anew that ends itself at a place in its code, and waits until it has. */
async function dieAt(process: Stage['apis'][number], plant: { name: string; killAt: number }): Promise<void> {
  await process.restart('SIGTERM', plant)
  await process.ready()
  const child = process.child()
  // The load may never come by this place so often, for example on a worker that finds nothing to do.
  const timer = setTimeout(() => child.kill('SIGKILL'), DIES_WITHIN_MS)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  clearTimeout(timer)
}

async function lose(plan: () => void, losses: () => number): Promise<void> {
  const before = losses()
  plan()
  for (let waited = 0; losses() === before && waited < DIES_WITHIN_MS; waited += 20) await pause(20)
}

const FILLED_AT_ONCE = 1024 * 1024

/** Fills a small disk of its own to the last byte. Returns how to free it. */
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
