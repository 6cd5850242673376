import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import type { SMTPServerOptions } from 'smtp-server'
import { SMTPServer } from 'smtp-server'
import type { Test } from 'tap'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './localhost-certificate.ts'

tls.setDefaultCACertificates([...tls.getCACertificates('default'), LOCALHOST_CERTIFICATE])

/** A message as a server has received it. */
export interface ReceivedEmail {
  from: string
  to: string[]
  /** By lower-case name, unfolded. */
  headers: Record<string, string>
  text: string
  html: string
  isEncrypted: boolean
  /** The user who was authenticated; undefined if nobody was. */
  user: string | undefined
}

/** What a server does with a message that it has read. Without an error, it accepts it. */
type Judge = (email: ReceivedEmail) => Error | void | Promise<Error | void>

export interface TestMailServer {
  /** For SMTP_URL. */
  url: string
  port: number
  received: ReceivedEmail[]
  judge: Judge
  /** Waits until so many messages were received, the refused ones included. */
  waitFor(count: number): Promise<ReceivedEmail[]>
  /** Waits for the next message to an address, about something in its subject, that was not taken yet. */
  take(address: string, about?: string): Promise<ReceivedEmail>
  close(): Promise<void>
}

const USER = 'ledger'
const PASSWORD = 'pass word/@%'

/** Starts a real SMTP server, which demands STARTTLS and a password unless other options are given. */
export async function startMailServer(
  t: Pick<Test, 'teardown'>,
  options: SMTPServerOptions = {},
  { port = 0, host = '127.0.0.1' } = {},
): Promise<TestMailServer> {
  const arrivals = new EventEmitter()
  const taken = new Set<ReceivedEmail>()
  const answer = async (email: ReceivedEmail, done: (refusal?: Error | null) => void) =>
    done((await started.judge(email)) ?? null)
  const server = new SMTPServer({
    key: LOCALHOST_KEY,
    cert: LOCALHOST_CERTIFICATE,
    authOptional: false,
    closeTimeout: 100,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === USER && password === PASSWORD
        ? done(null, { user: username })
        : done(Object.assign(new Error(`no such user ${username}`), { responseCode: 535 })),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const email = {
          from: mailFrom === false ? '' : (mailFrom?.address ?? ''),
          to: rcptTo.map(({ address }) => address),
          ...parseMessage(Buffer.concat(chunks).toString('latin1')),
          isEncrypted: session.secure,
          user: session.user as string | undefined,
        }
        started.received.push(email)
        arrivals.emit('arrival')
        void answer(email, done)
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  server.listen(port, host)
  await once(server.server, 'listening')
  const { port: opened } = server.server.address() as AddressInfo
  const credentials = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}@`
  const started: TestMailServer = {
    url: `${options.secure ? 'smtps' : 'smtp'}://${options.authOptional ? '' : credentials}localhost:${opened}`,
    port: opened,
    received: [],
    judge: () => undefined,
    async take(address, about = '') {
      const isWanted = ({ to, headers }: ReceivedEmail) => to.includes(address) && headers['subject']!.includes(about)
      for (;;) {
        const email = started.received.find((one) => isWanted(one) && !taken.has(one))
        if (email) {
          taken.add(email)
          return email
        }
        await once(arrivals, 'arrival')
      }
    },
    async waitFor(count) {
      while (started.received.length < count) await once(arrivals, 'arrival')
      return started.received
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  t.teardown(() => started.close())
  return started
}

/** A refusal with this code. The text is what a server may say: the address, and more lines than one. */
export function refuseWith(code: number): Error {
  return Object.assign(new Error('4.7.1 not for someone@example.com'), { responseCode: code })
}

function parseMessage(source: string): Pick<ReceivedEmail, 'headers' | 'text' | 'html'> {
  const { headers, body } = splitHeaders(source)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1).map(splitHeaders)
  const find = (type: string) => {
    const part = parts.find((one) => one.headers['content-type']?.startsWith(type))
    return part ? decodeBody(part.body, part.headers['content-transfer-encoding'] ?? '7bit') : ''
  }
  return { headers, text: find('text/plain'), html: find('text/html') }
}

function splitHeaders(source: string): { headers: Record<string, string>; body: string } {
  const at = source.indexOf('\r\n\r\n')
  const lines = source
    .slice(0, at)
    .trim()
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      decodeWords(line.slice(line.indexOf(':') + 1).trim()),
    ]),
  )
  return { headers, body: source.slice(at + 4) }
}

function decodeBody(body: string, encoding: string): string {
  return decodeBytes(body.replace(/\r\n$/, ''), encoding).replaceAll('\r\n', '\n')
}

function decodeBytes(text: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8')
  if (encoding === 'quoted-printable') return decodeQuoted(text.replace(/=\r\n/g, ''))
  return Buffer.from(text, 'latin1').toString('utf8')
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Decodes the encoded words of a header (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeQuoted(text.replaceAll('_', ' ')),
    )
}
