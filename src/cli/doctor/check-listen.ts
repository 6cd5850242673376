import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { fail, ok, type Finding } from './finding.ts'

const ARRIVES_WITHIN_MS = 2_000

/** Checks that notifications arrive on a listening connection. Something between here and the server may drop them. */
export async function checkListen(pool: Pool): Promise<Finding> {
  const channel = `doctor_${randomUUID().replaceAll('-', '')}`
  const [listener, other] = await Promise.all([pool.connect(), pool.connect()])
  let timer: NodeJS.Timeout | undefined
  try {
    const arrived = new Promise<boolean>((resolve) => {
      listener.on('notification', (message) => message.channel === channel && resolve(true))
      timer = setTimeout(() => resolve(false), ARRIVES_WITHIN_MS)
    })
    await listener.query(`listen ${channel}`)
    await other.query(`notify ${channel}`)
    if (await arrived) return ok('LISTEN', 'notifications arrive')
    return fail(
      'LISTEN',
      'notifications do not arrive, so workers see events late',
      'connect directly to PostgreSQL, or through a pooler that passes on notifications',
    )
  } finally {
    clearTimeout(timer)
    // Destroy the listening connection instead of returning it to the pool.
    listener.release(true)
    other.release()
  }
}
