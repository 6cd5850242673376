import t from 'tap'
import { databaseTimeMs, followDatabaseClock } from '../../src/postgres/database-clock.ts'
import { startService } from '../support/service.ts'

const SLOW_MS = 20_000

await t.test("a slow connection does not move this process's idea of the database's clock", async (t) => {
  const { pool } = await startService(t)
  const { now } = performance
  t.teardown(async () => {
    performance.now = now
    // What was measured is wrong from here on, also in the other tests of this process.
    const stop = await followDatabaseClock(pool)
    stop()
  })
  async function connect() {
    const client = await pool.connect()
    performance.now = () => now.call(performance) + SLOW_MS
    return client
  }
  t.teardown(await followDatabaseClock({ connect }))
  const { rows } = await pool.query<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
  // Half of the time to connect would be added.
  t.ok(Math.abs(databaseTimeMs() - rows[0]!.ms) < SLOW_MS / 4)
})
