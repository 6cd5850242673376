import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import type { Test } from 'tap'

/** How a connection to PostgreSQL began. */
interface Beginning {
  /** The start-up parameters. */
  parameters: Record<string, string>
  statement: string
}

const LENGTH = 4
const TYPE_AND_LENGTH = 5
const VERSION = 4
const [QUERY, PARSE] = ['Q'.charCodeAt(0), 'P'.charCodeAt(0)]

/** A line to PostgreSQL that notes how each connection begins: its start-up parameters, and its first statement. */
export async function startWatchedLine(
  t: Pick<Test, 'teardown'>,
  target: string,
): Promise<{ through(url: string): string; beginnings: Beginning[] }> {
  const { hostname, port } = new URL(target)
  const beginnings: Beginning[] = []
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    let sent = Buffer.alloc(0)
    const note = (bytes: Buffer) => {
      sent = Buffer.concat([sent, bytes])
      const beginning = readBeginning(sent)
      if (beginning === null) return
      beginnings.push(beginning)
      client.off('data', note)
    }
    client.on('data', note)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream])
      socket.on('error', () => undefined).on('close', () => [client, upstream].forEach((one) => one.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const own = String((server.address() as AddressInfo).port)
  return { through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: own }).href, beginnings }
}

/** Reads what a client has sent so far; null if its first statement is not there yet. */
function readBeginning(sent: Buffer): Beginning | null {
  const start = sent.length < LENGTH ? Infinity : sent.readUInt32BE(0)
  if (sent.length < start) return null
  const words = textsIn(sent.subarray(LENGTH + VERSION, start))
  const parameters = Object.fromEntries(
    words.flatMap((name, at) => (at % 2 === 0 && name !== '' ? [[name, words[at + 1]!]] : [])),
  ) as Record<string, string>
  for (let at = start; sent.length >= at + TYPE_AND_LENGTH;) {
    const end = at + 1 + sent.readUInt32BE(at + 1)
    if (sent.length < end) return null
    const texts = textsIn(sent.subarray(at + TYPE_AND_LENGTH, end))
    if (sent[at] === QUERY) return { parameters, statement: texts[0]! }
    // The name of the statement comes first.
    if (sent[at] === PARSE) return { parameters, statement: texts[1]! }
    at = end
  }
  return null
}

const textsIn = (bytes: Buffer) => bytes.toString('utf8').split('\0')
