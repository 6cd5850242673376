import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SecretBox } from '../secrets/secret-box.ts'
import { placeOfSecret, type StoredProvider } from './read-provider.ts'

/** Makes the private key of `private_key_jwt`, as the text of a JWK (RFC 7517) with its thumbprint (RFC 7638) as id. */
export async function generateProviderKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await exportJWK(privateKey)
  return JSON.stringify({ ...key, kid: await calculateJwkThumbprint(key), alg: 'ES256', use: 'sig' })
}

/** Returns the JWK Set (RFC 7517) with the public key of `private_key_jwt`; null if the service has a client secret. */
export function readPublicKeys(secrets: SecretBox, provider: StoredProvider): { keys: object[] } | null {
  if (provider.settings.client_auth !== 'private_key_jwt') return null
  return { keys: [readPublicKey(secrets.decrypt(provider.secret, placeOfSecret(provider.id)))] }
}

/** Returns the public part of a key of `generateProviderKey`. */
function readPublicKey(secret: string): object {
  const { d: _, ...key } = JSON.parse(secret) as JWK
  return key
}
