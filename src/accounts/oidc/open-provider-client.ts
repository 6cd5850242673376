import * as oidc from 'openid-client'
import { errors, type JWTPayload } from 'jose'
import { secondsAhead } from '#postgres/database-clock'
import { placeOfSecret, type StoredProvider } from '#accounts/providers/providers'
import { createBudget } from '#admission/budget'
import type { ProviderSettings } from '#domain/provider-settings'
import { openOutgoing, type OutgoingOptions } from '#outgoing/connections'
import type { SecretBox } from '#accounts/secrets/secret-box'
import {
  describeProvider,
  discoverProvider,
  type PublishedProvider,
  chooseMethod,
  proveClient,
} from './discover-provider.ts'
import { askFor, explainIssuer } from './explain-fault.ts'
import { type ProviderClient, ProviderError, type ProviderFlow, type ProviderIdentity } from './provider-client.ts'
import { openProviderFetch } from './provider-fetch.ts'
import { joinClaims, lacksClaims, readIdentity, assertIsForClient, readLogoutNotice } from './read-identity.ts'
import { assertAccessToken, TOLERANCE_S, verifyToken, type TokenSource } from './verify-token.ts'
import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'

/** Requests under way at once: of all companies, and of one. A request holds at most 256 kB. */
const REQUESTS = { total: 256, share: 8, maxWaiting: 256, maxWaitMs: 10_000 }
/** A longer ID token does not fit into an address. */
const MAX_HINT = 4096

interface OpenedProviderClient extends ProviderClient {
  /** Closes idle connections. */
  close(): void
}

interface ProviderClientOptions extends Omit<OutgoingOptions, 'peer'> {
  secrets: SecretBox
  /** The current time in milliseconds, which decides how long a failed discovery is remembered. */
  now?: () => number
}

