import { once } from 'node:events'
import net from 'node:net'
import type { Test } from 'tap'

/** A connection on which a test writes what no HTTP client would. */
interface RawSocket {
  write(bytes: string | Buffer): void
  /** Ends our half of the connection; the other one stays open. */
  end(): void
  /** Cuts the connection off. */
  cut(): void
  /** Resolves once the received text matches. */
  receives(expected: RegExp): Promise<string>
  /** Resolves with everything received once the server has closed the connection. */
  closed(): Promise<string>
}

export async function openRawSocket(t: Pick<Test, 'teardown'>, address: string): Promise<RawSocket> {
  const { hostname, port } = new URL(address)
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  let text = ''
  let isClosed = false
  socket.setEncoding('latin1').on('data', (more: string) => (text += more))
  // A reset is one way to close.
  socket.on('error', () => undefined)
  const over = Promise.withResolvers<void>()
  const close = () => {
    isClosed = true
    over.resolve()
    socket.destroy()
  }
  socket.on('end', close).on('close', close)
  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    cut: () => void socket.destroy(),
    async receives(expected) {
      while (!expected.test(text)) {
        if (isClosed) throw new Error(`it was closed before ${expected} came: ${text}`)
        await Promise.race([once(socket, 'data'), over.promise])
      }
      return text
    },
    async closed() {
      await over.promise
      return text
    },
  }
}

/** The statuses of the answers in a connection's text. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
