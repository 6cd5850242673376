import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Finding } from './finding.ts'
import { ok, warn } from './finding.ts'

const ARRIVES_WITHIN_MS = 2_000

/**
 * Whether a notification arrives on a connection that listens, which it does not behind a pooler that lends a server
 * connection for a transaction at a time.
 */
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
    return warn(
      'LISTEN',
      'notifications do not arrive, so workers learn of events late: a pooler in transaction mode swallows them',
      'connect the workers to PostgreSQL itself, or have the pooler pool by session',
    )
  } finally {
    clearTimeout(timer)
    // A connection that listens is not to be used for anything else.
    listener.release(true)
    other.release()
  }
}
