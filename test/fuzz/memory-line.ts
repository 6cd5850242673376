import type { Server } from 'node:http'
import { duplexPair } from 'node:stream'
import type { buildConnector } from 'undici'

/*
 * A connection to a server of this process that passes no kernel: the very bytes that a client writes reach the parser,
 * however odd they are, for a fraction of the time.
 */

const LOOPBACK = '127.0.0.1'

/** Connects an undici client to the server. */
export function memoryLine(server: Server): buildConnector.connector {
  return (_, connected) => {
    const [near, far] = duplexPair()
    // What a server asks of a socket, and limits failures by.
    Object.assign(far, {
      remoteAddress: LOOPBACK,
      setTimeout: () => far,
      setNoDelay: () => far,
      setKeepAlive: () => far,
    })
    // One end that is gone is the end of the line.
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    for (const end of [near, far]) end.on('error', () => undefined)
    server.emit('connection', far)
    // Undici looks for its connection only after it has asked for it.
    setImmediate(connected, null, near as never)
  }
}
