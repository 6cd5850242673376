import { hash } from 'node:crypto'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { standingOf } from '../../accounts/api-keys/key-standing.ts'
import { rateLimitHeaders } from '../../calls/rate-limit-headers.ts'
import { isId } from '../../domain/ids.ts'
import { API_KEY_PREFIX, isSecret } from '../../domain/accounts/secrets.ts'
import type { FoundKey } from '../../accounts/api-keys/key-access.ts'
import { isSmallBody } from '../server/body-length.ts'
import { invalidCredentials } from '../server/problem.ts'
import { openCredentialCache } from './credential-cache.ts'

/** A caller of the public API whose secret was right. The key may be disabled. */
export interface AuthenticatedCaller extends FoundKey {
  /** SHA-256 of the secret that was presented, in hexadecimal. */
  secretHash: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The call checks its key when it is carried out, before it does or answers anything: a recent proof lets it in. */
    checksKeyItself?: true
  }
  interface FastifyRequest {
    /** `performance.now()` when the request's header had arrived. */
    arrivedAt: number
    caller: AuthenticatedCaller | null
  }
}

/**
 * Checks `x-api-id` and `x-api-key` before the body is read: nobody unknown gets to send one. Each header must stand
 * exactly once. Writing calls check the key once more under the lock of their company, and a verification where its use is
 * counted: for those it is enough that this secret was good a moment ago.
 */
export function authenticateCaller(findKey: (apiId: string) => Promise<FoundKey | null>) {
  const cache = openCredentialCache()
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { 'x-api-id': ids, 'x-api-key': secrets } = request.raw.headersDistinct
    const [apiId, secret] = [ids?.[0] ?? '', secrets?.[0] ?? '']
    const isFormed =
      ids?.length === 1 && secrets?.length === 1 && isId('key', apiId) && isSecret(API_KEY_PREFIX, secret)
    if (!isFormed) throw invalidCredentials()
    const secretHash = hash('sha256', secret, 'hex')
    const { checksKeyItself } = request.routeOptions.config as FastifyContextConfig
    // Whether a large body is read at all depends on how the key stands now.
    const cached = checksKeyItself && isSmallBody(request) ? cache.find(apiId, secretHash) : null
    const found = cached ?? (await checkSecret(apiId, secretHash))
    request.caller = { ...found, secretHash }
    // Replaced by what the call leaves of the quota, once that is known.
    void reply.headers(rateLimitHeaders(found.key, found.usage, found.nowMs))
  }

  async function checkSecret(apiId: string, secretHash: string): Promise<FoundKey> {
    const found = await findKey(apiId)
    const standing = standingOf(found?.key, secretHash, found?.nowMs ?? 0)
    if (!found || standing === 'refused') throw invalidCredentials()
    cache.add(found, secretHash)
    return found
  }
}

/** The caller of a route behind `authenticateCaller`. */
export function callerOf(request: FastifyRequest): AuthenticatedCaller {
  if (!request.caller) throw invalidCredentials()
  return request.caller
}
