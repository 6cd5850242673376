import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import type { Test } from 'tap'

/** What a transaction that commits through the line meets, before its connection is cut. */
export type CommitLoss = 'swallow the answer to COMMIT' | 'swallow COMMIT'

/** The line between the program and PostgreSQL, on loopback: always at the same address, and as bad as it is told to be. */
export interface DatabaseLine {
  /** A URL of the database, led through the line. */
  through(url: string): string
  /** Every answer comes so much later, in milliseconds; 0 ends it. */
  delay(ms: number): void
  /** Nothing passes any more in either direction, and no connection is closed; false ends it. */
  silence(isOn: boolean): void
  /** Resets all connections that stand. */
  reset(): void
  /** Loses one COMMIT, or what is answered to it. */
  loseNext(loss: CommitLoss): void
  /** How many have been lost. */
  losses(): number
}

// In PostgreSQL's protocol a text ends with a zero byte. Before the name of a statement that is to be run stand the message's
// type and length and the name of a portal, which is empty; before that of one to be parsed, and before a text, only the former.
const COMMIT = Buffer.from('commit\0')
const BEFORE_NAME = 6
// What the server answers to COMMIT: the tag of the command, also of a transaction that had failed.
const COMMITTED = [Buffer.from('COMMIT\0'), Buffer.from('ROLLBACK\0')]
const CUT_AFTER_MS = { 'swallow COMMIT': 30, 'swallow the answer to COMMIT': 10_000 }

/** Opens the line to wherever the server listens at the time of each connection. */
export async function openDatabaseLine(t: Pick<Test, 'teardown'>, portOfServer: () => number): Promise<DatabaseLine> {
  const sockets = new Set<net.Socket>()
  let [planned, lost, delayMs, isSilent] = [undefined as CommitLoss | undefined, 0, 0, false]
  const server = net.createServer((client) => {
    const upstream = net.connect(portOfServer(), '127.0.0.1')
    const cut = () => [client, upstream].forEach((socket) => socket.destroy())
    let isMuted = false
    client.on('data', (bytes) => {
      const at = planned === undefined ? -1 : bytes.indexOf(COMMIT)
      if (isSilent) return
      if (at < 0) return void upstream.write(bytes)
      isMuted = true
      upstream.write(planned === 'swallow COMMIT' ? bytes.subarray(0, Math.max(0, at - BEFORE_NAME)) : bytes)
      lost += 1
      // Cut before the server has read it, COMMIT itself would be lost.
      const late = setTimeout(cut, CUT_AFTER_MS[planned!])
      upstream
        .on('data', (answered) => COMMITTED.some((tag) => answered.includes(tag)) && cut())
        .once('close', () => clearTimeout(late))
      planned = undefined
    })
    const answer = (bytes: Buffer) => isMuted || isSilent || client.destroyed || client.write(bytes)
    upstream.on('data', (bytes) => (delayMs > 0 ? setTimeout(answer, delayMs, bytes) : answer(bytes)))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket
        .on('error', cut)
        .on('close', cut)
        .on('close', () => sockets.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A socket that is being shut down cannot be reset: Node would wait for it at its own end, for ever.
  const reset = () =>
    [...sockets].forEach((socket) => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy()))
  t.teardown(() => {
    reset()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    delay: (ms) => (delayMs = ms),
    silence(isOn) {
      isSilent = isOn
      // Bytes were lost on what stood: nothing can go on there.
      if (!isOn) reset()
    },
    reset,
    loseNext: (loss) => (planned = loss),
    losses: () => lost,
  }
}
