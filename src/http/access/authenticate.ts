import { hash } from 'node:crypto'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { standingOf } from '../../accounts/api-keys/key-standing.ts'
import { rateLimitHeaders } from '../../calls/rate-limit-headers.ts'
import { isId } from '../../domain/ids.ts'
import { API_KEY_PREFIX, isSecret } from '../../domain/accounts/secrets.ts'
import type { FoundKey } from '../../accounts/api-keys/key-access.ts'
import { isSmallBody } from '../server/body-length.ts'
import { invalidCredentials } from '../server/problem.ts'
import { openRecentProofs } from './credential-cache.ts'

/** A caller of the public API with a valid secret. The key may be disabled. */
export interface AuthenticatedCaller extends FoundKey {
  /** SHA-256 of the secret that the caller sent, in hexadecimal. */
  secretHash: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The call checks its key again before it does anything, so the credential cache may admit it. */
    checksKeyItself?: true
  }
  interface FastifyRequest {
    /** `performance.now()` when the request headers had arrived. */
    arrivedAt: number
    caller: AuthenticatedCaller | null
  }
}

/**
 * Checks `x-api-id` and `x-api-key` before the body is read, so that unauthenticated callers cannot send one. Each header
 * must appear exactly once. Writing calls check the key again under the lock of their company, and verify does when it
 * counts the use; for these, a cached proof is enough.
 */
export function authenticateCaller(findKey: (apiId: string) => Promise<FoundKey | null>) {
  const recent = openRecentProofs()
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { 'x-api-id': ids, 'x-api-key': secrets } = request.raw.headersDistinct
    const [apiId, secret] = [ids?.[0] ?? '', secrets?.[0] ?? '']
    const isFormed =
      ids?.length === 1 && secrets?.length === 1 && isId('key', apiId) && isSecret(API_KEY_PREFIX, secret)
    if (!isFormed) throw invalidCredentials()
    const secretHash = hash('sha256', secret, 'hex')
    const { checksKeyItself } = request.routeOptions.config as FastifyContextConfig
    // Whether to read a large body depends on the current state of the key.
    const proof = checksKeyItself && isSmallBody(request) ? recent.find(apiId, secretHash) : null
    const found = proof ?? (await prove(apiId, secretHash))
    request.caller = { ...found, secretHash }
    // Overwritten with the remaining quota after the call.
    void reply.headers(rateLimitHeaders(found.key, found.usage, found.nowMs))
  }

  async function prove(apiId: string, secretHash: string): Promise<FoundKey> {
    const found = await findKey(apiId)
    const standing = standingOf(found?.key, secretHash, found?.nowMs ?? 0)
    if (!found || standing === 'refused') throw invalidCredentials()
    recent.note(found, secretHash)
    return found
  }
}

/** Returns the caller on routes behind `authenticateCaller`. */
export function callerOf(request: FastifyRequest): AuthenticatedCaller {
  if (!request.caller) throw invalidCredentials()
  return request.caller
}
