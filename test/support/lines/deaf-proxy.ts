import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

const NOTIFICATION = 'A'.charCodeAt(0)
const TYPE_AND_LENGTH = 5

/** Starts a proxy to PostgreSQL that drops notifications. Returns its address. */
export async function startDeafProxy(t: Test, target: string): Promise<string> {
  const { hostname, port } = new URL(target)
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    let rest: Buffer = Buffer.alloc(0)
    upstream.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes])
      while (rest.length >= TYPE_AND_LENGTH && rest.length > rest.readUInt32BE(1)) {
        const end = 1 + rest.readUInt32BE(1)
        if (rest[0] !== NOTIFICATION) client.write(rest.subarray(0, end))
        rest = rest.subarray(end)
      }
    })
    client.pipe(upstream)
    for (const socket of [client, upstream])
      socket.on('error', () => undefined).on('close', () => [client, upstream].forEach((one) => one.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return Object.assign(new URL(target), { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) })
    .href
}
