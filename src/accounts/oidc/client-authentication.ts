import { importJWK, type JWK } from 'jose'
import type { webcrypto } from 'node:crypto'
import { ClientSecretBasic, ClientSecretPost, PrivateKeyJwt, type ClientAuth, type ServerMetadata } from 'openid-client'
import type { ProviderSettings } from '#domain/provider-settings'
import { ProviderError } from './provider-client.ts'

const SIGNS_WITH = 'ES256'

/** The ways in which a client may prove itself (OpenID Connect Core 1.0, section 9), as far as this one can. */
export type ClientMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** Finds how the client proves itself to this provider. */
export function chooseMethod(
  { client_auth: method }: Pick<ProviderSettings, 'client_auth'>,
  metadata: ServerMetadata,
): ClientMethod {
  const supported = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const possible = (method === 'private_key_jwt' ? [method] : SECRET_METHODS).find((name) => supported.includes(name))
  if (!possible) {
    const named = method === 'private_key_jwt' ? method : SECRET_METHODS.join(' or ')
    throw new ProviderError('misconfigured', `The provider does not support client authentication by ${named}`)
  }
  const algorithms = metadata.token_endpoint_auth_signing_alg_values_supported
  if (possible === 'private_key_jwt' && algorithms && !algorithms.includes(SIGNS_WITH))
    throw new ProviderError('misconfigured', `The provider does not support private_key_jwt with ${SIGNS_WITH}`)
  return possible
}

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const

/** How the client proves itself, with its secret or its private key as a JWK. */
export async function proveClient(method: ClientMethod, secret: string): Promise<ClientAuth> {
  if (method === 'client_secret_basic') return ClientSecretBasic(secret)
  if (method === 'client_secret_post') return ClientSecretPost(secret)
  const jwk = JSON.parse(secret) as JWK
  return PrivateKeyJwt({ key: (await importJWK(jwk, SIGNS_WITH)) as webcrypto.CryptoKey, kid: jwk.kid! })
}
