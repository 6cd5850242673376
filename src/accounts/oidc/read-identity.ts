import { readProvenEmail } from '../../domain/attributes.ts'
import type { ProviderSettings } from '../../domain/provider-settings.ts'
import { ProviderError, type ProviderIdentity } from './provider-client.ts'
import { trimBlanks } from '../../domain/normalize-text.ts'

/** The longest subject (OpenID Connect Core 1.0, section 2), and the longest `sid` that is kept. */
export const MAX_ID_CHARACTERS = 255
const MAX_EMAIL_CHARACTERS = 320
const MAX_NAME_CHARACTERS = 200
const MAX_ROLE_VALUES = 1000

type Claims = Readonly<Record<string, unknown>>

/** Whether the ID token lacks what decides about a sign-in, so that userinfo is worth a request. */
export function lacksClaims(claims: Claims, { role_claim: roleClaim }: Pick<ProviderSettings, 'role_claim'>): boolean {
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
export function readText(value: unknown, most: number): string | null {
  if (typeof value !== 'string' || trimBlanks(value) === '' || value.length > most) return null
  return /\p{Cc}/u.test(value) ? null : value
}

/** Refuses too many values instead of leaving some out, because one of these may make a person an administrator. */
function readValues(value: unknown, name: string): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (values.length > MAX_ROLE_VALUES)
    throw new ProviderError(
      'misconfigured',
      `The person has more than ${MAX_ROLE_VALUES} values of the claim "${name}"`,
    )
  return values.filter((one) => typeof one === 'string')
}

/** Whether the claim is only referred to (OpenID Connect Core 1.0, section 5.6.2), as Entra ID does with many groups. */
function leavesOut(claims: Claims, name: string): boolean {
  const names = claims._claim_names
  return typeof names === 'object' && names !== null && Object.hasOwn(names, name) && claims[name] === undefined
}
