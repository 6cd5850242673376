import type { Server } from 'node:http'

const EVERY_ADDRESS = new Set(['0.0.0.0', '::'])

/** Where a listening server is reached from this machine, and whether it listens on every address of it. */
export function baseUrlOf(server: Server): { url: string; isEverywhere: boolean } {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen on a port')
  const { address, port } = bound
  const isEverywhere = EVERY_ADDRESS.has(address)
  // Node.js lets `::` take IPv4 too, and that works where a container has no IPv6 address of its own.
  const host = isEverywhere ? '127.0.0.1' : address
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, isEverywhere }
}
