import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'
import { toUuid } from '#domain/ids'
import { appendLeaves, EMPTY_FRONTIER, rootOf, type Frontier } from '#ledger/integrity/merkle'
import { readStoredFrontier } from '#ledger/read/merkle-subtrees'
import type { LedgerDb } from '#ledger/tables'
import {
  type Checkpoint,
  type TreeHead,
  signCheckpointNote,
  formatOrigin,
  listVerifierKeys,
  type WitnessPolicy,
  checkSignature,
  encodePublicKey,
  formatVerifierKey,
  parseCheckpoints,
  findCosigners,
  formatSignature,
  parseNotes,
  type NoteSignature,
} from './signed-note.ts'
import { NoteFileError, type NoteFiles } from './note-files.ts'
import { findHead } from '#ledger/read/read-head'
import type { SigningKeys } from './signing-keys.ts'
import type { PoolClient } from 'pg'

const LEAVES_PER_PAGE = 10_000
/** The number of companies whose last verified frontier a process caches, about 2 kB each. */
const COMPANIES_REMEMBERED = 10_000

/**
 * The ledger does not continue the last external checkpoint. Nothing is signed until an operator resolves this.
 */
export class RefusedToSignError extends Error {
  override name = 'RefusedToSignError'
}

/** Throws RefusedToSignError unless the ledger of a company continues its last note, and agrees with its own head. */
type AssertContinues = (db: LedgerDb, companyId: string, last: Checkpoint, head: Frontier) => Promise<void>

/** Creates the check of whether ledgers continue their last external checkpoints. It remembers what it has verified. */
export function createContinuityCheck(): AssertContinues {
  /** By company, the verified frontier at the last external checkpoint. */
  const remembered = new LRUCache<string, Frontier>(upTo(COMPANIES_REMEMBERED))

  return async function assertContinues(db, companyId, last, head) {
    const refuse = (what: string) => {
      const fault = `The ledger of ${companyId} ${what}: it was rolled back or changed`
      return new RefusedToSignError(`${fault}. Nothing is signed until an operator resolves this`)
    }
    if (head.size < last.size)
      throw refuse(`ends at position ${head.size}, but its last external checkpoint is at position ${last.size}`)
    const isOfNote = (frontier: Frontier) => rootOf(frontier).equals(last.root)
    const isOfHead = (frontier: Frontier) => rootOf(frontier).equals(rootOf(head))
    const frontier = remembered.get(companyId) ?? (await readStoredFrontier(db, companyId, last.size))
    if (frontier.size > 0 && frontier.size <= last.size) {
      const then = await extend(db, companyId, frontier, last.size)
      if (isOfNote(then) && isOfHead(await extend(db, companyId, then, head.size))) {
        remembered.set(companyId, then)
        return
      }
    }
    // That frontier may be wrong, or that of another ledger: only all events show what the fault is.
    const then = await extend(db, companyId, EMPTY_FRONTIER, last.size)
    if (!isOfNote(then)) throw refuse(`differs from its last external checkpoint at position ${last.size}`)
    if (!isOfHead(await extend(db, companyId, then, head.size))) throw refuse('has events that do not match its head')
    remembered.set(companyId, then)
  }
}

/** Extends a frontier to a size by the leaves in between; stops early if leaves are missing. */
async function extend(db: LedgerDb, companyId: string, from: Frontier, size: number) {
  let frontier = from
  while (frontier.size < size) {
    const after = frontier.size
    const rows = await db
      .selectFrom('events')
      .select(['position', 'leaf_hash'])
      .where('company_id', '=', toUuid(companyId))
      .where('position', '>', after)
      .where('position', '<=', size)
      .orderBy('position')
      .limit(LEAVES_PER_PAGE)
      .execute()
    const isWhole = rows.every(({ position }, at) => position === after + at + 1)
    if (rows.length === 0 || !isWhole) return frontier
    frontier = appendLeaves(
      frontier,
      rows.map((row) => row.leaf_hash),
    )
  }
  return frontier
}

/** No signing key is configured. */
export class NoSigningKeyError extends Error {
  override name = 'NoSigningKeyError'
}

/** Explains why nothing was signed, without internal details. Null for any other error. */
export function explainRefusal(error: unknown): string | null {
  if (error instanceof NoSigningKeyError) return 'This service does not sign checkpoints: no signing key is set'
  if (error instanceof RefusedToSignError) return error.message
  if (error instanceof NoteFileError) {
    return 'The last external checkpoint cannot be read. Nothing is signed until an operator resolves this'
  }
  return null
}

