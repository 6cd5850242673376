import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { fromUuid, isId, UUID_BYTES, writeUuid } from '#domain/ids'
import type { UserRef } from '#accounts/users/users'
import { isIP } from 'node:net'

/* What browsers are asked for, and the checks of what they answer (WebAuthn Level 3, sections 7.1 and 7.2). */

// These packages take a fifth of a second to load, so they are loaded when first needed.
const loadLibrary = () => import('@simplewebauthn/server')
const loadDecoders = () => import('@simplewebauthn/server/helpers')

/** COSE numbers of ES256, EdDSA and RS256, in the order of preference. */
const ALGORITHMS = [-7, -8, -257]
/** How long a browser may ask its user, in milliseconds. */
const TIMEOUT_MS = 5 * 60_000
/** The longest answer of a browser, in characters. */
const MAX_CHARACTERS = 8_192
/** An RSA key of 4096 bits has fewer. More would only cost time to check. */
const MAX_KEY_BYTES = 640
const MAX_ID_BYTES = 1_023
const TRANSPORTS: readonly string[] = ['ble', 'hybrid', 'internal', 'nfc', 'usb']

/** A passkey as an authenticator has made it. */
export interface NewCredential {
  id: Buffer
  /** COSE. */
  publicKey: Buffer
  /** How often it has signed; 0 if the authenticator does not count. */
  counter: number
  /** How browsers may reach its authenticator. */
  transports: string[]
}

interface Registrant extends UserRef {
  email: string
  name: string
  /** The user's passkeys: their authenticators make no second one. */
  held: { credentialId: Buffer; transports: string[] }[]
}

/** Returns the options with which a browser makes a passkey, with a new challenge. */
export async function makeCreationOptions(
  party: RelyingParty,
  user: Registrant,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary()
  return generateRegistrationOptions({
    rpName: 'employee-ledger',
    rpID: party.id,
    userID: makeUserHandle(user),
    userName: user.email,
    userDisplayName: user.name,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: user.held.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      transports: transports as AuthenticatorTransport[],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** Returns the options with which a browser lets its user choose a passkey, with a new challenge. */
export async function makeRequestOptions(party: RelyingParty): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadLibrary()
  return generateAuthenticationOptions({ rpID: party.id, timeout: TIMEOUT_MS, userVerification: 'required' })
}

/** Checks a browser's answer to `makeCreationOptions`, as JSON. Returns the passkey; null if the answer is not valid. */
export async function checkRegistration(
  party: RelyingParty,
  challenge: string,
  answer: string,
): Promise<NewCredential | null> {
  const response = parseAnswer(answer) as RegistrationResponseJSON | null
  if (response === null) return null
  try {
    const { verifyRegistrationResponse } = await loadLibrary()
    // Certificates in a statement would make the library connect to addresses that they name.
    if (!(await isUnattested(response)) || (await isFramed(response.response.clientDataJSON))) return null
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!registrationInfo) return null
    const { id: text, publicKey, counter, transports = [] } = registrationInfo.credential
    const id = Buffer.from(text, 'base64url')
    if (id.length > MAX_ID_BYTES || publicKey.length > MAX_KEY_BYTES) return null
    const supported = [transports].flat().filter((transport) => TRANSPORTS.includes(transport))
    return { id, publicKey: Buffer.from(publicKey), counter, transports: [...new Set(supported)] }
  } catch {
    return null
  }
}

/** A browser's answer to `makeRequestOptions`, not checked yet. */
export interface Assertion {
  credentialId: Buffer
  /** Whose passkey it claims to be. */
  owner: UserRef
  response: AuthenticationResponseJSON
}

/** Reads a browser's answer, as JSON; null if it names no passkey of a user. */
export function readAssertion(answer: string): Assertion | null {
  const response = parseAnswer(answer) as AuthenticationResponseJSON | null
  const { id, response: signed } = response ?? {}
  const owner = readUserHandle(signed?.userHandle)
  const credentialId = Buffer.from(typeof id === 'string' ? id : '', 'base64url')
  const isNamed = credentialId.length > 0 && credentialId.length <= MAX_ID_BYTES
  return response && owner && isNamed ? { credentialId, owner, response } : null
}

/** Whether an answer says that it answers this challenge. Its signature is not checked. */
export async function isAnswerTo(challenge: string, { response }: Pick<Assertion, 'response'>) {
  const { decodeClientDataJSON } = await loadDecoders()
  try {
    return decodeClientDataJSON(response.response.clientDataJSON).challenge === challenge
  } catch {
    return false
  }
}

/**
 * Checks that a passkey with this public key has signed the challenge for us, and has verified its user. Returns how often
 * it has signed; null if the answer is not valid. The caller compares that with the number before.
 */
export async function checkAssertion(
  party: RelyingParty,
  challenge: string,
  { response }: Pick<Assertion, 'response'>,
  publicKey: Buffer,
): Promise<number | null> {
  try {
    const { verifyAuthenticationResponse } = await loadLibrary()
    if (await isFramed(response.response.clientDataJSON)) return null
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

function parseAnswer(answer: string) {
  if (answer.length > MAX_CHARACTERS) return null
  try {
    const value = JSON.parse(answer) as unknown
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

/** Whether the authenticator says nothing about itself, or only what its own key has signed: what we have asked for. */
async function isUnattested({ response }: RegistrationResponseJSON) {
  const { decodeAttestationObject } = await loadDecoders()
  const statement = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url'))
  const format = statement.get('fmt')
  return format === 'none' || (format === 'packed' && statement.get('attStmt').get('x5c') === undefined)
}

/** Whether the browser was asked by a page of ours inside a page of another site. Our pages cannot be framed. */
async function isFramed(clientDataJSON: string) {
  const { decodeClientDataJSON } = await loadDecoders()
  return decodeClientDataJSON(clientDataJSON).crossOrigin === true
}

/**
 * What an authenticator stores with a passkey, and returns when the passkey is used: the UUIDs of the company and the
 * user. So signing in needs no email, and searches only this company.
 */
function makeUserHandle({ companyId, userId }: UserRef) {
  const handle = new Uint8Array(2 * UUID_BYTES)
  writeUuid(companyId, handle, 0)
  writeUuid(userId, handle, UUID_BYTES)
  return handle
}

/** Reads a handle in base64url; null if it is not one of ours. */
function readUserHandle(text: unknown): UserRef | null {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
  if (bytes.length !== 2 * UUID_BYTES) return null
  const companyId = fromUuid('com', bytes.toString('hex', 0, UUID_BYTES))
  const userId = fromUuid('usr', bytes.toString('hex', UUID_BYTES))
  return isId('com', companyId) && isId('usr', userId) ? { companyId, userId } : null
}

/** Who asks for passkeys (WebAuthn Level 3, section 5.4.2): browsers offer a passkey only to the host that made it. */
export interface RelyingParty {
  /** The host, without a port. */
  id: string
  origin: string
}

/** Where passkeys work, or why they do not, in a sentence. */
type PasskeySupport = { party: RelyingParty; reason?: undefined } | { party: null; reason: string }

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
