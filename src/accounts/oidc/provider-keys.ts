import type { JSONWebKeySet, JWK, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { createLocalJWKSet, errors, jwtVerify } from 'jose'
import { ProviderError } from './provider-client.ts'

/** How many keys a provider may have. Real ones have fewer than ten. */
const MAX_KEYS = 100
/** How often keys may be fetched again because they do not fit a token. */
const REFETCH_MS = 10_000

/** Where a token comes from. Strangers can send logout tokens, so these must not use up what ID tokens may cause. */
export type TokenSource = 'sign-in' | 'logout'

/** The keys with which a provider signs. */
export interface ProviderKeys {
  /** About how many bytes they take. */
  readonly bytes: number
  readonly algorithms: readonly string[]
  /**
   * Checks a token's signature and claims, and returns its claims. If no key fits, the keys are fetched again, so that a
   * change of the provider's keys works at once, but at most once in 10 seconds for each source. Throws errors of jose.
   */
  verify(token: string, options: JWTVerifyOptions, source: TokenSource): Promise<JWTPayload>
}

interface KeyOptions {
  fetchKeys(): Promise<unknown>
  /** Called when other keys were fetched. */
  onChanged(): void
}

/** Fetches the keys of a provider. */
export async function openProviderKeys({ fetchKeys, onChanged }: KeyOptions): Promise<ProviderKeys> {
  let keys = readKeys(await fetchKeys())
  let fetching: Promise<void> | null = null
  const fetchedAt = new Map<TokenSource, number>()

  async function fetchAgain(): Promise<void> {
    try {
      keys = readKeys(await fetchKeys())
      onChanged()
    } finally {
      fetching = null
    }
  }

  /** Fetches the keys again if this source may, or awaits a fetch that is under way. */
  function refetch(source: TokenSource): Promise<void> | null {
    if (fetching) return fetching
    if (performance.now() - (fetchedAt.get(source) ?? -Infinity) < REFETCH_MS) return null
    fetchedAt.set(source, performance.now())
    fetching = fetchAgain()
    return fetching
  }

  return {
    get bytes() {
      return keys.bytes
    },
    get algorithms() {
      return keys.algorithms
    },
    async verify(token, options, source) {
      const tried = keys
      try {
        return await verifyWith(tried.find, token, options)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed))
          throw error
        const again = keys === tried ? refetch(source) : Promise.resolve()
        if (again === null) throw error
        await again
        return verifyWith(keys.find, token, options)
      }
    },
  }
}

async function verifyWith(find: JWTVerifyGetKey, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, find, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // The token names no key.
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (fault) {
        if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** Keeps what verifying needs of the public keys that sign. */
function readKeys(sent: unknown): { find: JWTVerifyGetKey; bytes: number; algorithms: string[] } {
  const all = (sent as Partial<JSONWebKeySet> | null)?.keys
  if (!Array.isArray(all) || all.length === 0 || all.length > MAX_KEYS)
    throw new ProviderError('misconfigured', `The provider's key set must have 1 to ${MAX_KEYS} keys`)
  const kept = all.filter(isObject).map(({ kty, kid, alg, use, key_ops, crv, x, y, n, e }): JWK => {
    const given = Object.entries({ kty, kid, alg, use, key_ops, crv, x, y, n, e })
    return Object.fromEntries(given.filter(([, value]) => value !== undefined))
  })
  const algorithms = new Set(kept.map(({ alg, kty }) => alg ?? kty ?? ''))
  return { find: createLocalJWKSet({ keys: kept }), bytes: JSON.stringify(kept).length, algorithms: [...algorithms] }
}

function isObject(value: unknown): value is JWK {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
