import { createPublicKey, hash, verify } from 'node:crypto'
import { HASH_BYTES } from '../integrity/merkle.ts'

/*
 * Signed notes (https://c2sp.org/signed-note) with Ed25519: a text, an empty line, and one line per signature.
 */

/** The type bytes of keys: of logs, and of the witnesses that cosign their checkpoints. */
const KEY_TYPES = { ed25519: 1, cosignature: 4 } as const
type KeyType = (typeof KEY_TYPES)[keyof typeof KEY_TYPES]
const ID_BYTES = 4
const PUBLIC_KEY_BYTES = 32
const SIGNATURE_BYTES = 64
// RFC 8410: the DER prefix of a 32-byte Ed25519 public key.
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const NAME = /^[^\s+]+$/u

/** Signs bytes. `publicKey` holds the 32 bytes of RFC 8032. */
export interface NoteSigner {
  publicKey: Buffer
  sign(bytes: Buffer): Buffer
}

/** A key that verifies signatures under a name. */
export interface VerifierKey {
  name: string
  id: Buffer
  publicKey: Buffer
}

export interface NoteSignature {
  name: string
  id: Buffer
  signature: Buffer
}

/** A parsed note. `text` ends with a line feed and is what the signatures cover. */
interface Note {
  text: string
  signatures: NoteSignature[]
}

/** The id of a key: the first 4 bytes of SHA-256(name ‖ 0x0A ‖ type ‖ public key). */
export function deriveKeyId(name: string, publicKey: Buffer, type: KeyType = KEY_TYPES.ed25519): Buffer {
  const typed = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), publicKey])
  return hash('sha256', typed, 'buffer').subarray(0, ID_BYTES)
}

/** Encodes a verifier key of an Ed25519 key: `name+id+base64(0x01 ‖ public key)`. */
export function formatVerifierKey(name: string, publicKey: Buffer) {
  return `${name}+${deriveKeyId(name, publicKey).toString('hex')}+${encodePublicKey(publicKey)}`
}

/** The last part of a verifier key, which is the same for all names: base64(0x01 ‖ public key). */
export function encodePublicKey(publicKey: Buffer) {
  return Buffer.concat([Buffer.of(KEY_TYPES.ed25519), publicKey]).toString('base64')
}

/** Parses a verifier key; null if it is malformed, not an Ed25519 key of this type, or its id does not match. */
export function parseVerifierKey(text: string, type: KeyType = KEY_TYPES.ed25519): VerifierKey | null {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text) ?? []
  if (name === undefined || id === undefined || encoded === undefined) return null
  const publicKey = parsePublicKey(encoded, type)
  if (!publicKey || deriveKeyId(name, publicKey, type).toString('hex') !== id) return null
  return { name, id: Buffer.from(id, 'hex'), publicKey }
}

/** Decodes base64(type ‖ public key); null if it is malformed. */
export function parsePublicKey(encoded: string, type: KeyType = KEY_TYPES.ed25519): Buffer | null {
  const typed = decodeBase64(encoded)
  return typed?.length === PUBLIC_KEY_BYTES + 1 && typed[0] === type ? typed.subarray(1) : null
}

/** Signs a text, which must end with a line feed and contain no empty line. Returns the note. */
export function signNote(text: string, name: string, signer: NoteSigner): string {
  if (!NAME.test(name)) throw new Error(`${name} cannot name a key`)
  const signature = signer.sign(Buffer.from(text))
  return `${text}\n${formatSignature({ name, id: deriveKeyId(name, signer.publicKey), signature })}\n`
}

