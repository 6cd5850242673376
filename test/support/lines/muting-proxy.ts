import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

interface MutingProxy {
  address: string
  /** Delivers nothing more on the open connections that have carried this text, and leaves them open. */
  mute(text: string): void
}

/** A loopback TCP proxy in front of the service whose connections can go silent, as those of a lost network do. */
export async function startMutingProxy(t: Test, target: string): Promise<MutingProxy> {
  const { hostname, port } = new URL(target)
  const connections = new Set<{ sent: string; isMuted: boolean }>()
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    const connection = { sent: '', isMuted: false }
    connections.add(connection)
    client.on('data', (bytes) => {
      connection.sent += bytes.toString('latin1')
      if (!connection.isMuted) upstream.write(bytes)
    })
    upstream.on('data', (bytes) => connection.isMuted || client.write(bytes))
    for (const socket of [client, upstream])
      socket
        .on('error', () => undefined)
        .on('close', () => {
          connections.delete(connection)
          for (const one of [client, upstream]) one.destroy()
        })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mute(text) {
      for (const connection of connections) connection.isMuted ||= connection.sent.includes(text)
    },
  }
}
