import type { StoredProvider } from '#accounts/providers/providers'
import type { Pool } from 'pg'
import { toUuid } from '#domain/ids'

/** What a browser keeps, encrypted, while its user is at the provider. */
export interface ProviderFlow {
  companyId: string
  providerId: string
  /** A change of the provider's settings ends the flows that began before. */
  providerVersion: number
  state: string
  nonce: string
  codeVerifier: string
}

/** Who came back from the provider. */
export interface ProviderIdentity {
  issuer: string
  subject: string
  /** As users' emails are stored; null unless the provider says that it is verified, and it proves that form. */
  email: string | null
  /** The email as sent, verified or not, for the pages that explain a refusal. */
  claimedEmail: string | null
  /** `email_verified`. */
  isEmailVerified: boolean
  name: string | null
  /** The values of the claim that decides about the role; empty if there is none. */
  roleValues: readonly string[]
  /** All claims, for the test page. */
  claims: Readonly<Record<string, unknown>>
  idToken: string
  /** `sid` (OpenID Connect Front-Channel Logout 1.0, section 3). */
  providerSession: string | null
}

/** What a provider tells of the end of a session (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
export interface LogoutNotice {
  /** `jti`, unique among the tokens of the issuer. */
  tokenId: string
  subject: string | null
  providerSession: string | null
  /** RFC 3339 UTC, by the provider's clock. Sessions that began later have nothing to do with it. */
  issuedAt: string
}

/** Why signing in through a provider failed. Pages say what to do about each. */
export type ProviderFault =
  | 'unreachable'
  | 'misconfigured'
  | 'client_refused'
  | 'denied'
  | 'invalid_response'
  | 'wrong_issuer'
  | 'clock_skew'
  | 'outdated'

/** Signing in through a provider failed. The message names the reason for the company's IT; it contains no secrets. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly fault: ProviderFault

  constructor(fault: ProviderFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

/** Speaks OpenID Connect with the providers of companies. All methods throw ProviderError and UnreadableSecretError. */
export interface ProviderClient {
  /** Begins the authorization code flow with PKCE (RFC 7636). `redirectUri` is the company's own callback. */
  begin(
    provider: StoredProvider,
    redirectUri: string,
    hint: { email: string | null },
  ): Promise<{ url: string; flow: ProviderFlow }>
  /** Redeems the code of a callback, whose full URL it gets, and checks the ID token (OpenID Connect Core, 3.1.3.7). */
  complete(provider: StoredProvider, flow: ProviderFlow, callbackUrl: string): Promise<ProviderIdentity>
  /**
   * Where to end the session at the provider (RP-Initiated Logout 1.0); null if the provider has no such page. Without
   * the ID token, the provider may ask the person.
   */
  findLogoutUrl(provider: StoredProvider, idToken: string | null, returnTo: string): Promise<string | null>
  /** Checks a logout token (Back-Channel Logout 1.0, section 2.6). */
  readLogoutToken(provider: StoredProvider, logoutToken: string): Promise<LogoutNotice>
  /** Looks at what the provider publishes, without signing in. Returns what was found, a line each. */
  check(provider: StoredProvider): Promise<string[]>
}

/** Faults that stop everybody before the provider's own page, where nobody outside can cause them. */
const AT_BEGIN: ReadonlySet<string> = new Set<ProviderFault>(['unreachable', 'misconfigured', 'wrong_issuer'])
/** Faults of the way back that the person who signs in can't cause. */
const AT_END: ReadonlySet<string> = new Set<ProviderFault>(['client_refused', 'clock_skew'])

/**
 * Records with a provider since when nobody can sign in through it, so that its administrators learn of it. A fault ends
 * when the step that had it succeeds again, or when the provider is changed.
 */
export function recordFaults(client: ProviderClient, pool: Pool, onError: (error: unknown) => void): ProviderClient {
  const watch = async <Result>(provider: StoredProvider, faults: ReadonlySet<string>, step: () => Promise<Result>) => {
    const record = (fault: ProviderFault | null) => storeFault(pool, provider, fault).catch(onError)
    try {
      const result = await step()
      if (provider.fault !== null && faults.has(provider.fault)) await record(null)
      return result
    } catch (error) {
      if (error instanceof ProviderError && faults.has(error.fault) && error.fault !== provider.fault)
        await record(error.fault)
      throw error
    }
  }
  return {
    ...client,
    begin: (provider, redirectUri, hint) => watch(provider, AT_BEGIN, () => client.begin(provider, redirectUri, hint)),
    complete: (provider, flow, url) => watch(provider, AT_END, () => client.complete(provider, flow, url)),
  }
}

async function storeFault(pool: Pool, { companyId, id, version }: StoredProvider, fault: ProviderFault | null) {
  const failingSince = fault === null ? 'null' : 'least(failing_since, statement_timestamp())'
  await pool.query(
    `update identity_providers set fault = $4::text, failing_since = ${failingSince}
     where company_id = $1 and provider_id = $2 and version = $3`,
    [toUuid(companyId), toUuid(id), version, fault],
  )
}