/** Opens the client that speaks with the providers of all companies. */
export function openProviderClient({ secrets, now, ...options }: ProviderClientOptions): OpenedProviderClient {
  const outgoing = openOutgoing({ ...options, peer: 'The provider' })
  const requests = createBudget(REQUESTS)
  const execute = options.allowPrivate ? [oidc.allowInsecureRequests] : []
  const fetchFor = (companyId: string) => openProviderFetch({ outgoing, requests, companyId })
  const discover = ({ companyId, settings }: StoredProvider) =>
    askFor('its configuration', () =>
      discoverProvider(settings, { fetch: fetchFor(companyId), allowsHttp: options.allowPrivate, execute }),
    )
  const providers = createKnownProviders(discover, now)

  /** Finds what the provider publishes. Codes, secrets and tokens go by it, so the issuer is compared at each use. */
  async function findPublished(provider: StoredProvider) {
    const published = await providers.find(provider)
    if (published.metadata.issuer !== provider.settings.issuer)
      throw explainIssuer(published.metadata.issuer, provider.settings.issuer)
    return published
  }

  /** Checks a token. If its key is not known, the provider may have changed its keys. */
  async function verify(provider: StoredProvider, token: string, source: TokenSource) {
    const check = (by: PublishedProvider) => verifyToken(by, provider.settings.client_id, token, source)
    const published = await findPublished(provider)
    try {
      return await check(published)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed))
        throw error
      const renewed = await providers.findAgain(provider, source)
      if (renewed === published) throw error
      return check(renewed)
    }
  }

  /** Describes the provider and the client to openid-client. */
  function configure(provider: StoredProvider, metadata: oidc.ServerMetadata, proof = oidc.None()) {
    const times = { [oidc.clockTolerance]: TOLERANCE_S, [oidc.clockSkew]: secondsAhead() }
    const config = new oidc.Configuration(metadata, provider.settings.client_id, times, proof)
    config[oidc.customFetch] = fetchFor(provider.companyId)
    for (const change of execute) change(config)
    return config
  }

  return {
    begin: (provider, redirectUri, { email }) =>
      askFor('its configuration', async () => {
        const { companyId, id: providerId, version: providerVersion, settings } = provider
        const { metadata } = await findPublished(provider)
        // Now, and not when the user comes back from the provider.
        chooseMethod(settings, metadata)
        const [state, nonce, codeVerifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
        const url = oidc.buildAuthorizationUrl(configure(provider, metadata), {
          redirect_uri: redirectUri,
          scope: chooseScope(settings.role_claim, metadata),
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          ...(email === null ? {} : { login_hint: email }),
        })
        return { url: url.href, flow: { companyId, providerId, providerVersion, state, nonce, codeVerifier } }
      }),

    async complete(provider, flow, callbackUrl) {
      const { companyId, id, version, settings } = provider
      if (flow.companyId !== companyId)
        throw new ProviderError('invalid_response', 'The answer belongs to a sign-in at another company')
      if (flow.providerId !== id || flow.providerVersion !== version)
        throw new ProviderError('outdated', 'The provider or its settings have changed since the sign-in began')
      const secret = secrets.decrypt(provider.secret, placeOfSecret(provider.id))
      const { metadata } = await findPublished(provider)
      const config = configure(provider, metadata, await proveClient(chooseMethod(settings, metadata), secret))
      const verifyIdToken = (idToken: string) => verify(provider, idToken, 'sign-in')
      return redeemCode({ config, verifyIdToken, settings, flow, callbackUrl, secret })
    },

    findLogoutUrl: (provider, idToken, returnTo) =>
      askFor('its configuration', async () => {
        const { metadata } = await findPublished(provider)
        if (!metadata.end_session_endpoint) return null
        const hint: Record<string, string> =
          idToken === null || idToken.length > MAX_HINT ? {} : { id_token_hint: idToken }
        const parameters = { ...hint, post_logout_redirect_uri: returnTo }
        return oidc.buildEndSessionUrl(configure(provider, metadata), parameters).href
      }),

    readLogoutToken: (provider, logoutToken) =>
      askFor('its keys', async () => {
        // First, because strangers can send tokens.
        assertIsForClient(logoutToken, provider.settings)
        return readLogoutNotice(await verify(provider, logoutToken, 'logout'))
      }),

    check: (provider) =>
      askFor('its configuration', async () => {
        const published = await discover(provider)
        return describeProvider(published, chooseMethod(provider.settings, published.metadata))
      }),

    close: outgoing.close,
  }
}

/** Asks for the scope of the claim that decides about roles too, if the provider has one of that name. */
function chooseScope(roleClaim: string | null, { scopes_supported: supported }: oidc.ServerMetadata) {
  const scopes = ['openid', 'email', 'profile']
  if (roleClaim !== null && supported?.includes(roleClaim) && !scopes.includes(roleClaim)) scopes.push(roleClaim)
  return scopes.join(' ')
}

interface RedeemOptions {
  /** The client, with its proof. */
  config: oidc.Configuration
  verifyIdToken(idToken: string): Promise<JWTPayload>
  settings: ProviderSettings
  flow: ProviderFlow
  callbackUrl: string
  /** The client's secret, which no message may repeat. */
  secret: string
}

/** Redeems the code of a callback and reads who signed in: from the ID token, and from userinfo if it lacks something. */
async function redeemCode(options: RedeemOptions): Promise<ProviderIdentity> {
  const { config, verifyIdToken, settings, flow, secret } = options
  const callback = new URL(options.callbackUrl)
  const hidden = [secret, flow.codeVerifier, ...callback.searchParams.getAll('code')]
  const expected = {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.codeVerifier,
    idTokenExpected: true,
  }
  const redeem = () => oidc.authorizationCodeGrant(config, callback, expected)
  const { id_token: sent, access_token: accessToken } = await askFor('tokens', redeem, hidden)
  const idToken = sent!
  // openid-client has checked the claims; where TLS names the sender, a signature is not needed, but is checked, too.
  const claims = await askFor('its keys', () => verifyIdToken(idToken), hidden)
  assertAccessToken(idToken, claims, accessToken)
  if (!lacksClaims(claims, settings) || !config.serverMetadata().userinfo_endpoint)
    return readIdentity(claims, settings, idToken)
  const ask = () => oidc.fetchUserInfo(config, accessToken, claims.sub!)
  const userInfo = await askFor('the claims of the user', ask, [...hidden, accessToken])
  return readIdentity(joinClaims(claims, userInfo), settings, idToken)
}

