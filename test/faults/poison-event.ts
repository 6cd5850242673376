import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { findings } from './oracle/finding.ts'
import type { Happened, LoadUnder } from './fault.ts'
import { lagMs } from './lag.ts'
import { runProgram } from './program.ts'
import type { Stage } from './stage.ts'

/** Generous, for a busy machine, on which workers take a minute to start. */
const WITHIN_MS = 300_000
const LOOKS_EVERY_MS = 50
const LAG_MS = 1_000

/**
 * One company's event is made unfoldable. The company has to be parked right before it while the others continue;
 * when the event is repaired and an operator resumes the company, it has to continue where it stopped.
 */
export async function poisonEvent(stage: Stage, random: SeededRandom, { companyIds }: LoadUnder): Promise<Happened> {
  const wrong: string[] = []
  const companyId = random.pick(companyIds)
  const others = companyIds.filter((id) => id !== companyId)
  const poisoned = await poison(stage, companyId)
  if (!(await within(() => areParked(stage, companyId))))
    wrong.push(`${companyId} was not parked for its event at ${poisoned.position}`)
  for (const { projection, position } of await checkpointsOf(stage, companyId)) {
    if (position >= poisoned.position) wrong.push(`${projection} went past the event at ${poisoned.position}`)
  }
  if (!(await within(() => stage.withDatabase(async (db) => (await lagMs(db, others, stage.projections)) < LAG_MS)))) {
    wrong.push('the other companies lag while one is parked')
  }
  const parkedAt = await checkpointsOf(stage, companyId)
  await setType(stage, companyId, poisoned.position, poisoned.type)
  for (const { name } of stage.projections) {
    const exitCode = await runProgram(stage, ['projections', 'resume', name, '--company', companyId])
    if (exitCode !== 0) wrong.push(`projections resume ${name} ended with ${exitCode}`)
  }
  for (const now of await checkpointsOf(stage, companyId)) {
    const before = parkedAt.find(({ projection }) => projection === now.projection)!
    if (now.position < before.position)
      wrong.push(`${now.projection} went back from ${before.position} to ${now.position}`)
  }
  return { wrong: findings('fault', wrong) }
}

/** Blocks the company's folding until it has an unfolded event, and breaks that event. */
async function poison(stage: Stage, companyId: string): Promise<{ position: number; type: string }> {
  const id = toUuid(companyId)
  return stage.withDatabase((db) =>
    db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction)
      await sql`select 1 from checkpoints where company_id = ${id} for update`.execute(transaction)
      for (const deadline = performance.now() + WITHIN_MS; performance.now() < deadline; await pause(LOOKS_EVERY_MS)) {
        const { rows } = await sql<{
          position: number
          type: string
        }>`select position, type from events where company_id = ${id}
        and position = (select max(position) + 1 from checkpoints where company_id = ${id})`.execute(transaction)
        if (!rows[0]) continue
        // A worker that has read the intact event would fold it; the restarted ones read it broken.
        for (const worker of stage.workers) await worker.restart('SIGKILL')
        await sql`update events set type = 'NobodyKnowsThis' where company_id = ${id} and position = ${rows[0].position}`.execute(
          transaction,
        )
        return rows[0]
      }
      throw new Error(`${companyId} has had no event to poison`)
    }),
  )
}

async function setType(stage: Stage, companyId: string, position: number, type: string): Promise<void> {
  await stage.withDatabase((db) =>
    db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction)
      await sql`update events set type = ${type} where company_id = ${toUuid(companyId)} and position = ${position}`.execute(
        transaction,
      )
    }),
  )
}

async function checkpointsOf(stage: Stage, companyId: string) {
  const select = sql<{ projection: string; position: number; parked: boolean }>`
    select projection, position, parked_at is not null as parked from checkpoints where company_id = ${toUuid(companyId)}`
  return stage.withDatabase(async (db) => (await select.execute(db)).rows)
}

/** Makes later retries due at once. */
async function areParked(stage: Stage, companyId: string): Promise<boolean> {
  await stage.withDatabase((db) =>
    sql`update checkpoints set next_try_at = null where company_id = ${toUuid(companyId)}`.execute(db),
  )
  const checkpoints = await checkpointsOf(stage, companyId)
  return checkpoints.length === stage.projections.length && checkpoints.every(({ parked }) => parked)
}

async function within(ask: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + WITHIN_MS; performance.now() < deadline; await pause(LOOKS_EVERY_MS))
    if (await ask()) return true
  return false
}
