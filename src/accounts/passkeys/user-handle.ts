import { fromUuid, isId, UUID_BYTES, writeUuid } from '../../domain/ids.ts'
import type { UserRef } from '../users/users.ts'

/**
 * What an authenticator stores with a passkey, and returns when the passkey is used: the UUIDs of the company and the
 * user. So signing in needs no email, and searches only this company.
 */
export function makeUserHandle({ companyId, userId }: UserRef): Uint8Array<ArrayBuffer> {
  const handle = new Uint8Array(2 * UUID_BYTES)
  writeUuid(companyId, handle, 0)
  writeUuid(userId, handle, UUID_BYTES)
  return handle
}

/** Reads a handle in base64url; null if it is not one of ours. */
export function readUserHandle(text: unknown): UserRef | null {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
  if (bytes.length !== 2 * UUID_BYTES) return null
  const companyId = fromUuid('com', bytes.toString('hex', 0, UUID_BYTES))
  const userId = fromUuid('usr', bytes.toString('hex', UUID_BYTES))
  return isId('com', companyId) && isId('usr', userId) ? { companyId, userId } : null
}
