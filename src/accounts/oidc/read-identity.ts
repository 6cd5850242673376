import { readProvenEmail } from '#domain/attributes'
import type { ProviderSettings } from '#domain/provider-settings'
import { ProviderError, type ProviderIdentity, type LogoutNotice } from './provider-client.ts'
import { trimBlanks } from '#text/normalize-text'
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import { explainClaim } from './explain-fault.ts'

/** The longest subject (OpenID Connect Core 1.0, section 2), and the longest `sid` that is kept. */
const MAX_ID_CHARACTERS = 255
const MAX_EMAIL_CHARACTERS = 320
const MAX_NAME_CHARACTERS = 200
const MAX_ROLE_VALUES = 1000

type Claims = Readonly<Record<string, unknown>>

/** Whether the ID token lacks what decides about a sign-in, so that userinfo is worth a request. */
export function lacksClaims(claims: Claims, { role_claim: roleClaim }: Pick<ProviderSettings, 'role_claim'>) {
  return claims.email === undefined || (roleClaim !== null && claims[roleClaim] === undefined)
}

/**
 * Adds the claims of userinfo to those of the ID token, which count first. The email and whether it is verified come from
 * the same place, as one says nothing about the other's.
 */
export function joinClaims(idToken: Claims, userInfo: Claims): Claims {
  return idToken.email === undefined
    ? { ...userInfo, ...leaveOutEmail(idToken) }
    : { ...leaveOutEmail(userInfo), ...idToken }
}

function leaveOutEmail(claims: Claims): Claims {
  const { email: _, email_verified: _verified, ...others } = claims
  return others
}

/** Reads who signed in. */
export function readIdentity(
  claims: Claims,
  { role_claim: roleClaim }: Pick<ProviderSettings, 'role_claim'>,
  idToken: string,
): ProviderIdentity {
  const email = readText(claims.email, MAX_EMAIL_CHARACTERS)
  const subject = readText(claims.sub, MAX_ID_CHARACTERS)
  // Amazon Cognito sends it as text.
  const isEmailVerified = claims.email_verified === true || claims.email_verified === 'true'
  if (subject === null) throw new ProviderError('invalid_response', 'The subject ("sub") is not valid')
  if (roleClaim !== null && leavesOut(claims, roleClaim))
    throw new ProviderError(
      'misconfigured',
      `The provider left out the claim "${roleClaim}", because the person has too many values of it`,
    )
  return {
    issuer: claims.iss as string,
    subject,
    email: isEmailVerified ? readProvenEmail(email) : null,
    claimedEmail: email,
    isEmailVerified,
    name: readText(claims.name, MAX_NAME_CHARACTERS),
    roleValues: roleClaim === null ? [] : readValues(claims[roleClaim], roleClaim),
    claims,
    idToken,
    providerSession: readText(claims.sid, MAX_ID_CHARACTERS),
  }
}

/** A text of at most so many characters, without control characters; otherwise null. */
function readText(value: unknown, most: number) {
  if (typeof value !== 'string' || trimBlanks(value) === '' || value.length > most) return null
  return /\p{Cc}/u.test(value) ? null : value
}

/** Refuses too many values instead of leaving some out, because one of these may make a person an administrator. */
function readValues(value: unknown, name: string) {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (values.length > MAX_ROLE_VALUES)
    throw new ProviderError(
      'misconfigured',
      `The person has more than ${MAX_ROLE_VALUES} values of the claim "${name}"`,
    )
  return values.filter((one) => typeof one === 'string')
}

/** Whether the claim is only referred to (OpenID Connect Core 1.0, section 5.6.2), as Entra ID does with many groups. */
function leavesOut(claims: Claims, name: string) {
  const names = claims._claim_names
  return typeof names === 'object' && names !== null && Object.hasOwn(names, name) && claims[name] === undefined
}

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
) {
  const { alg, typ } = readHeader(token)
  if (alg === undefined) throw refuse('is not signed')
  if (!TYPES.includes(typ)) throw refuse('says that it is something else ("typ")')
  const { iss, aud } = decodeJwt(token)
  if (iss !== issuer) throw explainClaim('iss')
  if (aud !== clientId && !(Array.isArray(aud) && aud.includes(clientId))) throw explainClaim('aud')
}

function readHeader(token: string) {
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

function refuse(why: string) {
  return new ProviderError('invalid_response', `The logout token ${why}`)
}
