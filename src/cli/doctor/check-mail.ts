import { findMailServer } from '../../bootstrap/mail.ts'
import { findConfiguredSecretBox } from '../../bootstrap/secrets.ts'
import type { Config } from '../../config.ts'
import { openSmtpSession, SmtpError } from '../../delivery/mail/smtp.ts'
import { StartupError } from '../../postgres/startup-error.ts'
import { fail, ok, type Finding } from './finding.ts'

/** Checks that the SMTP server can be reached, and accepts the credentials. Sends nothing. */
export async function checkMail(config: Config): Promise<Finding> {
  const check = 'email'
  try {
    const server = findMailServer(config, await findConfiguredSecretBox(config))
    if (!server) return ok(check, 'none is sent')
    const session = await openSmtpSession(server)
    session.close()
    const accepts = server.credentials === null ? 'answers' : 'accepts the credentials'
    return ok(check, `the server ${server.host}:${server.port} ${accepts}`)
  } catch (error) {
    if (error instanceof StartupError) return fail(check, error.message, 'no process starts like this; set the keys')
    if (!(error instanceof SmtpError)) throw error
    return fail(check, `the SMTP server: ${error.message}`, 'check SMTP_URL (docs/operations.md, “Email”)')
  }
}
