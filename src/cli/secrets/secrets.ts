import { stat } from 'node:fs/promises'
import { checkStoredSecrets, reencryptSecrets } from '#accounts/stored-secrets/stored-secrets'
import { findConfiguredSecretBox, secretsKeyFile } from '#bootstrap/keys'
import type { Config } from '../../config.ts'
import { StartupError } from '#postgres/startup-error'
import { type SecretBox, addSecretKey, dropOlderSecretKeys, readSecretKeys } from '#accounts/secrets/secret-box'
import { readSettings } from '../terminal/settings.ts'
import { withStore, type Opened } from '../terminal/with-store.ts'

/** `secrets add-key`: puts a new key in front of those in the file. */
export async function addKey() {
  const file = requireKeyFile(readSettings())
  await addSecretKey(file)
  const next = 'restart the workers, then the API processes, then run `secrets reencrypt`'
  return { key_file: file, next }
}

/** `secrets reencrypt`: encrypts all stored secrets under the newest key. */
export async function reencrypt({ force }: { force?: boolean }) {
  return withStore(async ({ config, store }) => {
    const secrets = await requireSecrets(config)
    const { older: waiting } = await checkStoredSecrets(store.db, secrets)
    if (waiting > 0 && !force && config.SECRETS_KEY === undefined) await assertRestarted(config, store)
    const reencrypted = await reencryptSecrets(store.db, secrets)
    const report = await checkStoredSecrets(store.db, secrets)
    const { older, unreadable } = report
    if (older + unreadable > 0) process.exitCode = 1
    return { secrets: report.secrets, reencrypted, older, unreadable }
  })
}

/** `secrets drop-keys`: removes all keys but the newest from the file, if nothing needs them. */
export async function dropKeys() {
  return withStore(async ({ config, store }) => {
    const file = requireKeyFile(config)
    const [newest] = await readSecretKeys({ file, missing: 'refuse' })
    const { older, unreadable } = await checkStoredSecrets(store.db, await requireSecrets(config))
    if (older > 0)
      throw new StartupError(`stored secrets are under an older key (${older}): run \`secrets reencrypt\` first`)
    if (unreadable > 0)
      throw new StartupError(`stored secrets cannot be read (${unreadable}): see docs/operations.md, “Keys”`)
    await assertRestarted(config, store)
    await dropOlderSecretKeys(file, newest!)
    return { key_file: file, next: 'processes forget the older keys when they restart' }
  })
}

function requireKeyFile(config: Config) {
  if (config.SECRETS_KEY === undefined) return secretsKeyFile(config)
  throw new StartupError('the keys come from SECRETS_KEY; change that setting instead')
}

async function requireSecrets(config: Config): Promise<SecretBox> {
  const secrets = await findConfiguredSecretBox(config)
  if (!secrets.hasKey) throw new StartupError('there is no key: set SECRETS_KEY_FILE or SECRETS_KEY')
  return secrets
}

/**
 * Throws a StartupError if a process of the service has been connected for longer than the file of the keys is
 * unchanged: it does not know the newest key. A process whose connections are all younger goes unnoticed.
 */
async function assertRestarted(config: Config, { pool }: Opened['store']) {
  const { mtimeMs } = await stat(secretsKeyFile(config))
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and usename = current_user and application_name like 'employee-ledger%'
       and backend_start < clock_timestamp() - make_interval(secs => $1)`,
    [(Date.now() - mtimeMs) / 1_000],
  )
  if (rows[0]!.count > 0)
    throw new StartupError(
      'a process is running that began before the newest key was added; restart all processes first',
    )
}
