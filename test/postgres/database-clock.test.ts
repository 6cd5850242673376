import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { databaseTimeMs, followDatabaseClock } from '../../src/postgres/database-clock.ts'
import { startService } from '../support/service.ts'

const SLOW_MS = 2_000

await t.test("a slow connection does not move this process's idea of the database's clock", async (t) => {
  const { pool } = await startService(t)
  async function connect() {
    const client = await pool.connect()
    await pause(SLOW_MS)
    return client
  }
  t.teardown(await followDatabaseClock({ connect }))
  const estimated = databaseTimeMs()
  const { rows } = await pool.query<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
  // Half of the time to connect would be added.
  t.ok(estimated < rows[0]!.ms + SLOW_MS / 4, `${estimated - rows[0]!.ms} ms ahead`)
})
