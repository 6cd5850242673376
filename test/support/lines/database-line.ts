import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import type { Test } from 'tap'

/** What happens to a transaction's COMMIT on the line before its connection is cut. */
export type CommitLoss = 'swallow the answer to COMMIT' | 'swallow COMMIT'

/** The loopback line between the program and PostgreSQL: always at the same address, and with faults on request. */
export interface DatabaseLine {
  /** A database URL that leads through the line. */
  through(url: string): string
  /** Delays every answer by this many milliseconds; 0 stops that. */
  delay(ms: number): void
  /** Lets nothing pass in either direction, without closing connections; false stops that. */
  silence(isOn: boolean): void
  /** Resets all open connections. */
  reset(): void
  /** Loses one COMMIT or its answer. */
  loseNext(loss: CommitLoss): void
  /** How many have been lost. */
  losses(): number
}

// In PostgreSQL's protocol a text ends with a zero byte. The name of a statement to execute comes after the message's
// type and length and an empty portal name; the name of one to parse, and a text, only after type and length.
const COMMIT = Buffer.from('commit\0')
const BEFORE_NAME = 6
// The server's answer to COMMIT is its command tag, ROLLBACK if the transaction had failed.
const COMMITTED = [Buffer.from('COMMIT\0'), Buffer.from('ROLLBACK\0')]
const CUT_AFTER_MS = { 'swallow COMMIT': 30, 'swallow the answer to COMMIT': 10_000 }

/** Opens the line to the server's port at the time of each connection. */
export async function openDatabaseLine(t: Pick<Test, 'teardown'>, portOfServer: () => number): Promise<DatabaseLine> {
  return (await openDatabaseLines(t, [portOfServer]))[0]!
}

/** Opens a line to each of several servers. They share their faults, so that one COMMIT is lost, on whichever it comes. */
export async function openDatabaseLines(t: Pick<Test, 'teardown'>, ports: (() => number)[]): Promise<DatabaseLine[]> {
  const sockets = new Set<net.Socket>()
  let [planned, lost, delayMs, isSilent] = [undefined as CommitLoss | undefined, 0, 0, false]
  const listen = (portOfServer: () => number) =>
    net.createServer((client) => connect(client, net.connect(portOfServer(), '127.0.0.1')))
  const connect = (client: net.Socket, upstream: net.Socket) => {
    const cut = () => [client, upstream].forEach((socket) => socket.destroy())
    let isMuted = false
    client.on('data', (bytes) => {
      const at = planned === undefined ? -1 : bytes.indexOf(COMMIT)
      if (isSilent) return
      if (at < 0) return void upstream.write(bytes)
      isMuted = true
      upstream.write(planned === 'swallow COMMIT' ? bytes.subarray(0, Math.max(0, at - BEFORE_NAME)) : bytes)
      lost += 1
      // Cutting before the server has read it would lose COMMIT itself.
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
  }
  const servers = ports.map(listen)
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening')
  // A socket that is shutting down can't be reset: Node would wait for its end forever.
  const reset = () =>
    [...sockets].forEach((socket) => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy()))
  t.teardown(() => {
    reset()
    for (const server of servers) server.close()
  })
  const shared = {
    delay: (ms: number) => (delayMs = ms),
    silence(isOn: boolean) {
      isSilent = isOn
      // Open connections have lost bytes, so they can't continue.
      if (!isOn) reset()
    },
    reset,
    loseNext: (loss: CommitLoss) => (planned = loss),
    losses: () => lost,
  }
  return servers.map((server) => {
    const { port } = server.address() as AddressInfo
    const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href
    return { ...shared, through }
  })
}
