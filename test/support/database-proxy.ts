import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** What happens to the next transaction that commits through the proxy, before its connection is cut. */
export type CommitFault = 'swallow the answer to COMMIT' | 'swallow COMMIT'

export interface DatabaseProxy {
  url: string
  /** Cuts all connections that stand. */
  cutAll(): void
  next(fault: CommitFault): void
}

// In PostgreSQL's protocol the text of a statement ends with a zero byte.
const COMMIT = Buffer.from('commit\0')
/** The type and the length of a message stand before its text: one byte and four. */
const BEFORE_TEXT = 5
const CUT_AFTER_MS = 50

/** A TCP proxy before PostgreSQL, on loopback, that loses what it is told to lose. */
export async function startDatabaseProxy(t: Test, target: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<net.Socket>()
  let planned: CommitFault | undefined
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    const cut = () => [client, upstream].forEach((socket) => socket.destroy())
    let isMuted = false
    client.on('data', (bytes) => {
      const at = bytes.indexOf(COMMIT)
      if (planned === undefined || at < 0) {
        upstream.write(bytes)
        return
      }
      isMuted = true
      upstream.write(planned === 'swallow COMMIT' ? bytes.subarray(0, at - BEFORE_TEXT) : bytes)
      planned = undefined
      setTimeout(cut, CUT_AFTER_MS)
    })
    upstream.on('data', (bytes) => isMuted || client.write(bytes))
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    for (const socket of [client, upstream]) socket.on('error', cut).on('close', cut)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const own = { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) }
  return {
    url: Object.assign(new URL(target), own).href,
    cutAll: () => [...sockets].forEach((socket) => socket.destroy()),
    next: (fault) => (planned = fault),
  }
}
