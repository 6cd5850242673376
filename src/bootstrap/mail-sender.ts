import { MAIL_CONNECTIONS } from '#postgres/connections'
import { startSending } from '#delivery/mail/send-next'
import type { PgBoss } from '#workers/queues'
import type { PartOptions, RunningPart } from './running-part.ts'
import { findMailServer } from './mail.ts'
import { createConfiguredSecretBox } from './secrets.ts'

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
