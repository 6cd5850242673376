import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { Stage } from './stage.ts'

const TAKEN_AT_LEAST_MS = 2_000
const TOO_MANY = '53300'
const CONNECTIONS_AT_MOST = 300

/** Takes every PostgreSQL connection, including the program's, and keeps them for a while. */
export async function connectionsTaken(stage: Stage, random: SeededRandom): Promise<void> {
  const url = Object.assign(new URL(stage.cluster.urls.serviceUrl), { port: String(stage.cluster.port()) }).href
  const taken: pg.Client[] = []
  const until = performance.now() + TAKEN_AT_LEAST_MS + random.below(2_000)
  try {
    await stage.withDatabase(async (db) => {
      // Also take those that the program has reopened in the meantime.
      for (; performance.now() < until; await pause(10)) {
        await takeAll(url, taken)
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'employee-ledger%'`.execute(
          db,
        )
      }
    })
  } finally {
    await Promise.all(taken.map((client) => client.end()))
  }
}

async function takeAll(url: string, taken: pg.Client[]): Promise<void> {
  while (taken.length < CONNECTIONS_AT_MOST) {
    const client = new pg.Client({ connectionString: url, application_name: 'somebody else' })
    client.on('error', () => undefined)
    try {
      await client.connect()
    } catch (error) {
      if ((error as { code?: string }).code === TOO_MANY) return
      throw error
    }
    taken.push(client)
  }
}
