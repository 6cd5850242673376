import {
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  createLocalJWKSet,
  errors,
  jwtVerify,
} from 'jose'
import { ProviderError } from './provider-client.ts'

/** How many keys a provider may have. Real ones have fewer than ten. */
const MAX_KEYS = 100

/** The keys with which a provider signs. */
export interface ProviderKeys {
  find: JWTVerifyGetKey
  /** About how many bytes they take. */
  bytes: number
  algorithms: string[]
}

/** Keeps what verifying needs of the public keys that sign. Throws ProviderError. */
export function readKeys(sent: unknown): ProviderKeys {
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

/** Checks a token's signature and claims, and returns its claims. Throws errors of jose. */
export async function verifyWith(
  { find }: ProviderKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
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
