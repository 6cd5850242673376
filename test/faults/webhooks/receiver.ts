import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'

/** A message as it arrived. */
export interface Arrival {
  headers: IncomingHttpHeaders
  text: string
  /** Its place among the receiver's acceptances; null if it got no 2xx. */
  accepted: number | null
}

/** A receiver of one webhook. */
export interface Receiver {
  url: string
  arrivals: Arrival[]
  /** How often it was killed, or did anything but accept a message at once. */
  troubles(): number
  /** From here on it lives, and accepts each message at once. */
  recover(): Promise<void>
  close(): Promise<void>
}

/** What an unreliable receiver does with a message that it has taken. */
const CONDUCTS = ['accept', 'accept', 'accept', 'accept', 'accept', 'late', 'fail', 'hang up', 'busy', 'hold'] as const
const LATE_AT_MOST_MS = 3_000
const HELD_AT_MOST_MS = 120_000
const ALIVE_AT_MOST_MS = 2_000
const DEAD_AT_MOST_MS = 800
const LISTENS_AGAIN_MS = 20
const ECHOED = 600

/**
 * Starts a receiver. An unreliable one has its chances from `random`: it is killed and started again, accepts late, or
 * lies: it takes a message, and answers 500 or 429, hangs up, or does not answer until it recovers. A reliable one
 * accepts each message at once, and repeats its beginning in the answer.
 */
export async function startReceiver(random: SeededRandom | null): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const well = new AbortController()
  let [acceptances, troubles] = [0, 0]
  const server = createServer((request, response) => void take(request, response).catch(() => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const untilWell = (ms: number) => pause(ms, undefined, { signal: well.signal }).catch(() => undefined)

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const arrival: Arrival = { headers: request.headers, text, accepted: null }
    arrivals.push(arrival)
    const conduct = random === null || well.signal.aborted ? 'accept' : random.pick(CONDUCTS)
    if (conduct !== 'accept') troubles += 1
    if (conduct === 'fail') return void response.writeHead(500).end('no')
    if (conduct === 'hang up') return void request.socket.destroy()
    if (conduct === 'busy') return void response.writeHead(429, { 'retry-after': '1' }).end()
    if (conduct === 'late') await untilWell(random!.below(LATE_AT_MOST_MS))
    if (conduct === 'hold') await untilWell(HELD_AT_MOST_MS)
    // It was killed, or nobody waits any more.
    if (request.socket.destroyed) return
    acceptances += 1
    arrival.accepted = acceptances
    response.writeHead(200).end(random === null ? text.slice(0, ECHOED) : undefined)
  }

  async function dieAndLive(chances: SeededRandom): Promise<void> {
    for (;;) {
      await untilWell(chances.below(ALIVE_AT_MOST_MS))
      if (well.signal.aborted) return
      troubles += 1
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await untilWell(chances.below(DEAD_AT_MOST_MS))
      while (!(await listens())) await pause(LISTENS_AGAIN_MS)
    }
  }

  /** Somebody else may have the port for a moment. */
  async function listens(): Promise<boolean> {
    const listening = once(server, 'listening')
    server.listen(port, '127.0.0.1')
    return listening.then(
      () => true,
      () => false,
    )
  }

  const living = random === null ? Promise.resolve() : dieAndLive(random)
  async function recover(): Promise<void> {
    well.abort()
    await living
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    arrivals,
    troubles: () => troubles,
    recover,
    async close() {
      await recover()
      server.close()
      server.closeAllConnections()
    },
  }
}
