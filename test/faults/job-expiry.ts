import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { Happened } from './fault.ts'
import type { Stage } from './stage.ts'

const TRIES = 200
/** Longer than any job of the program may last. */
const PAST = '10 minutes'
const STOPPED_AT_MOST_MS = 3_000

/**
 * A worker stops with a job in progress until the job has expired and another worker has it, and then continues. The
 * job's start is moved back by the time that has to pass; pg-boss itself expires it.
 */
export async function stoppedBeyondExpiry(stage: Stage, random: SeededRandom): Promise<Happened> {
  const child = random.pick(stage.workers).child()
  const expired = await stage.withDatabase(async (db) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      child.kill('SIGSTOP')
      // The other worker finishes its own job within a moment.
      await pause(30)
      const { rows } = await sql<{ count: number }>`with old as (
          update pgboss.job set started_on = started_on - ${PAST}::interval where name like 'project-%' and state = 'active' returning 1)
        select count(*)::integer as count from old`.execute(db)
      if (rows[0]!.count > 0) return rows[0]!.count
      child.kill('SIGCONT')
      await pause(random.below(30))
    }
    return 0
  })
  try {
    if (expired > 0) await supervise(stage)
    await pause(random.below(STOPPED_AT_MOST_MS))
  } finally {
    child.kill('SIGCONT')
  }
  return { times: expired > 0 ? 1 : 0 }
}

async function supervise({ cluster, projections }: Stage): Promise<void> {
  const connectionString = Object.assign(new URL(cluster.urls.ownerUrl), { port: String(cluster.port()) }).href
  const boss = new PgBoss({
    connectionString,
    schema: 'pgboss',
    migrate: false,
    supervise: false,
    schedule: false,
    max: 1,
  })
  boss.on('error', () => undefined)
  await boss.start()
  for (const { name } of projections) await boss.supervise(`project-${name}`)
  await boss.stop({ graceful: false })
}
