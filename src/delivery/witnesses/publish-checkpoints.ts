import type { Logger } from 'pino'
import {
  type CheckpointSigner,
  explainRefusal,
  type SignedCheckpoint,
  storeCosignature,
} from '#ledger/audit/sign-checkpoint'
import { trackWork } from '#ledger/background/failing-work'
import { inCompany } from '#postgres/company-scope'
import {
  forgetOthers,
  listDue,
  nameOfWitness,
  recordFailure,
  recordSuccess,
  recordUndecided,
  type DueLedger,
} from './progress.ts'
import type { Pool } from 'pg'
import { UnavailableError } from '#admission/batcher'
import {
  type WitnessPolicy,
  findCosigners,
  parseSignature,
  type NoteSignature,
  type VerifierKey,
} from '#ledger/audit/signed-note'
import { proveConsistency } from '#ledger/read/prove'
import { readHead } from '#ledger/read/read-head'
import type { LedgerDb } from '#ledger/tables'
import { type Outgoing, openOutgoing, type OutgoingOptions, readAnswer } from '#outgoing/connections'
import { OutgoingError } from '#outgoing/outgoing-error'
import { inTransaction } from '#postgres/pipeline'
import type { WitnessFault } from '#domain/attention'

interface RoundServices extends PublishServices {
  signer: CheckpointSigner
  witnesses: readonly Witness[]
  log: Logger
}

interface Round {
  /** Ends the round. */
  signal: AbortSignal
  /** Milliseconds after which a round begins no further submission. Default: 45 seconds. */
  roundMs?: number
}

const ROUND_MS = 45_000
/** Submissions to one witness at once. */
const LANES = 8
/** Submissions without an answer, one after the other, after which a witness is left alone until the next round. */
const MAX_UNANSWERED = 3

/**
 * Submits the checkpoint of every company that has changed to all witnesses. Each witness has its own time, so one that
 * hangs keeps no other waiting; all get the same checkpoint of a company, so that it can reach a quorum. Safe to run in
 * several processes at once.
 */
export async function publishCheckpoints(services: RoundServices, round: Round): Promise<void> {
  const { pool, witnesses, signer } = services
  await forgetOthers(
    pool,
    witnesses.map(({ key }) => nameOfWitness(key)),
  )
  if (!signer.isSigning) return
  const checkpoints = new Map<string, Promise<SignedNote>>()
  const sign = async (companyId: string): Promise<SignedNote> => {
    const { note, size } = await signer.sign(services.db, companyId)
    return { note, size }
  }
  const signOnce = (companyId: string) => {
    const signed = checkpoints.get(companyId) ?? sign(companyId)
    checkpoints.set(companyId, signed)
    return signed
  }
  await Promise.all(witnesses.map((witness) => publishTo(services, witness, signOnce, round)))
}

