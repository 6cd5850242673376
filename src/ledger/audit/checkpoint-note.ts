import { HASH_BYTES } from '../integrity/merkle.ts'
import type { Note, NoteSigner, VerifierKey } from './signed-note.ts'
import { decodeBase64, deriveKeyId, parseNotes, signNote } from './signed-note.ts'

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
export function formatOrigin(companyId: string): string {
  return `${SERVICE}/${companyId}`
}

/** Signs a checkpoint. */
export function signCheckpointNote(companyId: string, { size, root }: TreeHead, signer: NoteSigner): string {
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
