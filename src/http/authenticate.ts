import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { standingOf } from '../commands/key-standing.ts'
import { rateLimitHeaders } from '../commands/rate-limit-headers.ts'
import { isId } from '../domain/ids.ts'
import { API_KEY_PREFIX, isSecret } from '../domain/secrets.ts'
import type { FoundKey } from '../ledger/key-access.ts'
import { invalidCredentials } from './problem.ts'

/** A caller of the public API whose secret was right. The key may be disabled. */
export interface AuthenticatedCaller extends FoundKey {
  /** SHA-256 of the secret that was presented, in hexadecimal. */
  secretHash: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `performance.now()` when the request's header had arrived. */
    arrivedAt: number
    caller: AuthenticatedCaller | null
  }
}

/**
 * Checks `x-api-id` and `x-api-key` before the body is read: nobody unknown gets to send one. Each header must stand
 * exactly once. The writing calls check the key once more under the lock of their company.
 */
export function authenticateCaller(findKey: (apiId: string) => Promise<FoundKey | null>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { 'x-api-id': ids, 'x-api-key': secrets } = request.raw.headersDistinct
    const [apiId, secret] = [ids?.[0] ?? '', secrets?.[0] ?? '']
    const isFormed = ids?.length === 1 && secrets?.length === 1 && isId('key', apiId) && isSecret(API_KEY_PREFIX, secret)
    if (!isFormed) throw invalidCredentials()
    const secretHash = hash('sha256', secret, 'hex')
    const found = await findKey(apiId)
    const standing = standingOf(found?.key, secretHash, found?.nowMs ?? 0)
    if (!found || standing === 'refused') throw invalidCredentials()
    request.caller = { ...found, secretHash }
    // Replaced by what the call leaves of the quota, once that is known.
    void reply.headers(rateLimitHeaders(found.key, found.usage, found.nowMs))
  }
}

/** The caller of a route behind `authenticateCaller`. */
export function callerOf(request: FastifyRequest): AuthenticatedCaller {
  if (!request.caller) throw invalidCredentials()
  return request.caller
}
