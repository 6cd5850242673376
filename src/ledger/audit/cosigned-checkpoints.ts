import type { PoolClient } from 'pg'
import { toUuid } from '#domain/ids'
import type { LedgerDb } from '../tables.ts'
import {
  listVerifierKeys,
  parseCheckpoints,
  type Checkpoint,
  findCosigners,
  type WitnessPolicy,
  checkSignature,
  formatSignature,
  parseNotes,
  type NoteSignature,
} from './signed-note.ts'

/*
 * Checkpoints that witnesses have cosigned, in the database. Nothing here is believed: a reader gets only what the keys
 * of the service and of the configured witnesses verify.
 */

/** Checkpoints kept for each company, besides the newest that a quorum has cosigned. */
const KEPT = 16

/** A checkpoint, and its note as text. */
export interface CosignedCheckpoint {
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
export async function readCosignatures(
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

function isWitnessed(note: Checkpoint['note'], { witnesses, quorum }: WitnessPolicy): boolean {
  return (findCosigners(note, witnesses)?.size ?? 0) >= quorum
}

function listCosignatures({ note }: Checkpoint, { witnesses }: WitnessPolicy): string[] {
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
function addCosignature(stored: string, note: string, cosignature: NoteSignature): string {
  const text = parseNotes(note)![0]!.text
  const [current] = parseNotes(stored) ?? []
  const base = current?.text === text ? stored : note
  const { name, id } = cosignature
  const isThere = parseNotes(base)![0]!.signatures.some((other) => other.name === name && other.id.equals(id))
  return isThere ? base : `${base}${formatSignature(cosignature)}\n`
}

async function deleteOthers(client: PoolClient, companyId: string, policy: WitnessPolicy): Promise<void> {
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
