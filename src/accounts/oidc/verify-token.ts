import { hash } from 'node:crypto'
import { decodeProtectedHeader, type JWTPayload } from 'jose'
import { databaseTimeMs } from '#postgres/database-clock'
import { type PublishedProvider, verifyWith } from './discover-provider.ts'
import { explainClaim } from './explain-fault.ts'

/** The allowed difference between the provider's clock and ours, in seconds. */
export const TOLERANCE_S = 60
/** How old a token may be when it arrives. Some providers date tokens back by minutes. */
export const OLDEST_TOKEN_S = 900
/** Not `none`, and not those with which anyone who has the client's secret could sign. */
const ALGORITHMS: ReadonlySet<string> = new Set([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
])

/** Where a token comes from. Strangers can send logout tokens, so these must not use up what ID tokens may cause. */
export type TokenSource = 'sign-in' | 'logout'

const NEEDED_CLAIMS = { 'sign-in': ['exp', 'sub'], logout: ['exp', 'jti', 'events'] }

/** Checks the signature of a token, and that it is recent, by this provider and for this client. Returns its claims. */
export async function verifyToken(
  { metadata, keys }: PublishedProvider,
  clientId: string,
  token: string,
  source: TokenSource,
): Promise<JWTPayload> {
  const announced = metadata.id_token_signing_alg_values_supported ?? ['RS256']
  const options = {
    issuer: metadata.issuer,
    audience: clientId,
    algorithms: announced.filter((name) => ALGORITHMS.has(name)),
    clockTolerance: TOLERANCE_S,
    currentDate: new Date(databaseTimeMs()),
    maxTokenAge: OLDEST_TOKEN_S,
    requiredClaims: NEEDED_CLAIMS[source],
  }
  const claims = await verifyWith(keys, token, options)
  // Whoever the token was made for, it says so (OpenID Connect Core 1.0, section 3.1.3.7).
  if (claims['azp'] !== undefined && claims['azp'] !== clientId) throw explainClaim('azp')
  return claims
}

/**
 * Throws if an ID token with a right signature belongs to another access token than this one (OpenID Connect Core 1.0,
 * section 3.1.3.6). Most providers leave `at_hash` out.
 */
export function assertAccessToken(idToken: string, { at_hash: sent }: JWTPayload, accessToken: string) {
  if (sent === undefined) return
  const digest = hash(hashOf(decodeProtectedHeader(idToken).alg!), accessToken, 'buffer')
  if (sent !== digest.subarray(0, digest.length / 2).toString('base64url')) throw explainClaim('at_hash')
}

/** The hash that an algorithm of `ALGORITHMS` signs. */
function hashOf(algorithm: string) {
  return algorithm.startsWith('Ed') ? 'sha512' : `sha${algorithm.slice(2)}`
}
