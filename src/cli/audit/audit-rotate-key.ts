import { signingKeyFile } from '#bootstrap/keys'
import { StartupError } from '#postgres/startup-error'
import { rotateSigningKey } from '#ledger/audit/signing-keys'
import { readSettings } from '../terminal/settings.ts'

/** `audit rotate-key`: replaces the signing key in its file. Running processes keep using the old key. */
export async function rotateCheckpointKey() {
  const config = readSettings()
  if (config.SIGNING_KEY !== undefined) {
    throw new StartupError(
      'the signing key comes from SIGNING_KEY; only a key in a file (SIGNING_KEY_FILE) can be rotated',
    )
  }
  const file = signingKeyFile(config)
  const { retired } = await rotateSigningKey(file)
  const next = 'restart the workers and API processes; until then they sign with the old key'
  return { key_file: file, retired_keys: retired.length, next }
}
