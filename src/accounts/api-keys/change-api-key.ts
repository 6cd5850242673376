import type { PoolClient } from 'pg'
import { problem } from '../../domain/errors.ts'
import { decideKeyChange, evolveKey, type KeyChange, type KeyLife } from '../../domain/accounts/key-lifecycle.ts'
import { prefixOfSecret } from '../../domain/accounts/secrets.ts'
import { onClient } from '../../postgres/kysely.ts'
import { updateKeySecret, updateApiKey } from './api-key-rows.ts'
import { findApiKey, type SeenKey } from './read-api-keys.ts'
import type { Acting, CompanyServices } from '../change-company.ts'
import { assertSeen, changeCompany, unwrapDecision, RefusedByStateError } from '../change-company.ts'
import type { KeyWithSecret } from './issue-api-key.ts'
import { digestSecret, generateSecret } from '../users/new-secret.ts'

export const NO_SUCH_KEY = problem('key_not_found', 'No such API key exists')
const CHANGED = 'The key has changed since you opened this page. Nothing was done; check it, then try again'

/** A key after a change. The position is null if nothing changed. */
interface ChangedKey extends SeenKey {
  position: number | null
}

/**
 * Edits, disables, enables or revokes a key. Takes effect at once everywhere, because keys are not cached. With `seen`,
 * only if the key still has that version. Throws RefusedByStateError.
 */
export async function changeApiKey(
  services: CompanyServices,
  acting: Acting,
  apiId: string,
  change: Exclude<KeyChange, { change: 'rotate' }>,
  seen?: number,
): Promise<ChangedKey> {
  const { result, position } = await changeCompany(services, acting, 'admin', (client, now) =>
    changeKeyRow(client, acting.companyId, apiId, { ...change, seen }, now),
  )
  return { ...result, position }
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
  const { companyId } = acting
  const secret = generateSecret(prefixOfSecret('key', companyId))
  const { result, position } = await changeCompany(services, acting, 'admin', async (client, now) => {
    const change = { change: 'rotate', overlapSeconds, seen } as const
    const { events } = await changeKeyRow(client, companyId, apiId, change, now)
    const [rotated] = events
    const previousExpiresAt = rotated?.type === 'ApiKeyRotated' ? rotated.data.previous_expires_at : null
    await updateKeySecret(client, companyId, apiId, { secret: digestSecret(secret), previousExpiresAt, now })
    return { events, result: (await findApiKey(onClient(client), companyId, apiId))! }
  })
  return { ...result, secret, position }
}

type SeenChange = KeyChange & { seen: number | undefined }

async function changeKeyRow(client: PoolClient, companyId: string, apiId: string, change: SeenChange, now: string) {
  const stored = await findApiKey(onClient(client), companyId, apiId)
  if (!stored) throw new RefusedByStateError(NO_SUCH_KEY)
  assertSeen(change.seen, stored.key.version, CHANGED)
  const events = unwrapDecision(decideKeyChange(stored.key, change, now))
  if (events.length === 0) return { events, result: stored }
  await updateApiKey(client, companyId, events.reduce<KeyLife>(evolveKey, stored.key), now)
  return { events, result: (await findApiKey(onClient(client), companyId, apiId))! }
}
