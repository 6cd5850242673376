import type { Pool } from 'pg'
import { eventually } from '../eventually.ts'

/** Waits out the last half minute of an hour of the database's clock, for what is counted by the hour or the day. */
export async function notAtTheEndOfAnHour(pool: Pool): Promise<void> {
  await eventually('an hour that does not end at once', async () => {
    const { rows } = await pool.query<{ is: boolean }>(
      `select clock_timestamp() < date_trunc('hour', clock_timestamp()) + interval '59 minutes 30 seconds' as is`,
    )
    return rows[0]!.is
  })
}
