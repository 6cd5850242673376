import * as oidc from 'openid-client'
import type { ProviderSettings } from '../../domain/provider-settings.ts'
import type { PublishedProvider } from './discover-provider.ts'
import { askFor } from './explain-fault.ts'
import type { ProviderFlow, ProviderIdentity } from './provider-client.ts'
import { joinClaims, lacksClaims, readIdentity } from './read-identity.ts'
import { assertAccessToken, verifyToken } from './verify-token.ts'

interface RedeemOptions {
  /** The client, with its proof. */
  config: oidc.Configuration
  published: PublishedProvider
  settings: ProviderSettings
  flow: ProviderFlow
  callbackUrl: string
  /** The client's secret, which no message may repeat. */
  secret: string
}

/** Redeems the code of a callback and reads who signed in: from the ID token, and from userinfo if it lacks something. */
export async function redeemCode(options: RedeemOptions): Promise<ProviderIdentity> {
  const { config, published, settings, flow, secret } = options
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
  const verify = () => verifyToken(published, settings.client_id, idToken, 'sign-in')
  const claims = await askFor('its keys', verify, hidden)
  assertAccessToken(idToken, claims, accessToken)
  if (!lacksClaims(claims, settings) || !published.metadata.userinfo_endpoint)
    return readIdentity(claims, settings, idToken)
  const ask = () => oidc.fetchUserInfo(config, accessToken, claims.sub!)
  const userInfo = await askFor('the claims of the user', ask, [...hidden, accessToken])
  return readIdentity(joinClaims(claims, userInfo), settings, idToken)
}
