import type { Test } from 'tap'
import { ORIGIN } from '../http/passkeys.ts'
import { startService } from '../service.ts'
import type { ReceivedEmail } from './mail-server.ts'
import { startMailServer } from './mail-server.ts'

/** Starts a service that sends email, and the server that gets it, over STARTTLS and with a password. */
export async function startMailingService(t: Pick<Test, 'teardown'>, settings: Record<string, string> = {}) {
  const server = await startMailServer(t)
  const mail = { SMTP_URL: server.url, MAIL_FROM: 'Ledger <ledger@ledger.example>', PUBLIC_URL: ORIGIN }
  return { server, service: await startService(t, { ...mail, ...settings }, { workers: true }) }
}

/** The path of the one-time link in a message, which both of its forms have. Throws if there is none. */
export function linkIn({ text, html }: ReceivedEmail): string {
  const [, path] = new RegExp(`^${ORIGIN}(/invitation\\?token=el_link_\\w+)$`, 'm').exec(text) ?? []
  if (path === undefined || !html.includes(`href="${ORIGIN}${path}"`)) throw new Error(`no link in ${text}`)
  return path
}

/** The token of the one-time link in a message. */
export function tokenIn(email: ReceivedEmail): string {
  return new URL(linkIn(email), ORIGIN).searchParams.get('token')!
}
