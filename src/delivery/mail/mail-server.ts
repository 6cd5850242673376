import addressParser from 'nodemailer/lib/addressparser'
import { StartupError } from '#postgres/startup-error'

/** The SMTP server that takes the messages of the service, and from whom they are. */
export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte. Otherwise the connection begins in the clear, and STARTTLS follows. */
  isImplicitTls: boolean
  /** Null for a server that asks for none. They are sent over TLS only. */
  credentials: { user: string; password: string } | null
  from: { name: string; address: string }
}

interface MailSettings {
  SMTP_URL?: string
  MAIL_FROM?: string
  PUBLIC_URL?: string
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const

/**
 * Reads the settings for email; null if there are none. Throws a StartupError, which names the invalid setting and
 * never repeats a password.
 */
export function readMailServer({
  SMTP_URL: url,
  MAIL_FROM: from,
  PUBLIC_URL: publicUrl,
}: MailSettings): MailServer | null {
  if (url === undefined && from === undefined) return null
  if (url === undefined) throw new StartupError('MAIL_FROM requires SMTP_URL')
  if (from === undefined) throw new StartupError('SMTP_URL requires MAIL_FROM')
  if (publicUrl === undefined)
    throw new StartupError('SMTP_URL requires PUBLIC_URL, because messages have links to the service')
  return { ...parseUrl(url), from: parseFrom(from) }
}

function parseUrl(text: string): Omit<MailServer, 'from'> {
  const url = URL.parse(text)
  if (!url || !isScheme(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search || url.hash)
    throw new StartupError(
      'SMTP_URL must be smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host if the server ' +
        'needs it',
    )
  const [user, password] = [decode(url.username), decode(url.password)]
  if ((user === '') !== (password === ''))
    throw new StartupError('SMTP_URL must have both a user and a password, or neither')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
    isImplicitTls: url.protocol === 'smtps:',
    credentials: user === '' ? null : { user, password },
  }
}

const isScheme = (protocol: string): protocol is keyof typeof PORTS => Object.hasOwn(PORTS, protocol)

function decode(part: string) {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new StartupError(
      'In SMTP_URL, characters such as % and @ in the user or password must be written as %25 and %40',
    )
  }
}

function parseFrom(text: string) {
  const parsed = /\p{Cc}/u.test(text) ? [] : addressParser(text)
  const [from] = parsed
  if (parsed.length !== 1 || from?.address === undefined || !/^[^\s@<>]+@[^\s@<>]+$/.test(from.address))
    throw new StartupError(
      'MAIL_FROM must be an email address, such as ledger@example.com or Ledger <ledger@example.com>',
    )
  return { name: from.name, address: from.address }
}
