import { EVENT_TYPES, isEventType } from '#domain/event-types'
import {
  formatOrigin,
  type Checkpoint,
  findCosigners,
  type WitnessPolicy,
  checkSignature,
  type VerifierKey,
} from './signed-note.ts'
import { appendLeaves, EMPTY_FRONTIER, leafHash, rootOf } from '../integrity/merkle.ts'
import { CallChecker } from './verify-calls.ts'
import { ErasureChecker } from './verify-erasures.ts'
import { StreamVersions } from './stream-versions.ts'
import {
  readLine,
  type ExportedEvent,
  assertValid,
  VerificationError,
  type VerificationErrorKind,
} from './verify-line.ts'

/** What a ledger is checked against: checkpoints kept earlier, the keys that sign them, and who must have cosigned one. */
export interface Evidence {
  checkpoints: readonly Checkpoint[]
  keys: readonly VerifierKey[]
  policy?: WitnessPolicy | undefined
}

/** The verdict on a consistent ledger. */
export interface ConsistentLedger {
  verdict: 'consistent'
  company_id: string | null
  events: number
  calls: number
  /** Events whose data has been erased or retired. */
  erased: number
  /** Events that were exported with their data and erased later. */
  kept: number
  /** The root of the whole tree, in base64 as in a checkpoint. */
  root: string
  /** The number of matching checkpoints, and the largest size among them. No checkpoint covers what follows. */
  checkpoints: number
  checked_to: number
  /** The largest size of a checkpoint with a verified signature. */
  signed_to: number
  /** The largest size of a checkpoint that a quorum of witnesses has cosigned; 0 if no witnesses are given. */
  witnessed_to: number
}

export type Verdict = ConsistentLedger | { verdict: VerificationErrorKind; position: number | null; reason: string }

/** Verifies an exported ledger from its lines, including their line feeds. Needs neither database nor network. */
export async function verifyExport(
  batches: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
  evidence: Evidence,
): Promise<Verdict> {
  try {
    const ledger = new LedgerVerifier(evidence)
    for await (const lines of batches) {
      for (const line of lines) ledger.take(line)
    }
    return ledger.end()
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    return { verdict: error.kind, position: error.position, reason: error.message }
  }
}

/** Verifies the lines of a ledger one by one. The order of its checks is that of docs/audit-format.md. */
class LedgerVerifier {
  #tree = EMPTY_FRONTIER
  #companyId: string | null = null
  #recordedAt = ''
  /**
   * The first event of an unknown type or schema version. From there on, only bytes are verified, not their meaning.
   */
  #unreadable: { position: number; reason: string } | null = null
  readonly #versions = new StreamVersions()
  readonly #calls = new CallChecker()
  readonly #erasures = new ErasureChecker()
  readonly #checkpoints: readonly Checkpoint[]
  readonly #bySize: ReadonlyMap<number, readonly Checkpoint[]>
  readonly #isSigned: boolean
  readonly #witnessedTo: number

