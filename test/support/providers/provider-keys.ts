import { generateKeyPairSync } from 'node:crypto'
import type { JWK } from 'jose'

const keys: JWK[] = []

/** The signing key of a generation (RSA, as providers use it), with its private part. Made once for all tests of a process. */
export function signingKey(generation: number): JWK & { kty: string; kid: string } {
  const key = (keys[generation] ??= {
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
    kid: `key-${generation}`,
    use: 'sig',
    alg: 'RS256',
  })
  return key as JWK & { kty: string; kid: string }
}
