import type { ServerMetadata } from 'openid-client'
import * as oidc from 'openid-client'
import type { ProviderSettings } from '../../domain/provider-settings.ts'
import type { ClientMethod } from './client-authentication.ts'
import { askFor, explainIssuer, explainStatus } from './explain-fault.ts'
import { ProviderError } from './provider-client.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import { openProviderKeys, type ProviderKeys } from './provider-keys.ts'

/** What a provider publishes. */
export interface PublishedProvider {
  metadata: ServerMetadata
  keys: ProviderKeys
}

interface DiscoverOptions {
  fetch: ProviderFetch
  /** Whether addresses may use http. */
  allowsHttp: boolean
  /** What is done to each configuration of openid-client. */
  execute: readonly ((config: oidc.Configuration) => void)[]
  /** Called when other keys were fetched. */
  onChanged(): void
}

/** Fetches what a provider publishes about itself (OpenID Connect Discovery 1.0, section 4), and its keys. */
export async function discoverProvider(
  { issuer, client_id: clientId }: Pick<ProviderSettings, 'issuer' | 'client_id'>,
  { fetch, allowsHttp, execute, onChanged }: DiscoverOptions,
): Promise<PublishedProvider> {
  const options = { [oidc.customFetch]: fetch, execute: [...execute] }
  const config = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), options)
  const metadata = keepMetadata(config.serverMetadata())
  // openid-client lets through another slash at the end, and the issuers of providers that many companies share: whoever
  // has an account with any of these would be let in.
  if (metadata.issuer !== issuer) throw explainIssuer(metadata.issuer, issuer)
  assertAddresses(metadata, allowsHttp)
  return {
    metadata,
    keys: await openProviderKeys({ fetchKeys: () => fetchKeys(metadata.jwks_uri!, fetch), onChanged }),
  }
}

function fetchKeys(address: string, send: ProviderFetch): Promise<unknown> {
  return askFor('its keys', async () => {
    const headers = { accept: 'application/json, application/jwk-set+json' }
    const response = await send(address, { method: 'GET', headers, body: undefined, redirect: 'manual' })
    if (response.status !== 200) throw explainStatus(response.status, 'its keys')
    return response.json().catch(() => {
      throw new ProviderError('misconfigured', 'The provider did not answer with JSON when asked for its keys')
    })
  })
}

const NEEDED_ADDRESSES = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const ADDRESSES = [...NEEDED_ADDRESSES, 'userinfo_endpoint', 'end_session_endpoint'] as const
const TEXTS = ['issuer', ...ADDRESSES] as const
const LISTS = [
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'id_token_signing_alg_values_supported',
  'userinfo_signing_alg_values_supported',
  'code_challenge_methods_supported',
  'scopes_supported',
] as const
const FLAGS = [
  'authorization_response_iss_parameter_supported',
  'backchannel_logout_supported',
  'backchannel_logout_session_supported',
] as const

/** Throws unless the addresses are there and usable, so that a check finds what would stop users. */
function assertAddresses(metadata: ServerMetadata, allowsHttp: boolean): void {
  const missing = NEEDED_ADDRESSES.find((name) => metadata[name] === undefined)
  if (missing) throw withoutValid(missing)
  for (const name of ADDRESSES) {
    if (metadata[name] === undefined) continue
    const address = URL.parse(metadata[name])
    if (!address) throw withoutValid(name)
    if (address.protocol !== 'https:' && !(allowsHttp && address.protocol === 'http:'))
      throw new ProviderError('misconfigured', `The address ${name} in the provider's configuration does not use https`)
  }
}

function withoutValid(name: string): ProviderError {
  return new ProviderError('misconfigured', `The provider's configuration has no valid ${name}`)
}

/** Keeps what the client uses, and checks its types. */
function keepMetadata(sent: ServerMetadata): ServerMetadata {
  const isText = (value: unknown) => typeof value === 'string'
  const isList = (value: unknown) => Array.isArray(value) && value.every(isText)
  const isFlag = (value: unknown) => typeof value === 'boolean'
  const kept: Record<string, unknown> = {}
  for (const [names, isValid] of [[TEXTS, isText] as const, [LISTS, isList] as const, [FLAGS, isFlag] as const]) {
    for (const name of names) {
      const value = sent[name]
      if (value === undefined || value === null) continue
      if (!isValid(value)) throw withoutValid(name)
      kept[name] = value
    }
  }
  return kept as unknown as ServerMetadata
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
    `Ends sessions here when one ends there (back-channel logout): ${metadata.backchannel_logout_supported ? 'yes' : 'not announced'}`,
  ]
}
