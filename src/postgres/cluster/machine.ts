import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { PoolOptions } from '../pool.ts'
import { openPool } from '../pool.ts'
import { sqlState } from '../database-errors.ts'
import type { MachineAddress } from './machine-address.ts'

/** How often a machine is asked for a sign of life. */
const BEAT_MS = 250

/**
 * A machine that does not answer, at this moment. The message begins like node-postgres's own for a lost connection,
 * which it is to whoever waits for an answer.
 */
export class MachineDownError extends Error {
  override name = 'MachineDownError'

  constructor(machine: string, cause?: unknown) {
    super(`Connection terminated: the database machine ${machine} does not answer`, { cause })
  }
}

/** Whether an error, or what caused it, is that a machine does not answer. */
export function isMachineDown(error: unknown): boolean {
  return error instanceof MachineDownError || (error instanceof Error && isMachineDown(error.cause))
}

/** A database machine of a cluster, as one process sees it. */
export interface Machine extends MachineAddress {
  isDown: boolean
  /** A connection of a pool for these statements. Rejects with MachineDownError as soon as the machine is down. */
  connect(pool: PoolOptions): Promise<pg.PoolClient>
  /** The connections of a pool, by its name. */
  count(pool: string): Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>
  close(): Promise<void>
}

/**
 * Opens a machine, without connecting to it. Its heart is listened to on a connection of its own: if it stops beating
 * for `answerMs`, the machine is down, every connection to it is closed, and whatever waits for one of them fails. So a
 * machine that hangs holds nothing up for much longer than that, however long statements may take on one that works.
 */
export function openMachine(address: MachineAddress, answerMs: number, onChange: (isDown: boolean) => void): Machine {
  const { name, url } = address
  const pools = new Map<string, pg.Pool>()
  const connections = new Set<pg.PoolClient>()
  const stopped = new AbortController()
  let isClosed = false
  /** Those who wait for a connection. */
  const waiting = new Set<(error: Error) => void>()

  function poolOf(options: PoolOptions): pg.Pool {
    const known = pools.get(options.name)
    if (known) return known
    const pool = openPool({ ...options, url })
    pool.on('connect', (client) => void connections.add(client))
    pool.on('remove', (client) => void connections.delete(client))
    pools.set(options.name, pool)
    return pool
  }

  const machine: Machine = {
    ...address,
    isDown: false,
    async connect(options) {
      if (machine.isDown || isClosed) throw new MachineDownError(name)
      const connecting = poolOf(options).connect()
      const { promise: down, reject } = Promise.withResolvers<never>()
      waiting.add(reject)
      try {
        return await Promise.race([connecting, down])
      } catch (error) {
        // A connection that comes too late was opened for nothing.
        void connecting.then((client) => client.release(true)).catch(() => undefined)
        throw error
      } finally {
        waiting.delete(reject)
      }
    },
    count: (pool) => pools.get(pool) ?? { totalCount: 0, idleCount: 0, waitingCount: 0 },
    async close() {
      isClosed = true
      // While a connection is in use, silence must still end it.
      await Promise.all([...pools.values()].map((pool) => pool.end()))
      stopped.abort()
      await beating
    },
  }

  function setDown(cause: unknown): void {
    if (machine.isDown) return
    machine.isDown = true
    const error = new MachineDownError(name, cause)
    for (const reject of waiting) reject(error)
    for (const client of connections) (client as unknown as Connected).connection.stream.destroy(error)
    onChange(true)
  }

  function setUp(): void {
    if (!machine.isDown) return
    machine.isDown = false
    onChange(false)
  }

  async function beat(): Promise<void> {
    let heart: pg.Client | undefined
    while (!stopped.signal.aborted) {
      try {
        heart ??= newHeart(url)
        await inTime(hear(heart), answerMs)
        setUp()
      } catch (error) {
        const hasBeaten = heart !== undefined && hearts.has(heart)
        destroy(heart)
        heart = undefined
        if (stopped.signal.aborted) break
        // The connection may be all that was lost: only a new one tells.
        if (hasBeaten && !(error instanceof SilenceError)) continue
        // A machine that refuses another connection works.
        if (sqlState(error) === TOO_MANY_CONNECTIONS) setUp()
        else setDown(error)
      }
      await pause(BEAT_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined)
    }
    // A machine that has gone silent would not answer a goodbye.
    destroy(heart)
  }

  const beating = beat()
  return machine
}

interface Connected {
  connection: { stream: { destroy(error?: Error): void } }
}

function destroy(client: object | undefined): void {
  ;(client as Connected | undefined)?.connection.stream.destroy()
}

/** A machine did not answer in time. */
class SilenceError extends Error {
  override name = 'SilenceError'
}

const TOO_MANY_CONNECTIONS = '53300'
/** The connections that have answered. */
const hearts = new WeakSet<pg.Client>()

function newHeart(url: string): pg.Client {
  const heart = new pg.Client({ connectionString: url, application_name: 'employee-ledger heartbeat', keepAlive: true })
  heart.on('error', () => undefined)
  return heart
}

async function hear(heart: pg.Client): Promise<void> {
  if (!hearts.has(heart)) await heart.connect()
  await heart.query('select 1')
  hearts.add(heart)
}

/** Rejects after this time, unless the answer has arrived and this process was too busy to read it. */
async function inTime(answer: Promise<void>, withinMs: number): Promise<void> {
  let isOver = false
  const over = async () => {
    await pause(withinMs, undefined, { ref: false })
    await new Promise<void>((next) => setImmediate(next))
    await new Promise<void>((next) => setImmediate(next))
    if (!isOver) throw new SilenceError(`no answer within ${withinMs} ms`)
  }
  answer.catch(() => undefined)
  try {
    await Promise.race([answer, over()])
  } finally {
    isOver = true
  }
}
