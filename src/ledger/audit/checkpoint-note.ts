import { HASH_BYTES } from '../integrity/merkle.ts'
import type { Note, NoteSigner, VerifierKey } from './signed-note.ts'
import { decodeBase64, deriveKeyId, parseNotes, signNote } from './signed-note.ts'

/*
 * Checkpoints of a company's ledger (https://c2sp.org/tlog-checkpoint): signed notes whose text names the log, its
 * size and its root.
 */

/** What the origin of every ledger of this program begins with; the id of the company follows. */
const SERVICE = 'employee-ledger'

/** How far a ledger was, and the root of its tree there. */
export interface TreeHead {
  size: number
  root: Buffer
}

/** A checkpoint that was read, with the note that it stands in. */
export interface Checkpoint extends TreeHead {
  origin: string
  note: Note
}

/** The name of a company's ledger among all logs, which is also the name under which its checkpoints are signed. */
export function originOf(companyId: string): string {
  return `${SERVICE}/${companyId}`
}

/** The signed note of a ledger at a size. */
export function checkpointNote(companyId: string, { size, root }: TreeHead, signer: NoteSigner): string {
  const origin = originOf(companyId)
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, origin, signer)
}

/** Reads one or more checkpoints that stand one after the other; null when that is not what the text is. */
export function parseCheckpoints(text: string): Checkpoint[] | null {
  const checkpoints = parseNotes(text)?.map(parseCheckpoint)
  return checkpoints && checkpoints.length > 0 && !checkpoints.includes(null) ? (checkpoints as Checkpoint[]) : null
}

/** Further lines of the text may hold anything: they are signed and not looked at. */
function parseCheckpoint(note: Note): Checkpoint | null {
  const [origin, size, encodedRoot] = note.text.split('\n')
  const root = decodeBase64(encodedRoot ?? '')
  if (!origin || !/^(?:0|[1-9][0-9]{0,15})$/.test(size ?? '') || root?.length !== HASH_BYTES) return null
  return { origin, size: Number(size), root, note }
}

/** The verifier keys of a company's checkpoints, from public keys that sign or signed those of all companies. */
export function verifierKeysOf(companyId: string, publicKeys: readonly Buffer[]): VerifierKey[] {
  const name = originOf(companyId)
  return publicKeys.map((publicKey) => ({ name, id: deriveKeyId(name, publicKey), publicKey }))
}
