import type { WitnessFault } from '#domain/attention'
import { findCosigners, parseSignature, type NoteSignature, type VerifierKey } from '#ledger/audit/signed-note'
import { openOutgoing, type Outgoing, type OutgoingOptions } from '#outgoing/connections'
import { readAnswer } from '#outgoing/read-answer'

/*
 * The request of https://c2sp.org/tlog-witness, `add-checkpoint`.
 */

/** Bytes of an answer. Real ones have a few hundred. */
const MAX_READ = 16 * 1024

/** A witness that cosigns checkpoints, and where they are sent. */
export interface Witness {
  key: VerifierKey
  /** The submission prefix, without a slash at its end. */
  url: string
}

/** A checkpoint, and the proof that it continues the one that the witness has cosigned last. */
export interface Submission {
  /** The size of that last checkpoint; 0 if there is none. */
  oldSize: number
  /** Empty if `oldSize` is 0 or the size of the checkpoint. */
  proof: readonly Buffer[]
  note: string
  size: number
}

export type WitnessAnswer =
  | { kind: 'cosigned'; cosignature: NoteSignature }
  /** The witness has cosigned this many events last. */
  | { kind: 'other size'; size: number }
  | { kind: 'failed'; fault: WitnessFault; error: string }

/** Opens connections to witnesses. */
export function openWitnessConnections(options: Omit<OutgoingOptions, 'peer'>): Outgoing {
  return openOutgoing({ ...options, peer: 'The witness' })
}

/** Sends a checkpoint to a witness, and judges the answer. Rejects with OutgoingError if there is none. */
export async function submitCheckpoint(
  outgoing: Outgoing,
  { key, url }: Witness,
  submission: Submission,
  signal?: AbortSignal,
): Promise<WitnessAnswer> {
  const { oldSize, proof, note } = submission
  const lines = [`old ${oldSize}`, ...proof.map((hash) => hash.toString('base64')), '', note]
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'employee-ledger' }
  return outgoing.exchange(
    `${url}/add-checkpoint`,
    { method: 'POST', headers, body: lines.join('\n'), signal },
    async (response) => {
      const body = (await readAnswer(response, MAX_READ)).toString()
      return judgeAnswer(response.statusCode ?? 0, body, submission, key)
    },
  )
}

function judgeAnswer(status: number, body: string, submission: Submission, key: VerifierKey): WitnessAnswer {
  const { oldSize, size } = submission
  if (status === 200) return judgeCosignature(body, submission, key)
  if (status === 409) {
    // A witness that has cosigned this very size refuses only another root.
    if (oldSize === size) return failed('conflict', `It has seen another ledger of ${size} events`)
    const [, other] = /^(0|[1-9][0-9]{0,15})\n?$/.exec(body) ?? []
    if (other === undefined || Number(other) === oldSize)
      return failed('unavailable', 'It answered 409 without the size of another checkpoint')
    return { kind: 'other size', size: Number(other) }
  }
  if (status === 422 && oldSize > 0)
    return failed('conflict', `It has seen other events among the first ${oldSize} of the ledger`)
  if (status === 404) return failed('unavailable', 'It does not know the ledger (404)')
  if (status === 403) return failed('unavailable', 'It does not know the key of the ledger (403)')
  return failed('unavailable', `It answered ${status}`)
}

function judgeCosignature(body: string, { note }: Submission, key: VerifierKey): WitnessAnswer {
  const text = note.slice(0, note.indexOf('\n\n') + 1)
  const signatures = body.split('\n').flatMap((line) => parseSignature(line) ?? [])
  const cosignature = signatures.find(({ name, id }) => name === key.name && id.equals(key.id))
  if (!cosignature) return failed('unavailable', 'Its answer has no cosignature of its key')
  const isValid = findCosigners({ text, signatures: [cosignature] }, [key])?.size === 1
  return isValid ? { kind: 'cosigned', cosignature } : failed('forged', 'Its cosignature is invalid')
}

function failed(fault: WitnessFault, error: string): WitnessAnswer {
  return { kind: 'failed', fault, error }
}