/** A signed head of a ledger. */
export interface SignedCheckpoint extends TreeHead {
  /** Signed by the service, and cosigned by the witnesses that have seen it. */
  note: string
  /** The newest checkpoint that a quorum of the configured witnesses has cosigned; null if there is none. */
  witnessed: CosignedCheckpoint | null
  /** The verifier key of the note. */
  publicKey: string
  /** The last external checkpoint, which this one continues. */
  last: Checkpoint | null
}

export interface CheckpointSigner {
  /** Signs the current head of a company's ledger. Throws NoSigningKeyError, RefusedToSignError or NoteFileError. */
  sign(db: LedgerDb, companyId: string): Promise<SignedCheckpoint>
  /**
   * Reads the last external checkpoint of a company; null if there is none. Throws NoteFileError if it cannot be read, or
   * none of the keys has signed it.
   */
  readLast(companyId: string): Promise<Checkpoint | null>
  /** The verifier keys of a company's checkpoints: the current one, if any, and the retired ones. */
  publicKeys(companyId: string): { current: string | null; retired: string[] }
  /** What the verifier keys of all companies end with: of the current key, if any, and of the retired ones. */
  encodedKeys: { current: string | null; retired: string[] }
  /** Whether a signing key is configured. */
  isSigning: boolean
  files: NoteFiles
}

/** Opens the checkpoint signer, from the signing keys, the external notes, and the configured witnesses. */
export function createCheckpointSigner(
  keys: SigningKeys,
  files: NoteFiles,
  policy: WitnessPolicy = { witnesses: [], quorum: 0 },
): CheckpointSigner {
  const { current, retired } = keys
  const known = current ? [current.publicKey, ...retired] : retired
  const assertContinues = createContinuityCheck()

  async function sign(db: LedgerDb, companyId: string): Promise<SignedCheckpoint> {
    if (!current) throw new NoSigningKeyError('no signing key is set')
    // Read the note before the head: otherwise, a note written in between would seem to be ahead of the ledger.
    const last = await readLast(companyId)
    const head = (await findHead(db, companyId))?.frontier ?? EMPTY_FRONTIER
    if (last) await assertContinues(db, companyId, last, head)
    const at = { size: head.size, root: rootOf(head) }
    const origin = formatOrigin(companyId)
    const signed = signCheckpointNote(companyId, at, current)
    const { note, witnessed } = await addCosignatures(db, companyId, signed)
    return { ...at, note, witnessed, publicKey: formatVerifierKey(origin, current.publicKey), last }
  }

  async function addCosignatures(db: LedgerDb, companyId: string, note: string) {
    if (policy.witnesses.length === 0) return { note, witnessed: null }
    const text = note.slice(0, note.indexOf('\n\n') + 1)
    const { lines, witnessed } = await readCosignatures(db, companyId, { text, policy, publicKeys: known })
    return { note: note + lines.map((line) => `${line}\n`).join(''), witnessed }
  }

  async function readLast(companyId: string) {
    const last = await files.last(companyId)
    if (last && current && checkSignature(last.note, listVerifierKeys(companyId, known)) !== 'signed') {
      throw new NoteFileError(`the last checkpoint of ${companyId} is not signed with the current key or a retired one`)
    }
    return last
  }

  return {
    sign,
    readLast,
    publicKeys: (companyId) => {
      const text = (publicKey: Buffer) => formatVerifierKey(formatOrigin(companyId), publicKey)
      return { current: current && text(current.publicKey), retired: retired.map(text) }
    },
    encodedKeys: {
      current: current && encodePublicKey(current.publicKey),
      retired: retired.map((key) => encodePublicKey(key)),
    },
    isSigning: current !== null,
    files,
  }
}

/*
 * Checkpoints that witnesses have cosigned, in the database. Nothing here is believed: a reader gets only what the keys
 * of the service and of the configured witnesses verify.
 */

/** Checkpoints kept for each company, besides the newest that a quorum has cosigned. */
const KEPT = 16

/** A checkpoint, and its note as text. */
interface CosignedCheckpoint {
  note: string
  checkpoint: Checkpoint
}