async function publishTo(
  services: RoundServices,
  witness: Witness,
  sign: (companyId: string) => Promise<SignedNote>,
  { signal, roundMs = ROUND_MS }: Round,
) {
  const endsAt = performance.now() + roundMs
  const name = nameOfWitness(witness.key)
  const ledgers = (await listDue(services.pool, name)).values()
  let unanswered = 0
  const lane = async () => {
    for (const due of ledgers) {
      const { companyId } = due
      if (signal.aborted || unanswered >= MAX_UNANSWERED || performance.now() > endsAt) return
      try {
        const published = await inCompany(companyId, () =>
          trackWork(services.pool, { companyId, work: 'witnesses', subject: name }, () =>
            publishCheckpoint(services, due, witness, () => sign(companyId), signal),
          ),
        )
        if (published === 'unanswered') unanswered += 1
        else if (published !== 'left') unanswered = 0
      } catch (error) {
        services.log.warn({ err: error, companyId, witness: witness.key.name }, 'could not publish a checkpoint')
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

interface PublishServices {
  pool: Pool
  db: LedgerDb
  outgoing: Outgoing
  policy: WitnessPolicy
}

/** A signed checkpoint to publish. */
type SignedNote = Pick<SignedCheckpoint, 'note' | 'size'>

/** What came of it; `left`: the next round does it. */
type Published = 'cosigned' | 'failed' | 'unanswered' | 'left'

/** Submissions of one checkpoint: a witness that has another size says so, and may have moved on meanwhile. */
const MAX_SUBMISSIONS = 3

/**
 * Submits a checkpoint of a company to a witness, and stores its cosignature. It may run twice at once, and be killed at
 * any time: a witness cosigns the same checkpoint again, and tells a process that has missed its answer what it has seen.
 */
async function publishCheckpoint(
  services: PublishServices,
  due: DueLedger,
  witness: Witness,
  sign: () => Promise<SignedNote>,
  signal: AbortSignal,
): Promise<Published> {
  const { pool, policy } = services
  const { companyId, size: oldSize } = due
  const leaveUndecided = async (error: string | null): Promise<'left'> => {
    await inTransaction(pool, (client) => recordUndecided(client, due, error))
    return 'left'
  }
  try {
    const checkpoint = await sign()
    const answer = await submit(services, companyId, witness, { checkpoint, oldSize, signal })
    if (answer === null) return await leaveUndecided('It answers each time that it has cosigned another size')
    if (answer.kind === 'failed') {
      await inTransaction(pool, (client) => recordFailure(client, due, answer))
      return 'failed'
    }
    await inTransaction(pool, async (client) => {
      await storeCosignature(client, companyId, checkpoint, answer.cosignature, policy)
      await recordSuccess(client, due, checkpoint.size)
    })
    return 'cosigned'
  } catch (error) {
    // Those who record checkpoints outside the database report a refusal.
    if (signal.aborted || explainRefusal(error) !== null) return leaveUndecided(null)
    if (error instanceof UnavailableError) return leaveUndecided('The proof for it is not ready yet')
    if (!(error instanceof OutgoingError)) {
      await leaveUndecided(null)
      throw error
    }
    const failure = { fault: 'unavailable', error: error.message } as const
    await inTransaction(pool, (client) => recordFailure(client, due, failure))
    return 'unanswered'
  }
}

type Outcome = Exclude<WitnessAnswer, { kind: 'other size' }>

interface Attempt {
  checkpoint: SignedNote
  oldSize: number
  signal: AbortSignal
}

/** Submits until the witness has judged the checkpoint. Null if it has seen a newer one of this ledger meanwhile. */
async function submit(
  { db, outgoing }: PublishServices,
  companyId: string,
  witness: Witness,
  { checkpoint, oldSize, signal }: Attempt,
): Promise<Outcome | null> {
  const { note, size } = checkpoint
  for (let [tries, from] = [0, oldSize]; tries < MAX_SUBMISSIONS; tries += 1) {
    const submission: Submission = { note, size, oldSize: from, proof: await prove(db, companyId, from, size) }
    const answer = await submitCheckpoint(outgoing, witness, submission, signal)
    if (answer.kind !== 'other size') return answer
    if (answer.size > size) return explainAhead(db, companyId, answer.size)
    from = answer.size
  }
  return null
}

async function prove(db: LedgerDb, companyId: string, from: number, to: number) {
  if (from === 0 || from === to) return []
  const head = await readHead(db, companyId)
  return (await proveConsistency(db, companyId, head, { from, to })).hashes
}

/** Judges a witness that has cosigned more events than the checkpoint has: another process may have submitted them. */
async function explainAhead(db: LedgerDb, companyId: string, size: number): Promise<Outcome | null> {
  const { position } = await readHead(db, companyId)
  if (size <= position) return null
  return { kind: 'failed', fault: 'conflict', error: `It has seen ${size} events of the ledger, which has ${position}` }
}

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
interface Submission {
  /** The size of that last checkpoint; 0 if there is none. */
  oldSize: number
  /** Empty if `oldSize` is 0 or the size of the checkpoint. */
  proof: readonly Buffer[]
  note: string
  size: number
}

type WitnessAnswer =
  | { kind: 'cosigned'; cosignature: NoteSignature }
  /** The witness has cosigned this many events last. */
  | { kind: 'other size'; size: number }
  | { kind: 'failed'; fault: WitnessFault; error: string }

/** Opens connections to witnesses. */
export function openWitnessConnections(options: Omit<OutgoingOptions, 'peer'>): Outgoing {
  return openOutgoing({ ...options, peer: 'The witness' })
}

/** Sends a checkpoint to a witness, and judges the answer. Rejects with OutgoingError if there is none. */
async function submitCheckpoint(
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
