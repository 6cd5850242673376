import type { Server } from 'node:http'

const EVERY_ADDRESS = new Set(['0.0.0.0', '::'])

/** The URL of a listening server on this machine, and whether the server listens on all addresses. */
export function getBaseUrl(server: Server): { url: string; isEverywhere: boolean } {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server is not listening on a port')
  const { address, port } = bound
  const isEverywhere = EVERY_ADDRESS.has(address)
  // Node.js accepts IPv4 on `::` too, and a container may have no IPv6 address.
  const host = isEverywhere ? '127.0.0.1' : address
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, isEverywhere }
}
