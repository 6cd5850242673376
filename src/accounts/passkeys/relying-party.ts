import { isIP } from 'node:net'

/** Who asks for passkeys (WebAuthn Level 3, section 5.4.2): browsers offer a passkey only to the host that made it. */
export interface RelyingParty {
  /** The host, without a port. */
  id: string
  origin: string
}

/** Where passkeys work, or why they do not, in a sentence. */
export type PasskeySupport = { party: RelyingParty; reason?: undefined } | { party: null; reason: string }

/**
 * Finds out whether browsers can use passkeys here. `publicUrl`: where they reach the service; null if unknown.
 * `hasKey`: whether the service has a key for secrets, which protects the steps of signing in.
 */
export function findPasskeySupport(publicUrl: string | null, hasKey: boolean): PasskeySupport {
  if (publicUrl === null) return { party: null, reason: 'The operator of this service has not set PUBLIC_URL.' }
  if (!hasKey) return { party: null, reason: 'The operator of this service has not set SECRETS_KEY.' }
  const { protocol, hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0)
    return { party: null, reason: 'Passkeys need a host name, and PUBLIC_URL of this service is an IP address.' }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal)
    return { party: null, reason: 'Passkeys need https, and PUBLIC_URL of this service is http.' }
  return { party: { id: hostname, origin } }
}
