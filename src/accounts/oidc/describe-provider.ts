import type { PublishedProvider } from './discover-provider.ts'
import type { ClientMethod } from './client-authentication.ts'

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