/** How long what a provider publishes is used, in milliseconds; a key that it withdraws is accepted no longer. */
const KEPT_MS = 600_000
const MAX_BYTES = 16 * 1024 * 1024
/** How long a failure counts, in milliseconds: strangers can cause discoveries, and must not keep a dead provider asked. */
const RETRY_MS = 5_000
/** About the size of a failure, with its message. */
const FAILURE_BYTES = 2_048
/** How often keys may be fetched again because they do not fit a token. */
const REFETCH_MS = 10_000
const MAX_REFETCHES = 10_000

interface KnownProvider {
  /** The provider and the version of its settings with which it was found. */
  revision: string
  /** By `now()`. */
  until: number
  found: PublishedProvider | ProviderError
}

interface KnownProviders {
  /** Finds what a company's provider publishes. Concurrent calls share one discovery, and its ProviderError. */
  find(provider: StoredProvider): Promise<PublishedProvider>
  /**
   * Like `find`, after the keys fitted no token of this source. The keys are fetched again, so that a change of them
   * works at once, but at most once in 10 seconds for each source.
   */
  findAgain(provider: StoredProvider, source: TokenSource): Promise<PublishedProvider>
}

/**
 * Caches what providers publish: one provider for each company, at most about 512 kB each. What was cached is not used
 * once the provider's settings change or another provider replaces it.
 */
export function createKnownProviders(
  discover: (provider: StoredProvider) => Promise<PublishedProvider>,
  now: () => number = () => performance.now(),
): KnownProviders {
  const known = new LRUCache<string, KnownProvider, StoredProvider>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ found }) =>
      found instanceof ProviderError ? FAILURE_BYTES : JSON.stringify(found.metadata).length + found.keys.bytes,
    fetchMethod: (_companyId, _outdated, { context: provider }) => look(provider),
    // Whoever waits for a discovery gets its result, also if there is no room for it any more.
    ignoreFetchAbort: true,
  })
  const refetches = new LRUCache<string, Promise<void>>({ ...upTo(MAX_REFETCHES), ttl: REFETCH_MS, noUpdateTTL: true })

  async function look(provider: StoredProvider): Promise<KnownProvider> {
    const revision = nameRevision(provider)
    try {
      const found = await discover(provider)
      return { revision, found, until: now() + KEPT_MS }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      return { revision, found: error, until: now() + RETRY_MS }
    }
  }

  async function find(provider: StoredProvider) {
    const { companyId } = provider
    const revision = nameRevision(provider)
    const cached = known.peek(companyId)
    if (cached && (cached.revision !== revision || cached.until <= now())) known.delete(companyId)
    const fetched = await known.fetch(companyId, { context: provider })
    // A discovery with other settings may have been under way.
    const { found } = fetched?.revision === revision ? fetched : await look(provider)
    if (found instanceof ProviderError) throw found
    return found
  }

  async function refetchKeys({ companyId }: StoredProvider) {
    const cached = known.peek(companyId)
    if (!cached || cached.found instanceof ProviderError) return
    const found = { ...cached.found, keys: await cached.found.fetchKeys() }
    if (known.peek(companyId) === cached) known.set(companyId, { ...cached, found })
  }

  return {
    find,
    async findAgain(provider, source) {
      const refetch = `${nameRevision(provider)} ${source}`
      const keys = refetches.get(refetch) ?? refetchKeys(provider)
      refetches.set(refetch, keys)
      await keys
      return find(provider)
    },
  }
}

/** Each provider begins at version 1, so the version alone does not tell a provider from its successor. */
function nameRevision({ id, version }: StoredProvider) {
  return `${id} ${version}`
}
