import { hash } from 'node:crypto'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'
import { rateLimitHeaders, isSecretValid } from '#domain/accounts/api-key'
import { isId } from '#domain/ids'
import { companyOfSecret } from '#domain/accounts/secrets'
import type { FoundKey, KeyName } from '#accounts/api-keys/key-access'
import type { TurnedAwayCalls } from '#accounts/api-keys/turned-away-calls'
import { enterCompany } from '#postgres/company-scope'
import { isSmallBody } from '../server/read-body.ts'
import { invalidCredentials } from '../server/problem.ts'
import { clientOf } from './session.ts'

/** A caller of the public API with a valid secret. The key may be disabled, or not allow the call. */
export interface AuthenticatedCaller extends FoundKey {
  /** SHA-256 of the presented secret, in hexadecimal. */
  secretHash: string
  /** The client's address, as the connection or a trusted proxy gives it. Kept, because a closed connection has none. */
  sentFrom: string
  /** The client's `User-Agent`, shortened; null if it sent none. */
  userAgent: string | null
}

/**
 * The id of an API key and its secret, as a protocol reads them from a request. If they are not there once, a sentence
 * says what is missing.
 */
export type ReadCredentials = (request: FastifyRequest) => { apiId: string; secret: string } | { missing: string }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether anybody may call who presents no credentials. */
    isOpen?: true
    /**
     * The call checks its key again when it runs, before it changes or answers anything, so the credential cache may
     * admit it.
     */
    checksKeyItself?: true
  }
  interface FastifyRequest {
    /** `performance.now()` when the request headers had arrived. */
    arrivedAt: number
    caller: AuthenticatedCaller | null
  }
}

/**
 * Checks the credentials before the body is read, so that unauthenticated callers cannot send one.
 *
 * Writing calls check the key again under the lock of their company, and reading calls and verifications check it where
 * its use is counted. So a secret that was valid moments ago (see `createCredentialCache`) is enough here. Secrets that
 * were refused are noted.
 */
export function authenticateCaller(
  services: { findKey(name: KeyName): Promise<FoundKey | null>; turnedAway: Pick<TurnedAwayCalls, 'note'> },
  readCredentials: ReadCredentials,
) {
  const cache = createCredentialCache()
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const credentials = readCredentials(request)
    if ('missing' in credentials) throw invalidCredentials(credentials.missing)
    const { apiId, secret } = credentials
    const companyId = companyOfSecret('key', secret)
    if (!isId('key', apiId) || companyId === null) throw invalidCredentials()
    const { address: sentFrom, userAgent } = clientOf(request)
    const secretHash = hash('sha256', secret, 'hex')
    const { checksKeyItself } = request.routeOptions.config as FastifyContextConfig
    enterCompany(companyId)
    // Only the current state of the key decides whether a large body is read.
    const cached = checksKeyItself && isSmallBody(request) ? cache.find(apiId, secretHash) : null
    const key = cached ?? (await checkSecret({ companyId, apiId }, secretHash, sentFrom))
    request.caller = { ...key, secretHash, sentFrom, userAgent }
    // Overwritten once the call's effect on the quota is known.
    void reply.headers(rateLimitHeaders(key.key, key.usage, key.nowMs))
  }

  async function checkSecret(name: KeyName, secretHash: string, sentFrom: string) {
    const key = await services.findKey(name)
    if (!isSecretValid(key?.key, secretHash, key?.nowMs ?? 0) || !key) {
      services.turnedAway.note(key, secretHash, sentFrom)
      throw invalidCredentials()
    }
    cache.add(key, secretHash)
    return key
  }
}

/** Lets those pass who present no credentials, where a route is open to them. */
export function unlessOpen(check: (request: FastifyRequest, reply: FastifyReply) => Promise<void>): typeof check {
  return (request, reply) => {
    const { isOpen } = request.routeOptions.config as FastifyContextConfig
    const isPassed = isOpen === true && request.headers.authorization === undefined
    return isPassed ? Promise.resolve() : check(request, reply)
  }
}

/** The caller of a request that has passed `authenticateCaller`. Throws `invalid_credentials` if there is none. */
export function callerOf(request: FastifyRequest): AuthenticatedCaller {
  if (!request.caller) throw invalidCredentials()
  return request.caller
}

const MAX_CACHED_MS = 10_000
const MAX_CACHED = 10_000

/**
 * Caches credentials that were valid moments ago, in this process, to save a round trip for calls that check their key
 * again when they run, as every writing call does in its append transaction. The cache never has the last word, so
 * disabling or revoking a key takes effect at once. `now` returns milliseconds.
 */
export function createCredentialCache(now: () => number = () => performance.now()) {
  const entries = new LRUCache<string, { key: FoundKey; at: number }>(upTo(MAX_CACHED))
  return {
    /** The key as of the last check of this secret, with `nowMs` advanced to the present; null if not cached. */
    find(apiId: string, secretHash: string): FoundKey | null {
      const entry = entries.get(cacheKey(apiId, secretHash))
      if (!entry) return null
      const age = now() - entry.at
      return age < MAX_CACHED_MS ? { ...entry.key, nowMs: entry.key.nowMs + Math.round(age) } : null
    },
    add(foundKey: FoundKey, secretHash: string) {
      entries.set(cacheKey(foundKey.key.id, secretHash), { key: foundKey, at: now() })
    },
  }
}

/** Keyed by the hash of the secret, so that lookup times reveal nothing about secrets. */
function cacheKey(apiId: string, secretHash: string) {
  return `${apiId} ${secretHash}`
}
