import { generateKeyPair, hash } from 'node:crypto'
import { promisify } from 'node:util'
import type { SecretBox } from '../secrets/secret-box.ts'
import { placeOfSecret, type StoredProvider } from './read-provider.ts'

/** A key as JSON Web Key (RFC 7517). */
interface EcKey {
  kty: 'EC'
  crv: string
  x: string
  y: string
  d?: string
}

/** Makes the private key of `private_key_jwt`, as the text of a JWK. */
export async function generateProviderKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ format: 'jwk' }) as unknown as EcKey
  return JSON.stringify({ ...key, kid: thumbprint(key), alg: 'ES256', use: 'sig' })
}

/** Returns the JWK Set (RFC 7517) with the public key of `private_key_jwt`; null if the service has a client secret. */
export function readPublicKeys(secrets: SecretBox, provider: StoredProvider): { keys: object[] } | null {
  if (provider.settings.client_auth !== 'private_key_jwt') return null
  return { keys: [readPublicKey(secrets.decrypt(provider.secret, placeOfSecret(provider.id)))] }
}

/** Returns the public part of a key of `generateProviderKey`. */
function readPublicKey(secret: string): object {
  const { d: _, ...key } = JSON.parse(secret) as EcKey
  return key
}

/** Names a key by its content (RFC 7638). */
function thumbprint({ crv, kty, x, y }: EcKey): string {
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
}
