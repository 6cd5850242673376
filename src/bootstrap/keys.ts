import path from 'node:path'
import type { Config } from '#config'
import { createNoteFiles, type NoteFiles } from '#ledger/audit/note-files'
import { createCheckpointSigner, type CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import { openSigningKeys } from '#ledger/audit/signing-keys'
import { makeFolder } from '#postgres/embedded/data-folder'
import { readWitnesses } from './witnesses.ts'
import { createSecretBox, type SecretBox, readSecretKeys } from '#accounts/secrets/secret-box'

/** The file of the signing key. Earlier keys are kept beside it, under names derived from it. */
export function signingKeyFile(config: Config): string {
  return config.SIGNING_KEY_FILE ?? path.join(config.DATA_DIR, 'signing-key.pem')
}

/**
 * Opens the signer of checkpoints. With the embedded database, a missing key is created; with DATABASE_URL and no key,
 * nothing is signed. Throws a StartupError when a configured key cannot be used.
 */
export function createSigner(config: Config): Promise<CheckpointSigner> {
  return openSigner(config, config.DATABASE_URL === undefined ? 'make' : 'unsigned')
}

/** Opens the signer like `createSigner`, but never creates a key. */
export function findSigner(config: Config): Promise<CheckpointSigner> {
  return openSigner(config, 'unsigned')
}

async function openSigner(config: Config, unset: 'make' | 'unsigned'): Promise<CheckpointSigner> {
  const missing = config.SIGNING_KEY_FILE === undefined ? unset : 'refuse'
  const place = { pem: config.SIGNING_KEY, file: signingKeyFile(config), missing } as const
  return createCheckpointSigner(await openSigningKeys(place), createNotes(config), readWitnesses(config))
}

export function checkpointFolder({ CHECKPOINT_DIR: folder, DATA_DIR: dataDir }: Config): string {
  return folder ?? path.join(dataDir, 'checkpoints')
}

/** Opens the copies of checkpoints that are kept outside the database. */
export function createNotes(config: Config): NoteFiles {
  return createNoteFiles(checkpointFolder(config), makeFolder)
}

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
