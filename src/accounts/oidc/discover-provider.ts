import * as oidc from 'openid-client'
import { type ServerMetadata, ClientSecretBasic, ClientSecretPost, PrivateKeyJwt } from 'openid-client'
import type { ProviderSettings } from '#domain/provider-settings'
import { askFor, explainIssuer, explainStatus } from './explain-fault.ts'
import { ProviderError } from './provider-client.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import {
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  createLocalJWKSet,
  errors,
  jwtVerify,
  importJWK,
} from 'jose'
import type { webcrypto } from 'node:crypto'

/** What a provider publishes. */
export interface PublishedProvider {
  metadata: ServerMetadata
  keys: ProviderKeys
  /** Fetches the keys as they are now. */
  fetchKeys(): Promise<ProviderKeys>
}

interface DiscoverOptions {
  fetch: ProviderFetch
  /** Whether addresses may use http. */
  allowsHttp: boolean
  /** What is done to each configuration of openid-client. */
  execute: readonly ((config: oidc.Configuration) => void)[]
}

/** Fetches what a provider publishes about itself (OpenID Connect Discovery 1.0, section 4), and its keys. */
export async function discoverProvider(
  { issuer, client_id: clientId }: Pick<ProviderSettings, 'issuer' | 'client_id'>,
  { fetch, allowsHttp, execute }: DiscoverOptions,
): Promise<PublishedProvider> {
  const options = { [oidc.customFetch]: fetch, execute: [...execute] }
  const config = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), options)
  const sent = config.serverMetadata()
  // openid-client lets through another slash at the end, and the issuers of providers that many companies share: whoever
  // has an account with any of these would be let in.
  if (sent.issuer !== issuer) throw explainIssuer(sent.issuer, issuer)
  const metadata = keepMetadata(sent, allowsHttp)
  const fetchKeys = () => askForKeys(metadata.jwks_uri!, fetch)
  return { metadata, keys: await fetchKeys(), fetchKeys }
}

function askForKeys(address: string, send: ProviderFetch): Promise<ProviderKeys> {
  return askFor('its keys', async () => {
    const headers = { accept: 'application/json, application/jwk-set+json' }
    const response = await send(address, { method: 'GET', headers, body: undefined, redirect: 'manual' })
    if (response.status !== 200) throw explainStatus(response.status, 'its keys')
    const sent: unknown = await response.json().catch(() => {
      throw new ProviderError('misconfigured', 'The provider did not answer with JSON when asked for its keys')
    })
    return readKeys(sent)
  })
}

const isText = (value: unknown) => typeof value === 'string'
const isAddress = (value: unknown) => typeof value === 'string' && URL.canParse(value)
const isList = (value: unknown) => Array.isArray(value) && value.every(isText)
const isFlag = (value: unknown) => typeof value === 'boolean'

/** What the client uses of a provider's configuration. */
const MEMBERS = {
  issuer: isText,
  authorization_endpoint: isAddress,
  token_endpoint: isAddress,
  jwks_uri: isAddress,
  userinfo_endpoint: isAddress,
  end_session_endpoint: isAddress,
  token_endpoint_auth_methods_supported: isList,
  token_endpoint_auth_signing_alg_values_supported: isList,
  id_token_signing_alg_values_supported: isList,
  userinfo_signing_alg_values_supported: isList,
  code_challenge_methods_supported: isList,
  scopes_supported: isList,
  authorization_response_iss_parameter_supported: isFlag,
  backchannel_logout_supported: isFlag,
  backchannel_logout_session_supported: isFlag,
}
const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']

/** Keeps what the client uses. Throws unless it is valid, so that a check finds what would stop users. */
function keepMetadata(sent: ServerMetadata, allowsHttp: boolean) {
  const kept: Record<string, unknown> = {}
  for (const [name, isValid] of Object.entries(MEMBERS)) {
    const value = sent[name] ?? undefined
    if (value === undefined ? NEEDED.includes(name) : !isValid(value))
      throw new ProviderError('misconfigured', `The provider's configuration has no valid ${name}`)
    if (value !== undefined && isValid === isAddress && !isSecure(value as string, allowsHttp))
      throw new ProviderError('misconfigured', `The address ${name} in the provider's configuration does not use https`)
    kept[name] = value
  }
  return kept as unknown as ServerMetadata
}

function isSecure(address: string, allowsHttp: boolean) {
  const { protocol } = new URL(address)
  return protocol === 'https:' || (allowsHttp && protocol === 'http:')
}

/** What a provider publishes, as far as it matters for signing in, a line each. */
export function describeProvider({ metadata, keys }: PublishedProvider, method: ClientMethod): string[] {
  const hasPkce = metadata.code_challenge_methods_supported?.includes('S256')
  const hasLogout = metadata.end_session_endpoint !== undefined
  return [
    `Issuer: ${metadata.issuer}`,
    `Users sign in at: ${metadata.authorization_endpoint}`,
    `Signs with: ${keys.algorithms.join(', ')}`,
    `The service proves itself by: ${method}`,
    `PKCE with S256: ${hasPkce ? 'announced' : 'not announced; it is used all the same'}`,
    `Names itself in its answers ("iss"): ${metadata.authorization_response_iss_parameter_supported ? 'yes' : 'no'}`,
    `Signing out there: ${hasLogout ? 'yes' : 'no'}`,
    'Ends sessions here when one ends there (back-channel logout): ' +
      (metadata.backchannel_logout_supported ? 'yes' : 'not announced'),
  ]
}

/** How many keys a provider may have. Real ones have fewer than ten. */
const MAX_KEYS = 100

/** The keys with which a provider signs. */
interface ProviderKeys {
  find: JWTVerifyGetKey
  /** About how many bytes they take. */
  bytes: number
  algorithms: string[]
}

/** Keeps what verifying needs of the public keys that sign. Throws ProviderError. */
function readKeys(sent: unknown): ProviderKeys {
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

const SIGNS_WITH = 'ES256'

/** The ways in which a client may prove itself (OpenID Connect Core 1.0, section 9), as far as this one can. */
type ClientMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

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
export async function proveClient(method: ClientMethod, secret: string) {
  if (method === 'client_secret_basic') return ClientSecretBasic(secret)
  if (method === 'client_secret_post') return ClientSecretPost(secret)
  const jwk = JSON.parse(secret) as JWK
  return PrivateKeyJwt({ key: (await importJWK(jwk, SIGNS_WITH)) as webcrypto.CryptoKey, kid: jwk.kid! })
}
