import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/* Bodies as no HTTP client sends them: of any size, with a length that may be false, and cut off in any way. */

/** How the length of a body is announced. */
export const FRAMINGS = [
  'many chunks',
  'one chunk',
  'a chunk that is not whole',
  'a bad chunk size',
  'its length',
  'a longer length',
  'a shorter length',
] as const

/** How the client ends: it waits for the answer, closes or resets the connection, or sends nothing more. */
export const ENDINGS = ['the last byte', 'FIN', 'RST', 'silence'] as const

export interface RawBody {
  framing: (typeof FRAMINGS)[number]
  bytes: number
  ending: (typeof ENDINGS)[number]
}

/**
 * Sends a request on a connection of its own. `head` is its line and headers, without those that announce the body.
 * Returns the status of the answer, or null if none came. A client that sends nothing more leaves after 30 seconds.
 */
export async function sendRawBody(address: string, head: string, body: RawBody): Promise<number | null> {
  const { hostname, port } = new URL(address)
  const socket = net.connect(Number(port), hostname)
  let text = ''
  const over = new Promise<void>((resolve) => {
    socket.setEncoding('latin1').on('data', (more: string) => {
      text += more
      if (text.includes('\r\n\r\n')) resolve()
    })
    // The server may close the connection at any time.
    socket.on('error', () => undefined).on('close', resolve)
  })
  const [framing, bytes] = frame(body)
  const sent = new Promise((resolve) => socket.write(`${head}${framing}\r\n\r\n${bytes}`, 'latin1', resolve))
  // A server that has refused the body may not read the rest of it.
  await Promise.race([sent, over])
  if (body.ending === 'FIN') socket.end()
  if (body.ending !== 'RST') await Promise.race([over, pause(PATIENCE_MS, undefined, { ref: false })])
  if (body.ending === 'RST') socket.resetAndDestroy()
  else socket.destroy()
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? []
  return status === undefined ? null : Number(status)
}

const CHUNK = 1_000
const PATIENCE_MS = 30_000

function frame({ framing, bytes, ending }: RawBody): [header: string, body: string] {
  const text = ' '.repeat(bytes)
  const end = ending === 'the last byte' ? '0\r\n\r\n' : ''
  const chunked = 'transfer-encoding: chunked'
  switch (framing) {
    case 'many chunks': {
      const rest = bytes % CHUNK
      return [
        chunked,
        chunk(' '.repeat(CHUNK)).repeat((bytes - rest) / CHUNK) + (rest > 0 ? chunk(' '.repeat(rest)) : '') + end,
      ]
    }
    case 'one chunk':
      return [chunked, chunk(text) + end]
    case 'a chunk that is not whole':
      return [chunked, `${(2 * bytes).toString(16)}\r\n${text}`]
    case 'a bad chunk size':
      return [chunked, `${chunk(text)}-1\r\n${end}`]
    case 'its length':
      return [`content-length: ${bytes}`, ending === 'the last byte' ? text : text.slice(1)]
    case 'a longer length':
      return [`content-length: ${2 * bytes}`, text]
    case 'a shorter length':
      return [`content-length: ${Math.floor(bytes / 2)}`, text]
  }
}

function chunk(text: string): string {
  return text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`
}
