import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

type Pass = (bytes: Buffer) => void

/**
 * Opens a loopback TCP proxy to a server. Each connection asks `open` what to do with the bytes of either side, which
 * pass by default.
 */
export async function openProxy(
  t: Pick<Test, 'teardown'>,
  target: string,
  open: (line: { send: Pass; answer: Pass; cut(): void }) => { fromClient?: Pass; fromServer?: Pass },
) {
  const { hostname, port } = new URL(target)
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    const line = {
      send: (bytes: Buffer) => void upstream.write(bytes),
      answer: (bytes: Buffer) => void client.write(bytes),
      cut: () => [client, upstream].forEach((socket) => socket.destroy()),
    }
    const { fromClient = line.send, fromServer = line.answer } = open(line)
    client.on('data', fromClient)
    upstream.on('data', fromServer)
    for (const socket of [client, upstream]) socket.on('error', line.cut).on('close', line.cut)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const own = String((server.address() as AddressInfo).port)
  return {
    address: `http://127.0.0.1:${own}`,
    /** A URL that leads through the proxy. */
    through: (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: own }).href,
  }
}
