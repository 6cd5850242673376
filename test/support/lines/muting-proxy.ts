import type { Test } from 'tap'
import { openProxy } from './open-proxy.ts'

interface MutingProxy {
  address: string
  /** Delivers nothing more on the open connections that have carried this text, and leaves them open. */
  mute(text: string): void
}

/** A loopback TCP proxy in front of the service whose connections can go silent, as those of a lost network do. */
export async function startMutingProxy(t: Test, target: string): Promise<MutingProxy> {
  const connections: { sent: string; isMuted: boolean }[] = []
  const { address } = await openProxy(t, target, ({ send, answer }) => {
    const connection = { sent: '', isMuted: false }
    connections.push(connection)
    return {
      fromClient(bytes) {
        connection.sent += bytes.toString('latin1')
        if (!connection.isMuted) send(bytes)
      },
      fromServer: (bytes) => connection.isMuted || answer(bytes),
    }
  })
  return {
    address,
    mute(text) {
      for (const connection of connections) connection.isMuted ||= connection.sent.includes(text)
    },
  }
}
