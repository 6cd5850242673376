import type { JWTPayload } from 'jose'
import { decodeProtectedHeader } from 'jose'
import type { LogoutNotice } from './provider-client.ts'
import { ProviderError } from './provider-client.ts'
import { readText } from './read-identity.ts'

const MOST_ID_CHARACTERS = 255
/** What the header may call a logout token; older providers give it no type of its own. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'logout+jwt', 'application/logout+jwt']
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Reads the claims of a logout token whose signature, issuer, audience and times are right. */
export function readLogoutNotice(claims: JWTPayload, token: string): LogoutNotice {
  if (!TYPES.includes(decodeProtectedHeader(token).typ)) throw refuse('says that it is something else ("typ")')
  const subject = readText(claims.sub, MOST_ID_CHARACTERS)
  const providerSession = readText(claims.sid, MOST_ID_CHARACTERS)
  const event = (claims.events as Record<string, unknown> | null | undefined)?.[EVENT]
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw refuse('announces no sign-out ("events")')
  if (claims.nonce !== undefined) throw refuse('has a "nonce", as an ID token has')
  if ((claims.sub !== undefined && subject === null) || (claims.sid !== undefined && providerSession === null))
    throw refuse('names a person or a session that is not valid')
  if (subject === null && providerSession === null) throw refuse('names neither a person nor a session')
  return { subject, providerSession, issuedAt: new Date(claims.iat! * 1_000).toISOString() }
}

function refuse(why: string): ProviderError {
  return new ProviderError('invalid_response', `The logout token ${why}`)
}
