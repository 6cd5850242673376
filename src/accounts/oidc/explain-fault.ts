import { errors as joseErrors } from 'jose'
import * as oidc from 'openid-client'
import { NoTurnError } from '#admission/batcher'
import { OutgoingError } from '#outgoing/outgoing-error'
import { UnreadableSecretError } from '../secrets/secret-box.ts'
import { ProviderError, type ProviderFault } from './provider-client.ts'
import { trimBlanks } from '#text/normalize-text'

/** What the client asks a provider for, as sentences name it. */
type ProviderResource = 'its configuration' | 'its keys' | 'tokens' | 'the claims of the user'

const MAX_QUOTED = 300
/** What is looked at, as blanks are taken together. */
const MAX_LOOKED_AT = 10_000

/**
 * Turns whatever went wrong into a ProviderError. Its message quotes nothing that contains one of the secrets, and it has
 * no cause, because the errors of the libraries hold tokens.
 */
function explainFault(error: unknown, requested: ProviderResource, secrets: readonly string[]): Error {
  const make = (fault: ProviderFault, text: string) => new ProviderError(fault, text)
  for (const cause of causesOf(error)) {
    if (cause instanceof ProviderError || cause instanceof UnreadableSecretError) return cause
    if (cause instanceof NoTurnError)
      return make('unreachable', 'The provider answers too slowly: too many requests wait for it already')
    if (cause instanceof OutgoingError)
      return make(FAULT_OF_EXCHANGE[cause.fault], `The provider could not be asked for ${requested}. ${cause.message}`)
    if (cause instanceof joseErrors.JOSEError) return explainToken(cause)
  }
  const quote = (text: string | undefined) => quoteSafely(text, secrets)
  if (error instanceof oidc.AuthorizationResponseError)
    return make(
      FAULT_OF_CALLBACK[error.error] ?? 'denied',
      `The provider ended the sign-in with "${quote(error.error)}"${described(quote(error.error_description))}`,
    )
  if (error instanceof oidc.ResponseBodyError) return explainBody(error, requested, quote)
  if (error instanceof oidc.ClientError) return explainClient(error, requested)
  throw error
}

/** Runs a step that asks the provider for something, and explains its fault. */
export async function askFor<Result>(
  requested: ProviderResource,
  step: () => Promise<Result>,
  secrets: readonly string[] = [],
) {
  try {
    return await step()
  } catch (error) {
    throw explainFault(error, requested, secrets)
  }
}

function* causesOf(error: unknown): Generator {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) yield cause
}

const FAULT_OF_EXCHANGE = { refused: 'misconfigured', unanswered: 'unreachable', broken: 'invalid_response' } as const

/** The errors of RFC 6749, section 4.1.2.1; others are refusals. */
const FAULT_OF_CALLBACK: Record<string, ProviderFault> = {
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
  invalid_request: 'misconfigured',
  invalid_scope: 'misconfigured',
  unauthorized_client: 'misconfigured',
  unsupported_response_type: 'misconfigured',
}

/** The errors of a token endpoint (RFC 6749, section 5.2). */
function explainBody(error: oidc.ResponseBodyError, requested: ProviderResource, quote: (text?: string) => string) {
  const why = described(quote(error.error_description))
  if (error.error === 'invalid_client' || error.error === 'unauthorized_client')
    return new ProviderError('client_refused', `The provider did not accept the client ID and its secret or key${why}`)
  if (error.error === 'invalid_grant')
    return new ProviderError(
      'invalid_response',
      `The provider did not redeem its code, which may be too old or used already${why}`,
    )
  const fault = error.status >= 500 ? 'unreachable' : 'misconfigured'
  return new ProviderError(fault, `The provider answered "${quote(error.error)}" when asked for ${requested}${why}`)
}

/** What openid-client tells of a check that failed. */
interface CheckDetails {
  claim?: string
  attribute?: string
  body?: { issuer?: unknown }
  expected?: unknown
}

/** Explains that a provider's configuration names another issuer than the one that is set. */
export function explainIssuer(named: unknown, entered: string) {
  const name = quoteSafely(typeof named === 'string' ? named : '', [])
  return new ProviderError(
    'wrong_issuer',
    `Issuer mismatch: the provider reports ${name}; you entered ${quoteSafely(entered, [])}`,
  )
}

