import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** When a connection is cut: while the client is sending, or when the server starts to answer. */
type Cut = 'while sending' | 'before the answer'

interface CuttingProxy {
  address: string
  /** Cuts the next connections as listed, one each. A body must be longer than `SENT_BEFORE_CUT`. */
  cut(...cuts: Cut[]): void
  /** How many connections were cut. */
  cuts(): number
}

const SENT_BEFORE_CUT = 20_000

/** A loopback TCP proxy in front of the service that cuts connections on request. */
export async function startCuttingProxy(t: Test, target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const planned: Cut[] = []
  let done = 0
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    const close = () => [client, upstream].forEach((socket) => socket.destroy())
    let sent = 0
    const cutIf = (cut: Cut, isThere: boolean) => {
      if (!isThere || planned[0] !== cut) return false
      planned.shift()
      done += 1
      close()
      return true
    }
    client.on('data', (bytes) => {
      sent += bytes.length
      if (!cutIf('while sending', sent > SENT_BEFORE_CUT)) upstream.write(bytes)
    })
    // Only a call with a body: reads can simply be repeated.
    upstream.on('data', (bytes) => {
      if (!cutIf('before the answer', sent > SENT_BEFORE_CUT)) client.write(bytes)
      sent = 0
    })
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: (...cuts) => planned.push(...cuts),
    cuts: () => done,
  }
}
