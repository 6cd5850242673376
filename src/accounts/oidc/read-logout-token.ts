import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from 'jose'
import type { ProviderSettings } from '../../domain/provider-settings.ts'
import { explainClaim } from './explain-fault.ts'
import { ProviderError, type LogoutNotice } from './provider-client.ts'
import { MAX_ID_CHARACTERS, readText } from './read-identity.ts'

/** What the header may call a logout token; older providers give it no type of its own. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'logout+jwt', 'application/logout+jwt']
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Throws unless a text is a signed token that calls itself a logout token of this issuer for this client. Its signature is
 * not checked, so this proves nothing. It throws errors of jose, too.
 */
export function assertIsForClient(
  token: string,
  { issuer, client_id: clientId }: Pick<ProviderSettings, 'issuer' | 'client_id'>,
): void {
  const { alg, typ } = readHeader(token)
  if (alg === undefined) throw refuse('is not signed')
  if (!TYPES.includes(typ)) throw refuse('says that it is something else ("typ")')
  const { iss, aud } = decodeJwt(token)
  if (iss !== issuer) throw explainClaim('iss')
  if (aud !== clientId && !(Array.isArray(aud) && aud.includes(clientId))) throw explainClaim('aud')
}

function readHeader(token: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token)
  } catch {
    throw refuse('is not a token')
  }
}

/** Reads the claims of a logout token whose signature, issuer, audience and times are right. */
export function readLogoutNotice(claims: JWTPayload): LogoutNotice {
  const subject = readText(claims.sub, MAX_ID_CHARACTERS)
  const providerSession = readText(claims.sid, MAX_ID_CHARACTERS)
  if (typeof claims.jti !== 'string') throw explainClaim('jti')
  const event = (claims.events as Record<string, unknown> | null | undefined)?.[EVENT]
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw refuse('announces no sign-out ("events")')
  if (claims.nonce !== undefined) throw refuse('has a "nonce", as an ID token has')
  if ((claims.sub !== undefined && subject === null) || (claims.sid !== undefined && providerSession === null))
    throw refuse('names a person or a session that is not valid')
  if (subject === null && providerSession === null) throw refuse('names neither a person nor a session')
  return { tokenId: claims.jti, subject, providerSession, issuedAt: new Date(claims.iat! * 1_000).toISOString() }
}

function refuse(why: string): ProviderError {
  return new ProviderError('invalid_response', `The logout token ${why}`)
}
