import { Readable } from 'node:stream'
import { domainToASCII } from 'node:url'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { RenderedEmail } from '#accounts/mail/email'
import type { MailServer } from './mail-server.ts'

/** A message with its recipient, ready to be sent. */
interface AddressedEmail extends RenderedEmail {
  /** A UUID. */
  id: string
  to: string
}

/**
 * What came of a message. `retry`: the server has certainly not accepted it, and may do so later. `refused`: it never
 * will. `unknown`: it may have accepted it. `reason` is a sentence without what the server said, which may be personal.
 */
export type SendOutcome = { outcome: 'sent' } | { outcome: 'retry' | 'refused' | 'unknown'; reason: string }

/** A connection to the server, on which it has accepted the credentials. */
export interface SmtpSession {
  /** Sends one message. Never rejects. */
  send(email: AddressedEmail): Promise<SendOutcome>
  /** Says goodbye. */
  close(): void
}

/** There is no session with the server. The message is a sentence without what the server said. */
export class SmtpError extends Error {
  override name = 'SmtpError'
}

export interface SmtpTimeouts {
  /** Milliseconds from the first packet until the server has accepted the credentials. */
  openMs: number
  /** Milliseconds for a message, until the server has accepted it. Servers look into messages before that. */
  sendMs: number
}

const TIMEOUTS: SmtpTimeouts = { openMs: 10_000, sendMs: 60_000 }

/** Milliseconds that the server may take to say goodbye. */
const GOODBYE_MS = 1_000

/**
 * Connects to the server (RFC 5321), begins TLS, and authenticates. Without implicit TLS, it uses STARTTLS (RFC 3207) if
 * the server offers that; with credentials, always. Certificates are verified. Throws a SmtpError. `signal` closes the
 * connection.
 */
export async function openSmtpSession(
  server: MailServer,
  { signal, timeouts = TIMEOUTS }: { signal?: AbortSignal; timeouts?: SmtpTimeouts } = {},
): Promise<SmtpSession> {
  const { host, port, isImplicitTls, credentials } = server
  const connection = new SMTPConnection({
    host,
    port,
    secure: isImplicitTls,
    requireTLS: !isImplicitTls && credentials !== null,
    connectionTimeout: timeouts.openMs,
    greetingTimeout: timeouts.openMs,
    dnsTimeout: timeouts.openMs,
    socketTimeout: timeouts.sendMs,
    socketCloseTimeout: 1_000,
    maxResponseSize: 64 * 1024,
    // Mail servers expect a name; that of this machine is nobody's business.
    name: server.from.address.split('@').at(-1)!,
  })
  // Each step has a listener of its own; an error between two steps ends the next one.
  connection.on('error', () => undefined)
  const close = () => connection.close()
  signal?.addEventListener('abort', close, { once: true })
  let takesUtf8 = false
  try {
    await limit(timeouts.openMs, connection, (done) => connection.connect(done))
    takesUtf8 = /^250[ -]SMTPUTF8\s*$/im.test(String(connection.lastServerResponse))
    if (credentials) {
      const auth = { user: credentials.user, pass: credentials.password }
      await limit(timeouts.openMs, connection, (done) => connection.login(auth, done))
    }
  } catch (error) {
    connection.close()
    throw new SmtpError(describe(error as NodemailerError), { cause: error })
  }
  return {
    async send(email) {
      if (takesUtf8 || isAscii(email.to.split('@', 1)[0]!)) return send(connection, server, email, timeouts.sendMs)
      return { outcome: 'refused', reason: 'The mail server takes only ASCII characters before the @ of an address' }
    },
    close() {
      signal?.removeEventListener('abort', close)
      connection.quit()
      setTimeout(close, GOODBYE_MS).unref()
    },
  }
}

/** An error of nodemailer. */
interface NodemailerError extends Error {
  code?: string
  originalCode?: string
  command?: string
  responseCode?: number
}

/** Runs a step of a connection. Rejects when the connection fails or is closed, or after some milliseconds. */
function limit(
  ms: number,
  connection: SMTPConnection,
  step: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }))
      connection.close()
    }, ms)
    const end = (error?: Error | null) => {
      clearTimeout(timer)
      connection.off('error', end).off('end', onEnd)
      if (error) reject(error)
      else resolve()
    }
    const onEnd = () => end(Object.assign(new Error('closed'), { code: 'ECONNECTION' }))
    connection.on('error', end).on('end', onEnd)
    step(end)
  })
}

const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

/** The form of an address for the envelope: its domain in A-labels (RFC 5891), which every server takes. */
function toEnvelope(address: string) {
  const at = address.lastIndexOf('@') + 1
  return address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at))
}

async function send(
  connection: SMTPConnection,
  { from }: MailServer,
  { id, to, subject, text, html }: AddressedEmail,
  sendMs: number,
): Promise<SendOutcome> {
  const domain = from.address.split('@').at(-1)!
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domain}>`,
    // RFC 3834: nobody's absence needs to be told.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const message = await composer.compile().build()
  let hasBegun = false
  // Read once the server has accepted the sender and the recipient. Only from then on can it have the message.
  function* read() {
    hasBegun = true
    yield message
  }
  const envelope = { from: toEnvelope(from.address), to: [toEnvelope(to)], size: message.length, use8BitMime: false }
  try {
    await limit(sendMs, connection, (done) => connection.send(envelope, Readable.from(read()), done))
    return { outcome: 'sent' }
  } catch (error) {
    return judge(error as NodemailerError, hasBegun)
  }
}

/** Decides what a failed message can have come to. */
function judge(error: NodemailerError, hasBegun: boolean): SendOutcome {
  const reason = describe(error)
  const { responseCode = 0, command } = error
  // A server that answers knows what it has not accepted. A refused sender is about the settings, and they can change.
  if (responseCode >= 500 && command !== 'MAIL FROM') return { outcome: 'refused', reason }
  if (responseCode >= 400 || !hasBegun) return { outcome: 'retry', reason }
  return { outcome: 'unknown', reason }
}

const FAULTS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused',
  ENOTFOUND: 'The host name has no address',
  EDNS: 'The host name has no address',
  ETIMEDOUT: 'The server did not answer in time',
  ECONNECTION: 'The connection was closed',
  ECONNRESET: 'The connection was closed',
  ETLS: 'TLS could not be started',
  EAUTH: 'The server did not accept the credentials',
}

/** Describes a fault, without what the server said. */
function describe({ code = '', originalCode = '', responseCode, command, message }: NodemailerError) {
  if (responseCode !== undefined)
    return code === 'EAUTH'
      ? `${FAULTS['EAUTH']} (${responseCode})`
      : `The server answered ${responseCode}${command === undefined ? '' : ` to ${command}`}`
  const isCertificate = /certificate|self.signed|altnames/i.test(message)
  if (isCertificate) return "The server's certificate could not be verified"
  return FAULTS[originalCode] ?? FAULTS[code] ?? `The connection failed (${originalCode || code || 'unknown'})`
}
