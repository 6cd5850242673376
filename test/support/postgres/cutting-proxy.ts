import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Where a connection is cut: while the client still sends, or when the server has begun to answer. */
type Cut = 'while sending' | 'before the answer'

interface CuttingProxy {
  address: string
  /** Cuts connections from now on, each as the next of these says. A body must be longer than `SENT_BEFORE_CUT`. */
  cut(...cuts: Cut[]): void
  /** How many connections were cut. */
  cuts(): number
}

const SENT_BEFORE_CUT = 20_000

/** A TCP proxy before the service, on loopback, that cuts connections where it is told to. */
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
    // Only a call that has sent a body: what was read can be read again.
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
