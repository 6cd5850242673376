import path from 'node:path'
import type { Config } from '../config.ts'
import { createSecretBox, type SecretBox } from '#accounts/secrets/secret-box'
import { readSecretKeys } from '#accounts/secrets/secret-keys'

/** The file of the keys that encrypt stored secrets. */
export function secretsKeyFile(config: Config): string {
  return config.SECRETS_KEY_FILE ?? path.join(config.DATA_DIR, 'secrets-key')
}

/**
 * Opens the box that encrypts stored secrets. With the embedded database, a missing key is created; with DATABASE_URL
 * and no key, the box has none. Throws a StartupError when a configured key cannot be used.
 */
export function createConfiguredSecretBox(config: Config): Promise<SecretBox> {
  return createBox(config, config.DATABASE_URL === undefined ? 'make' : 'none')
}

/** Opens the box like `createConfiguredSecretBox`, but never creates a key. */
export function findConfiguredSecretBox(config: Config): Promise<SecretBox> {
  return createBox(config, 'none')
}

async function createBox(config: Config, unset: 'make' | 'none'): Promise<SecretBox> {
  const missing = config.SECRETS_KEY_FILE === undefined ? unset : 'refuse'
  const place = { text: config.SECRETS_KEY, file: secretsKeyFile(config), missing } as const
  return createSecretBox(await readSecretKeys(place))
}
