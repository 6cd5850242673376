import type { Server } from 'node:http'
import { duplexPair } from 'node:stream'
import type { buildConnector } from 'undici'

/*
 * An in-process connection to a server that bypasses the kernel: the client's exact bytes reach the parser, however
 * odd, in a fraction of the time.
 */

const LOOPBACK = '127.0.0.1'

/** Connects an undici client to the server. */
export function memoryLine(server: Server): buildConnector.connector {
  return (_, connected) => {
    const [near, far] = duplexPair()
    // The server expects a socket, and limits failures by its remote address.
    Object.assign(far, {
      remoteAddress: LOOPBACK,
      setTimeout: () => far,
      setNoDelay: () => far,
      setKeepAlive: () => far,
    })
    // When one end closes, so does the other.
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    for (const end of [near, far]) end.on('error', () => undefined)
    server.emit('connection', far)
    // Undici is ready for its connection only after this call.
    setImmediate(connected, null, near as never)
  }
}
