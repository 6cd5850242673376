import type { Test } from 'tap'
import { openProxy } from './open-proxy.ts'

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
  const beginnings: Beginning[] = []
  const { through } = await openProxy(t, target, ({ send }) => {
    let sent: Buffer | null = Buffer.alloc(0)
    return {
      fromClient(bytes) {
        send(bytes)
        if (sent === null) return
        sent = Buffer.concat([sent, bytes])
        const beginning = readBeginning(sent)
        if (beginning === null) return
        beginnings.push(beginning)
        sent = null
      },
    }
  })
  return { through, beginnings }
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
