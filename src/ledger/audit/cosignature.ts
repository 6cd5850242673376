import { isSignedBy, KEY_TYPES, parseVerifierKey, type Note, type VerifierKey } from './signed-note.ts'

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
function formatCosigned(text: string, time: bigint): string {
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

function isCosignedBy({ publicKey }: VerifierKey, text: string, timed: Buffer): boolean {
  if (timed.length <= TIME_BYTES) return false
  const time = timed.readBigUInt64BE()
  return time <= LATEST && isSignedBy(publicKey, formatCosigned(text, time), timed.subarray(TIME_BYTES))
}
