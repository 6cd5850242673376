import { problem } from '../../domain/errors.ts'
import { decideKeyChange, evolveKey, type KeyChange, type KeyLife } from '../../domain/accounts/key-lifecycle.ts'
import { prefixOfSecret } from '../../domain/accounts/secrets.ts'
import { forgetRefused, updateKeySecret, updateApiKey } from './api-key-rows.ts'
import { findApiKey, type SeenKey } from './read-api-keys.ts'
import {
  type Acting,
  type CompanyServices,
  type Transaction,
  assertSeen,
  changeCompany,
  unwrapDecision,
  RefusedByStateError,
} from '../change-company.ts'
import type { KeyWithSecret } from './issue-api-key.ts'
import { digestSecret, generateSecret, type SecretDigest } from '../users/new-secret.ts'

export const NO_SUCH_KEY = problem('key_not_found', 'No such API key exists')
const CHANGED = 'The key has changed since you opened this page. Nothing was done; check it, then try again'

/** A key after a change. The position is null if nothing changed. */
interface ChangedKey extends SeenKey {
  position: number | null
}

/**
 * Edits, disables, enables or revokes a key, or allows it more than its limits. Takes effect at once everywhere, because keys are not cached. With `seen`,
 * only if the key still has that version. Throws RefusedByStateError.
 */
export async function changeApiKey(
  services: CompanyServices,
  acting: Acting,
  apiId: string,
  change: Exclude<KeyChange, { change: 'rotate' }>,
  seen?: number,
): Promise<ChangedKey> {
  return changeCompany(services, acting, 'admin', (tx) => changeKeyRow(tx, apiId, { ...change, seen }))
}

/**
 * Rotates a key's secret. The current secret works for `overlapSeconds` more; any older one ends. With `seen`, only if
 * the key still has that version. Throws RefusedByStateError.
 */
export async function rotateApiKey(
  services: CompanyServices,
  acting: Acting,
  apiId: string,
  overlapSeconds: number,
  seen?: number,
): Promise<KeyWithSecret> {
  const secret = generateSecret(prefixOfSecret('key', acting.companyId))
  const rotated = await changeCompany(services, acting, 'admin', (tx) =>
    changeKeyRow(tx, apiId, { change: 'rotate', overlapSeconds, seen }, digestSecret(secret)),
  )
  return { ...rotated, secret }
}

type SeenChange = KeyChange & { seen: number | undefined }

/** Decides a change under the lock and stores its events in the row. A rotation needs the new `secret`. */
async function changeKeyRow(tx: Transaction, apiId: string, change: SeenChange, secret?: SecretDigest) {
  const stored = await findApiKey(tx.db, tx.companyId, apiId)
  if (!stored) throw new RefusedByStateError(NO_SUCH_KEY)
  assertSeen(change.seen, stored.key.version, CHANGED)
  const events = unwrapDecision(decideKeyChange(stored.key, change, tx.now))
  if (events.length === 0) return { events, result: stored }
  await updateApiKey(tx, events.reduce<KeyLife>(evolveKey, stored.key))
  for (const { type, data } of events) {
    if (type === 'ApiKeyRotated') await updateKeySecret(tx, apiId, secret!, data.previous_expires_at)
    if (type === 'ApiKeyExcessAllowed') await forgetRefused(tx, apiId)
  }
  return { events, result: (await findApiKey(tx.db, tx.companyId, apiId))! }
}