  constructor({ checkpoints, keys, policy }: Evidence) {
    this.#checkpoints = checkpoints.toSorted((a, b) => a.size - b.size)
    this.#bySize = Map.groupBy(checkpoints, ({ size }) => size)
    this.#isSigned = keys.length > 0
    if (this.#isSigned) for (const checkpoint of this.#checkpoints) assertSigned(checkpoint, keys)
    this.#witnessedTo = policy && policy.witnesses.length > 0 ? findWitnessed(this.#checkpoints, policy) : 0
    this.#compareRoot()
  }

  take(line: Buffer): void {
    const position = this.#tree.size + 1
    const event = readLine(line, position)
    this.#checkPlace(event, position)
    this.#checkMeaning(event)
    this.#tree = appendLeaves(this.#tree, [leafHash(event.envelope)])
    this.#compareRoot()
  }

  end(): ConsistentLedger {
    const { size } = this.#tree
    const checkedTo = this.#checkpoints.at(-1)?.size ?? 0
    if (size === 0 && this.#checkpoints.length === 0)
      throw new VerificationError('unverifiable', null, 'there are no events')
    if (!this.#unreadable) {
      this.#calls.end(size)
      this.#erasures.end()
    }
    const missing = this.#checkpoints.find((checkpoint) => checkpoint.size > size)
    if (missing) {
      throw new VerificationError(
        'diverged',
        size + 1,
        `the ledger ends before this position, but had ${missing.size} events at a checkpoint`,
      )
    }
    if (this.#unreadable)
      throw new VerificationError('unverifiable', this.#unreadable.position, this.#unreadable.reason)
    return {
      verdict: 'consistent',
      company_id: this.#companyId,
      events: size,
      calls: this.#calls.closed,
      erased: this.#erasures.count,
      kept: this.#erasures.kept,
      root: rootOf(this.#tree).toString('base64'),
      checkpoints: this.#checkpoints.length,
      checked_to: checkedTo,
      signed_to: this.#isSigned ? checkedTo : 0,
      witnessed_to: this.#witnessedTo,
    }
  }

  #checkPlace(event: ExportedEvent, position: number): void {
    assertValid(event.position === position, position, `the event here has position ${event.position}`)
    this.#companyId ??= this.#checkOrigin(event.company_id)
    assertValid(event.company_id === this.#companyId, position, 'the event belongs to another company')
    assertValid(event.recorded_at >= this.#recordedAt, position, 'the time goes backwards')
    this.#recordedAt = event.recorded_at
    const expected = this.#versions.next(event.stream)
    assertValid(event.version === expected, position, `version ${event.version} of ${event.stream} is not ${expected}`)
  }

  #checkOrigin(companyId: string): string {
    const other = this.#checkpoints.find(({ origin }) => origin !== formatOrigin(companyId))
    if (other)
      throw new VerificationError(
        'diverged',
        null,
        `the ledger belongs to ${companyId}, but a checkpoint to ${other.origin}`,
      )
    return companyId
  }

  #checkMeaning(event: ExportedEvent): void {
    this.#unreadable ??= findUnknownSchema(event)
    if (this.#unreadable) return
    this.#erasures.take(event)
    this.#calls.take(event)
  }

  #compareRoot(): void {
    const { size } = this.#tree
    const here = this.#bySize.get(size)
    if (!here) return
    const root = rootOf(this.#tree)
    if (here.every((checkpoint) => checkpoint.root.equals(root))) return
    throw new VerificationError('diverged', size, 'the root here differs from that of the checkpoint')
  }
}

/** If keys are given, every checkpoint must be signed with one of them. */
function assertSigned({ note, size }: Checkpoint, keys: readonly VerifierKey[]): void {
  const standing = checkSignature(note, keys)
  if (standing === 'forged')
    throw new VerificationError('invalid', null, `the signature of the checkpoint at ${size} is invalid`)
  if (standing === 'unknown')
    throw new VerificationError(
      'unverifiable',
      null,
      `the checkpoint at ${size} is not signed with any of the given keys`,
    )
}

/** The size of the largest checkpoint that a quorum has cosigned. There must be one, and no forged cosignature. */
function findWitnessed(checkpoints: readonly Checkpoint[], { witnesses, quorum }: WitnessPolicy): number {
  let witnessedTo: number | null = null
  for (const { note, size } of checkpoints) {
    const cosigners = findCosigners(note, witnesses)
    if (!cosigners)
      throw new VerificationError('invalid', null, `a cosignature of the checkpoint at ${size} is invalid`)
    if (cosigners.size >= quorum) witnessedTo = size
  }
  if (witnessedTo !== null) return witnessedTo
  const reason = `no checkpoint is cosigned by ${quorum} of the ${witnesses.length} given witnesses`
  throw new VerificationError('unverifiable', null, reason)
}

function findUnknownSchema({
  position,
  type,
  schema_version: version,
}: ExportedEvent): { position: number; reason: string } | null {
  if (!isEventType(type)) return { position, reason: `events of type ${type} are not known` }
  if (version >= 1 && version <= EVENT_TYPES[type].version) return null
  return { position, reason: `schema version ${version} of ${type} is not known` }
}
