/** The addresses of a company that its provider, its administrators and its users need. */
export interface ProviderAddresses {
  /** The company's own sign-in page, which administrators share. */
  signIn: string
  /** Where the provider sends people back to. */
  redirect: string
  /** Where the provider tells of the end of a session (Back-Channel Logout 1.0). */
  backchannelLogout: string
  /** Where the provider sends people who have signed out (RP-Initiated Logout 1.0). */
  postLogout: string
  /** The public key with which the service authenticates by `private_key_jwt`. */
  jwks: string
}

/**
 * Finds the addresses of a company. Null if the service does not know its own address, or if that is not https:
 * providers accept http for the own machine only.
 */
export function findProviderAddresses(publicUrl: string | null, companyId: string): ProviderAddresses | null {
  const url = publicUrl === null ? null : URL.parse(publicUrl)
  if (!url || (url.protocol !== 'https:' && !LOOPBACK.has(url.hostname))) return null
  const signIn = `${url.origin}/sign-in/${companyId}`
  return {
    signIn,
    redirect: `${signIn}/callback`,
    backchannelLogout: `${signIn}/backchannel-logout`,
    postLogout: `${url.origin}/sign-in`,
    jwks: `${signIn}/jwks`,
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
