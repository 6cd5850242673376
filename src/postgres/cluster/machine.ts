import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { createClient } from '../client.ts'
import type { PoolOptions } from '../pool.ts'
import { openPool } from '../pool.ts'
import { isPoolExhausted, isTransient, sqlState } from '../database-errors.ts'
import type { MachineAddress } from './machine-address.ts'

/** How often a machine is asked whether it answers while a connection to it is in use, or it is down. */
const PING_INTERVAL_MS = 250
/** The same at other times, when nobody waits for it. */
const IDLE_PING_INTERVAL_MS = 1_000

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
  /**
   * Takes a connection from the pool with these options, and opens the pool if needed. Rejects with MachineDownError as
   * soon as the machine is down.
   */
  connect(pool: PoolOptions): Promise<pg.PoolClient>
  /** The connections of a pool, by its name. */
  count(pool: string): Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>
  close(): Promise<void>
}

/**
 * Opens a machine. It is pinged over a connection of its own: if it does not answer within `answerMs`, it is down,
 * every connection to it is closed, and whatever waits for one of them fails. So a machine that hangs holds nothing up
 * for much longer than that, however long statements may take on one that works. While no connection is in use, pings
 * are rarer.
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
      await pinging
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

  const isInUse = () => [...pools.values()].some(({ totalCount, idleCount }) => totalCount > idleCount)

  async function waitForNextPing(): Promise<void> {
    let waitedMs = 0
    do {
      await pause(PING_INTERVAL_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined)
      waitedMs += PING_INTERVAL_MS
    } while (!stopped.signal.aborted && !machine.isDown && !isInUse() && waitedMs < IDLE_PING_INTERVAL_MS)
  }

  async function keepPinging(): Promise<void> {
    let heartbeat: pg.Client | undefined
    while (!stopped.signal.aborted) {
      try {
        heartbeat ??= openHeartbeat(url)
        await withTimeout(ping(heartbeat), answerMs)
        setUp()
      } catch (error) {
        const hasAnswered = heartbeat !== undefined && answered.has(heartbeat)
        destroy(heartbeat)
        heartbeat = undefined
        if (stopped.signal.aborted) break
        // The connection may be all that was lost: only a new one tells.
        if (hasAnswered && !(error instanceof SilenceError)) continue
        // A machine that refuses another connection works.
        if (sqlState(error) === TOO_MANY_CONNECTIONS) setUp()
        else setDown(error)
      }
      await waitForNextPing()
    }
    // A machine that has gone silent would not answer a goodbye.
    destroy(heartbeat)
  }

  const pinging = keepPinging()
  return machine
}

/** Runs a task on the first of these machines that answers. One whose connections are all in use has answered. */
export async function onFirst<Result>(
  machines: Machine[],
  task: (machine: Machine) => Promise<Result>,
): Promise<Result> {
  let failure: unknown
  for (const machine of machines) {
    try {
      return await task(machine)
    } catch (error) {
      if (!isTransient(error) || isPoolExhausted(error)) throw error
      failure = error
    }
  }
  throw failure
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
const answered = new WeakSet<pg.Client>()

function openHeartbeat(url: string): pg.Client {
  return createClient({ connectionString: url, application_name: 'employee-ledger heartbeat', keepAlive: true })
}

async function ping(client: pg.Client): Promise<void> {
  if (!answered.has(client)) await client.connect()
  await client.query('select 1')
  answered.add(client)
}

/** Rejects after this time, unless the answer has arrived and this process was too busy to read it. */
async function withTimeout(answer: Promise<void>, withinMs: number): Promise<void> {
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