function explainClient(error: oidc.ClientError, requested: ProviderResource) {
  const fault = (name: ProviderFault, text: string) => new ProviderError(name, text)
  const { cause } = error
  // Their own messages contain no values.
  const detail = cause instanceof Error ? cause.message : error.message
  const about = (cause instanceof Error ? cause.cause : cause) as CheckDetails | undefined
  switch (error.code) {
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return about?.attribute === 'issuer'
        ? explainIssuer(about.body?.issuer, String(about.expected))
        : fault('invalid_response', 'The provider sent the claims of another person')
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return fault('clock_skew', `The time in the ID token is wrong ("${about?.claim}"): the provider's clock or ours`)
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return explainClaim(about?.claim ?? '')
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return explainStatus(cause instanceof Response ? cause.status : 0, requested)
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
      return fault('invalid_response', `The provider did not answer with JSON when asked for ${requested}`)
    case 'OAUTH_HTTP_REQUEST_FORBIDDEN':
    case 'OAUTH_REQUEST_PROTOCOL_FORBIDDEN':
      return fault('misconfigured', "An address in the provider's configuration does not use https")
    case undefined:
    default:
      if (detail.startsWith('unexpected "iss"') || detail.includes('"iss" (issuer) missing'))
        return fault('wrong_issuer', 'The answer does not come from the provider that was asked ("iss")')
      return fault('invalid_response', `The provider's answer is not valid: ${detail}`)
  }
}

/** Explains a status other than success. */
export function explainStatus(status: number, requested: ProviderResource) {
  const refused = status === 401 && requested === 'tokens' ? 'client_refused' : 'misconfigured'
  const fault = status >= 500 || status === 429 ? 'unreachable' : refused
  return new ProviderError(fault, `The provider answered ${status} when asked for ${requested}`)
}

/** Explains that a claim of a token is not as expected. */
export function explainClaim(claim: string) {
  if (claim === 'iss') return new ProviderError('wrong_issuer', 'The token was issued by another issuer')
  const meaning: Record<string, string> = {
    aud: 'The token was issued to another client ("aud")',
    azp: 'The token was issued to another client ("azp")',
    at_hash: 'The ID token belongs to another access token ("at_hash")',
    nonce: 'The ID token was issued for another sign-in ("nonce")',
  }
  return new ProviderError('invalid_response', meaning[claim] ?? `The token's claim "${claim}" is not as expected`)
}

function explainToken(error: joseErrors.JOSEError) {
  if (error instanceof joseErrors.JWTExpired || error instanceof joseErrors.JWTClaimValidationFailed) {
    const { claim, reason } = error
    if (reason === 'missing') return new ProviderError('invalid_response', `The token has no claim "${claim}"`)
    if (reason === 'check_failed' && ['exp', 'nbf', 'iat'].includes(claim))
      return new ProviderError(
        'clock_skew',
        `The time in the token is wrong ("${claim}"): the provider's clock or ours`,
      )
    return explainClaim(claim)
  }
  if (error instanceof joseErrors.JWKSNoMatchingKey)
    return new ProviderError('invalid_response', 'The token is signed with a key that the provider does not publish')
  if (error instanceof joseErrors.JWSSignatureVerificationFailed)
    return new ProviderError('invalid_response', "The token's signature is wrong")
  if (error instanceof joseErrors.JOSEAlgNotAllowed || error instanceof joseErrors.JOSENotSupported)
    return new ProviderError(
      'invalid_response',
      'The token is not signed with an algorithm that the provider announces',
    )
  if (error instanceof joseErrors.JWKSInvalid || error instanceof joseErrors.JWKInvalid)
    return new ProviderError('misconfigured', "The provider's key set is not valid")
  return new ProviderError('invalid_response', 'The token is not valid')
}

const described = (text: string) => (text === '' ? '' : `: ${text}`)

/** What a provider said, bounded and in one line; nothing if it repeats a secret. */
function quoteSafely(text: string | undefined, secrets: readonly string[]) {
  if (text === undefined || secrets.some((secret) => text.includes(secret))) return ''
  const beginning = text.slice(0, MAX_LOOKED_AT)
  return trimBlanks(beginning.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, MAX_QUOTED))
}
