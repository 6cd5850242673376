import type { Config } from '#config'
import type { Outbox } from '#accounts/mail/outbox'
import { readMailServer, type MailServer } from '#delivery/mail/mail-server'
import { announceTo } from '#workers/announce'
import { SEND_EMAILS, type PgBoss } from '#workers/queues'
import { StartupError } from '#postgres/startup-error'
import type { SecretBox } from '#accounts/secrets/secret-box'
import { findConfiguredSecretBox, createConfiguredSecretBox } from './keys.ts'
import { MAIL_CONNECTIONS } from '#postgres/connections'
import { startSending } from '#delivery/mail/send-next'
import type { PartOptions, RunningPart } from './running-part.ts'

/** The server that sends messages; null if none is configured. Throws a StartupError if they could not be stored. */
export function findMailServer(config: Config, secrets: SecretBox): MailServer | null {
  const server = readMailServer(config)
  if (server && !secrets.hasKey)
    throw new StartupError(
      'SMTP_URL requires SECRETS_KEY or SECRETS_KEY_FILE, because messages are stored encrypted until they are sent',
    )
  return server
}

/** Opens the outbox of a process that makes changes; `outbox` is undefined if no server is configured. */
export function createOutbox(
  config: Config,
  { secrets, boss, onError }: { secrets: SecretBox; boss: PgBoss; onError: (error: unknown) => void },
): { outbox: Outbox | undefined; flush(): Promise<void> } {
  const server = findMailServer(config, secrets)
  if (!server) return { outbox: undefined, flush: async () => undefined }
  const { announce, idle } = announceTo(boss, [SEND_EMAILS], onError)
  return { outbox: { publicUrl: config.PUBLIC_URL!, secrets, announce }, flush: idle }
}

/** Opens the outbox of a command. The sweep of the workers finds its messages. Throws like `findMailServer`. */
export async function findOutbox(config: Config): Promise<Outbox | undefined> {
  if (config.SMTP_URL === undefined) return undefined
  const secrets = await findConfiguredSecretBox(config)
  findMailServer(config, secrets)
  return { publicUrl: config.PUBLIC_URL!, secrets, announce: () => undefined }
}

/** Starts sending messages, on connections of its own. Does nothing without an SMTP server. */
export async function openMail({ config, store, log }: PartOptions, boss: PgBoss): Promise<RunningPart> {
  const secrets = await createConfiguredSecretBox(config)
  const server = findMailServer(config, secrets)
  if (!server) return { stop: async () => undefined }
  const pool = store.open({ name: 'employee-ledger email', max: MAIL_CONNECTIONS, lockTimeoutMs: 1_000 })
  const sending = await startSending({
    boss,
    pool,
    secrets,
    server,
    log,
    publicUrl: config.PUBLIC_URL!,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
  })
  return {
    async stop() {
      await sending.stop()
      await pool.end()
    },
  }
}