interface Cosignatures {
  /** Of the checkpoint with the text that was asked for, by configured witnesses; signature lines. */
  lines: string[]
  /** The newest checkpoint that a quorum has cosigned; null if there is none. */
  witnessed: CosignedCheckpoint | null
}

/** Reads the cosignatures of a checkpoint, given by its text, and the newest checkpoint that a quorum has cosigned. */
async function readCosignatures(
  db: LedgerDb,
  companyId: string,
  { text, policy, publicKeys }: { text: string; policy: WitnessPolicy; publicKeys: readonly Buffer[] },
): Promise<Cosignatures> {
  const rows = await db
    .selectFrom('cosigned_checkpoints')
    .select('note')
    .where('company_id', '=', toUuid(companyId))
    .orderBy('size', 'desc')
    .limit(KEPT + 1)
    .execute()
  const stored = rows.flatMap(({ note }) => parseStored(note) ?? [])
  const same = stored.find(({ checkpoint }) => checkpoint.note.text === text)
  const keys = listVerifierKeys(companyId, publicKeys)
  const witnessed = stored.find(
    ({ checkpoint: { note } }) => isWitnessed(note, policy) && checkSignature(note, keys) === 'signed',
  )
  return { lines: same ? listCosignatures(same.checkpoint, policy) : [], witnessed: witnessed ?? null }
}

function parseStored(note: string): CosignedCheckpoint | null {
  const [checkpoint, ...more] = parseCheckpoints(note) ?? []
  return checkpoint && more.length === 0 ? { note, checkpoint } : null
}

function isWitnessed(note: Checkpoint['note'], { witnesses, quorum }: WitnessPolicy) {
  return (findCosigners(note, witnesses)?.size ?? 0) >= quorum
}

function listCosignatures({ note }: Checkpoint, { witnesses }: WitnessPolicy) {
  return note.signatures
    .filter((signature) => findCosigners({ text: note.text, signatures: [signature] }, witnesses)?.size === 1)
    .map(formatSignature)
}

/**
 * Stores a valid cosignature of a checkpoint, beside those of other witnesses, in a transaction of the company. Deletes
 * checkpoints that nobody needs any more. Storing it twice does nothing.
 */
export async function storeCosignature(
  client: PoolClient,
  companyId: string,
  { size, note }: { size: number; note: string },
  cosignature: NoteSignature,
  policy: WitnessPolicy,
): Promise<void> {
  const place = [toUuid(companyId), size]
  // The update changes nothing, but locks the row.
  const { rows } = await client.query<{ note: string }>(
    `insert into cosigned_checkpoints as stored (company_id, size, note) values ($1, $2, $3)
     on conflict (company_id, size) do update set note = stored.note returning note`,
    [...place, note],
  )
  const cosigned = addCosignature(rows[0]!.note, note, cosignature)
  const update = 'update cosigned_checkpoints set note = $3 where company_id = $1 and size = $2 and note <> $3'
  await client.query(update, [...place, cosigned])
  await deleteOthers(client, companyId, policy)
}

/** Adds a cosignature to the stored note, unless that is of another text, as after the ledger was written again. */
function addCosignature(stored: string, note: string, cosignature: NoteSignature) {
  const text = parseNotes(note)![0]!.text
  const [current] = parseNotes(stored) ?? []
  const base = current?.text === text ? stored : note
  const { name, id } = cosignature
  const isThere = parseNotes(base)![0]!.signatures.some((other) => other.name === name && other.id.equals(id))
  return isThere ? base : `${base}${formatSignature(cosignature)}\n`
}

async function deleteOthers(client: PoolClient, companyId: string, policy: WitnessPolicy) {
  const { rows } = await client.query<{ size: number; note: string }>(
    'select size, note from cosigned_checkpoints where company_id = $1 order by size desc',
    [toUuid(companyId)],
  )
  const witnessed = rows.findIndex(({ note }) => {
    const stored = parseStored(note)
    return stored !== null && isWitnessed(stored.checkpoint.note, policy)
  })
  const newer = rows.slice(0, witnessed < 0 ? KEPT : Math.min(witnessed, KEPT))
  const kept = [...newer, ...(witnessed < 0 ? [] : [rows[witnessed]!])].map(({ size }) => size)
  await client.query('delete from cosigned_checkpoints where company_id = $1 and size <> all ($2::bigint[])', [
    toUuid(companyId),
    kept,
  ])
}
