import { errors, type JWTPayload } from 'jose'
import * as oidc from 'openid-client'
import { secondsAhead } from '#postgres/database-clock'
import { placeOfSecret, type StoredProvider } from '../providers/providers.ts'
import { createBudget } from '#admission/budget'
import type { ProviderSettings } from '#domain/provider-settings'
import { openOutgoing, type OutgoingOptions } from '#outgoing/connections'
import type { SecretBox } from '../secrets/secret-box.ts'
import {
  describeProvider,
  discoverProvider,
  type PublishedProvider,
  chooseMethod,
  proveClient,
} from './discover-provider.ts'
import { askFor, explainIssuer } from './explain-fault.ts'
import { createKnownProviders } from './known-providers.ts'
import { type ProviderClient, ProviderError, type ProviderFlow, type ProviderIdentity } from './provider-client.ts'
import { openProviderFetch } from './provider-fetch.ts'
import { joinClaims, lacksClaims, readIdentity, assertIsForClient, readLogoutNotice } from './read-identity.ts'
import { assertAccessToken, TOLERANCE_S, verifyToken, type TokenSource } from './verify-token.ts'

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
  async function findPublished(provider: StoredProvider): Promise<PublishedProvider> {
    const published = await providers.find(provider)
    if (published.metadata.issuer !== provider.settings.issuer)
      throw explainIssuer(published.metadata.issuer, provider.settings.issuer)
    return published
  }

  /** Checks a token. If its key is not known, the provider may have changed its keys. */
  async function verify(provider: StoredProvider, token: string, source: TokenSource): Promise<JWTPayload> {
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
  function configure(provider: StoredProvider, metadata: oidc.ServerMetadata, proof = oidc.None()): oidc.Configuration {
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
function chooseScope(roleClaim: string | null, { scopes_supported: supported }: oidc.ServerMetadata): string {
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
