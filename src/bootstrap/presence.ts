import os from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { createClient } from '#postgres/pool'
import { HAS_CITUS } from '#postgres/machine-address'
import { IS_DISTRIBUTED } from '#migration/distribution-steps'
import { PRESENCE_LOCK } from '#migration/migration-lock'
import { StartupError } from '#postgres/startup-error'
import type { RunningPart } from './running-part.ts'

const CONNECT_TIMEOUT_MS = 5_000
const RETRY_MS = 1_000

/**
 * Shows `distribute` that this process runs, by a lock on a connection that stays open. Where there is no Citus, nothing
 * is held. `lost` rejects if the tables were distributed while the connection was broken: whatever this process has
 * prepared is for undistributed tables.
 */
export async function announcePresence(url: string): Promise<RunningPart & { lost: Promise<never> }> {
  const stopping = new AbortController()
  let held = await holdLock(url)
  const first = held.isDistributed
  const stop = async () => {
    stopping.abort()
    await held.client?.end().catch(() => undefined)
  }
  if (first === null) return { stop, lost: new Promise(() => undefined) }
  const watch = async (): Promise<never> => {
    for (;;) {
      await held.ended
      if (stopping.signal.aborted) return new Promise(() => undefined)
      held = await holdAgain(url, stopping.signal)
      if (held.isDistributed !== first)
        throw new StartupError('the tables were distributed while this process had no connection: restart this process')
    }
  }
  const lost = watch()
  lost.catch(() => undefined)
  return { stop, lost }
}

interface Held {
  client?: pg.Client
  /** Null without Citus. */
  isDistributed: boolean | null
  ended: Promise<void>
}

/** Takes the lock. Waits for as long as `distribute` runs. */
async function holdLock(url: string): Promise<Held> {
  const client = createClient({
    connectionString: url,
    application_name: `employee-ledger process ${process.pid} on ${os.hostname()}`.slice(0, 63),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await client.connect()
    const { rows } = await client.query<{ has: boolean }>(HAS_CITUS)
    if (!rows[0]!.has) {
      await client.end()
      return { isDistributed: null, ended }
    }
    await client.query('set lock_timeout = 0')
    await client.query('set statement_timeout = 0')
    await client.query(`select pg_advisory_lock_shared(${PRESENCE_LOCK})`)
    const { rows: answerRows } = await client.query<{ is: boolean }>(IS_DISTRIBUTED)
    return { client, isDistributed: answerRows[0]!.is, ended }
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

/** Takes the lock again once the database answers. */
async function holdAgain(url: string, signal: AbortSignal): Promise<Held> {
  for (;;) {
    const held = await holdLock(url).catch(() => null)
    if (held !== null) return held
    await pause(RETRY_MS, undefined, { ref: false, signal }).catch(() => undefined)
    if (signal.aborted) return new Promise(() => undefined)
  }
}