/** Encodes a signature line, without its line feed. */
export function formatSignature({ name, id, signature }: NoteSignature) {
  return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}`
}

/** Parses consecutive notes, with or without empty lines between them; null if one is malformed. */
export function parseNotes(texts: string): Note[] | null {
  const notes: Note[] = []
  const form = /\n*((?:[^\n]+\n)+)\n((?:— [^\n]+\n)+)\n*/y
  while (form.lastIndex < texts.length) {
    const [, text, lines] = form.exec(texts) ?? []
    if (text === undefined || lines === undefined) return null
    const signatures = lines.slice(0, -1).split('\n').map(parseSignature)
    if (signatures.includes(null)) return null
    notes.push({ text, signatures: signatures as NoteSignature[] })
  }
  return notes
}

/** Parses a signature line, without its line feed; null if it is malformed. */
export function parseSignature(line: string): NoteSignature | null {
  const [, name, encoded] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? []
  const bytes = encoded === undefined ? null : decodeBase64(encoded)
  if (name === undefined || !bytes || bytes.length <= ID_BYTES) return null
  return { name, id: bytes.subarray(0, ID_BYTES), signature: bytes.subarray(ID_BYTES) }
}

/** Decodes canonical base64; null for anything else, which Node.js's lenient decoder would accept. */
function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

/** Checks whether a note is signed with one of these keys; `forged` if a signature names one of them and is invalid. */
export function checkSignature(note: Note, keys: readonly VerifierKey[]): 'signed' | 'forged' | 'unknown' {
  let standing: 'signed' | 'unknown' = 'unknown'
  for (const { name, id, signature } of note.signatures) {
    const matching = keys.filter((key) => key.name === name && key.id.equals(id))
    if (matching.length === 0) continue
    if (!matching.some(({ publicKey }) => isSignedBy(publicKey, note.text, signature))) return 'forged'
    standing = 'signed'
  }
  return standing
}

/** Verifies an Ed25519 signature (RFC 8032) of a text. */
function isSignedBy(publicKey: Buffer, text: string, signature: Buffer) {
  if (signature.length !== SIGNATURE_BYTES) return false
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, signature)
}

/*
 * Cosignatures of witnesses (https://c2sp.org/tlog-cosignature, Ed25519): each says that a checkpoint continues all that
 * the witness has seen of the log before.
 */

const TIME_BYTES = 8
const LATEST = 2n ** 63n - 1n

/** The witnesses that somebody trusts, and how many of them must have cosigned a checkpoint. */
export interface WitnessPolicy {
  /** No two of them have the same public key. */
  witnesses: readonly VerifierKey[]
  quorum: number
}

/** Parses the verifier key of a witness; null if it is malformed, of another type, or its id does not match. */
export function parseWitnessKey(text: string): VerifierKey | null {
  return parseVerifierKey(text, KEY_TYPES.cosignature)
}

/** Makes a policy. `quorum` is all witnesses by default. Throws RangeError if it can't be met or a key occurs twice. */
export function makePolicy(witnesses: readonly VerifierKey[], quorum = witnesses.length): WitnessPolicy {
  const keys = new Set(witnesses.map(({ publicKey }) => publicKey.toString('hex')))
  if (keys.size < witnesses.length) throw new RangeError('two witnesses have the same public key')
  const isWithin = quorum <= witnesses.length && (quorum >= 1 || witnesses.length === 0)
  if (!isWithin) throw new RangeError(`the quorum must be from 1 to ${witnesses.length}, the number of witnesses`)
  return { witnesses, quorum }
}

/** The text that a witness signs. `time` is in seconds since the epoch. */
function formatCosigned(text: string, time: bigint) {
  return `cosignature/v1\ntime ${time}\n${text}`
}

/** Finds the witnesses that have cosigned a note; null if a cosignature names one of them and is invalid. */
export function findCosigners(note: Note, witnesses: readonly VerifierKey[]): Set<VerifierKey> | null {
  const cosigners = new Set<VerifierKey>()
  for (const { name, id, signature } of note.signatures) {
    const witness = witnesses.find((key) => key.name === name && key.id.equals(id))
    if (!witness) continue
    if (!isCosignedBy(witness, note.text, signature)) return null
    cosigners.add(witness)
  }
  return cosigners
}

function isCosignedBy({ publicKey }: VerifierKey, text: string, timed: Buffer) {
  if (timed.length <= TIME_BYTES) return false
  const time = timed.readBigUInt64BE()
  return time <= LATEST && isSignedBy(publicKey, formatCosigned(text, time), timed.subarray(TIME_BYTES))
}

/*
 * Checkpoints of a company's ledger (https://c2sp.org/tlog-checkpoint): signed notes with the origin, size and root of
 * the log.
 */

/** The first part of every origin; the company id follows. */
const SERVICE = 'employee-ledger'

/** The size of a ledger, and the root of its tree at that size. */
export interface TreeHead {
  size: number
  root: Buffer
}

/** A parsed checkpoint, with its note. */
export interface Checkpoint extends TreeHead {
  origin: string
  note: Note
}

/** The origin of a company's ledger, which is also the name of the key that signs its checkpoints. */
export function formatOrigin(companyId: string) {
  return `${SERVICE}/${companyId}`
}

/** Signs a checkpoint. */
export function signCheckpointNote(companyId: string, { size, root }: TreeHead, signer: NoteSigner) {
  const origin = formatOrigin(companyId)
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, origin, signer)
}

/** Parses one or more consecutive checkpoints; null if the text is anything else. */
export function parseCheckpoints(text: string): Checkpoint[] | null {
  const checkpoints = parseNotes(text)?.map(parseCheckpoint)
  return checkpoints && checkpoints.length > 0 && !checkpoints.includes(null) ? (checkpoints as Checkpoint[]) : null
}

/** Further lines of the note may hold anything: they are signed but not interpreted. */
function parseCheckpoint(note: Note): Checkpoint | null {
  const [origin, size, encodedRoot] = note.text.split('\n')
  const root = decodeBase64(encodedRoot ?? '')
  if (!origin || !/^(?:0|[1-9][0-9]{0,15})$/.test(size ?? '') || root?.length !== HASH_BYTES) return null
  return { origin, size: Number(size), root, note }
}

/** The verifier keys of a company's checkpoints, from the current and retired public keys. */
export function listVerifierKeys(companyId: string, publicKeys: readonly Buffer[]): VerifierKey[] {
  const name = formatOrigin(companyId)
  return publicKeys.map((publicKey) => ({ name, id: deriveKeyId(name, publicKey), publicKey }))
}
