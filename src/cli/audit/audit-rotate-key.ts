import { signingKeyFile } from '../../bootstrap/signing.ts'
import { StartupError } from '../../postgres/startup-error.ts'
import { rotateSigningKey, SigningKeyError } from '../../ledger/audit/signing-keys.ts'
import { print } from '../terminal/print.ts'
import { readSettings } from '../terminal/settings.ts'

/** `audit rotate-key`: a new key in the file of the old one. Processes that run go on with the one they have. */
export async function rotateKey(options: { json?: boolean }) {
  const config = readSettings()
  if (config.SIGNING_KEY !== undefined) {
    throw new StartupError(
      'the signing key comes from SIGNING_KEY: replace it there, and put it into a SIGNING_KEY_FILE to rotate it',
    )
  }
  const file = signingKeyFile(config)
  const { retired } = await rotateSigningKey(file).catch((error: unknown) => {
    throw error instanceof SigningKeyError ? new StartupError(error.message) : error
  })
  const next = 'restart the processes that sign; they use the key they started with until then'
  print({ key_file: file, retired_keys: retired.length, next }, options.json)
}
