import { isoCBOR } from '@simplewebauthn/server/helpers'
import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto'

/* An authenticator in software (WebAuthn Level 3, section 6), with the browser around it, that can be made to lie. */

/** What differs from the truth. */
export interface Lies {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  /** Whether it says that somebody was there, and that it was the user. */
  isPresent?: boolean
  isVerified?: boolean
  counter?: number
  credentialId?: Buffer
  /** Base64url; null: absent. */
  userHandle?: string | null
  /** The authenticator whose key signs. */
  signer?: Authenticator
  /** The format and the statement of an attestation. */
  attestation?: { fmt: string; attStmt: Map<string, unknown> }
}

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256' | 'ES384'

interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}
interface RequestOptions {
  challenge: string
  rpId: string
}

export interface Authenticator {
  readonly credentialId: Buffer
  /** The user handle that it was given, in base64url. */
  userHandle: string
  /** How often it has signed; it does not count unless this is set. */
  counter: number
  sign(data: Buffer): Buffer
  /** Makes its passkey. Returns what the browser sends, as JSON. */
  create(options: CreationOptions, lies?: Lies): string
  /** Signs in. Returns what the browser sends, as JSON. */
  use(options: RequestOptions, lies?: Lies): string
}

const FLAG = { present: 1, verified: 4, attested: 64 }

/** Opens an authenticator with one key, in a browser that shows a page of this origin. */
export function openAuthenticator(origin: string, algorithm: Algorithm = 'ES256'): Authenticator {
  const { cose, key } = makeKey(algorithm)
  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    )
  const head = (rpId: string, counter: number, lies: Lies, flags: number) => {
    const said = flags | (lies.isPresent === false ? 0 : FLAG.present) | (lies.isVerified === false ? 0 : FLAG.verified)
    const number = Buffer.alloc(4)
    number.writeUInt32BE(lies.counter ?? counter)
    return Buffer.concat([hash('sha256', lies.rpId ?? rpId, 'buffer'), Buffer.from([said]), number])
  }
  const authenticator: Authenticator = {
    credentialId: randomBytes(32),
    userHandle: '',
    counter: 0,
    sign: (data) => sign(algorithm === 'EdDSA' ? null : algorithm === 'ES384' ? 'sha384' : 'sha256', data, key),
    create({ challenge, rp, user }, lies = {}) {
      authenticator.userHandle = user.id
      const id = lies.credentialId ?? authenticator.credentialId
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const authData = Buffer.concat([
        head(rp.id, authenticator.counter, lies, FLAG.attested),
        ...[Buffer.alloc(16), length, id, cose],
      ])
      const { fmt, attStmt } = lies.attestation ?? { fmt: 'none', attStmt: new Map() }
      const object = isoCBOR.encode(
        new Map<string, unknown>([
          ['fmt', fmt],
          ['attStmt', attStmt],
          ['authData', new Uint8Array(authData)],
        ]) as never,
      )
      return wrap(id, {
        clientDataJSON: clientData('webauthn.create', challenge, lies).toString('base64url'),
        attestationObject: Buffer.from(object).toString('base64url'),
        transports: ['internal', 'unheard-of'],
      })
    },
    use({ challenge, rpId }, lies = {}) {
      if (authenticator.counter > 0) authenticator.counter += 1
      const authData = head(rpId, authenticator.counter, lies, 0)
      const client = clientData('webauthn.get', challenge, lies)
      const signed = Buffer.concat([authData, hash('sha256', client, 'buffer')])
      const userHandle = lies.userHandle === undefined ? authenticator.userHandle : lies.userHandle
      return wrap(lies.credentialId ?? authenticator.credentialId, {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: (lies.signer ?? authenticator).sign(signed).toString('base64url'),
        ...(userHandle === null ? {} : { userHandle }),
      })
    },
  }
  return authenticator
}

function wrap(id: Buffer, response: object): string {
  const text = id.toString('base64url')
  return JSON.stringify({ id: text, rawId: text, type: 'public-key', response, clientExtensionResults: {} })
}

/** A new private key, and the public one in COSE (RFC 9053). */
function makeKey(algorithm: Algorithm): { cose: Buffer; key: KeyObject } {
  const encode = (map: [number, unknown][]) => Buffer.from(isoCBOR.encode(new Map(map) as never))
  const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'))
  if (algorithm === 'EdDSA') {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { x } = publicKey.export({ format: 'jwk' })
    return { key: privateKey, cose: encode([...pairs(1, -8), [-1, 6], [-2, bytes(x)]]) }
  }
  if (algorithm === 'RS256') {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { n, e } = publicKey.export({ format: 'jwk' })
    return { key: privateKey, cose: encode([...pairs(3, -257), [-1, bytes(n)], [-2, bytes(e)]]) }
  }
  const isShort = algorithm === 'ES256'
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: isShort ? 'P-256' : 'P-384' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const alike = pairs(2, isShort ? -7 : -35)
  return { key: privateKey, cose: encode([...alike, [-1, isShort ? 1 : 2], [-2, bytes(x)], [-3, bytes(y)]]) }
}

/** The type of a key and its algorithm. */
function pairs(type: number, algorithm: number): [number, unknown][] {
  return [
    [1, type],
    [3, algorithm],
  ]
}
