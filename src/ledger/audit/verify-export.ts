import { EVENT_TYPES, isEventType, ERASING_TYPES, type ErasingType, isErasing, mayErase } from '#domain/event-types'
import {
  formatOrigin,
  type Checkpoint,
  findCosigners,
  type WitnessPolicy,
  checkSignature,
  type VerifierKey,
} from './signed-note.ts'
import { appendLeaves, EMPTY_FRONTIER, leafHash, rootOf } from '#ledger/integrity/merkle'
import { CallChecker } from './verify-calls.ts'
import { StreamVersions } from './stream-versions.ts'
import {
  readLine,
  type ExportedEvent,
  assertValid,
  VerificationError,
  type VerificationErrorKind,
  isCount,
  parse,
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

  #checkPlace(event: ExportedEvent, position: number) {
    assertValid(event.position === position, position, `the event here has position ${event.position}`)
    this.#companyId ??= this.#checkOrigin(event.company_id)
    assertValid(event.company_id === this.#companyId, position, 'the event belongs to another company')
    assertValid(event.recorded_at >= this.#recordedAt, position, 'the time goes backwards')
    this.#recordedAt = event.recorded_at
    const expected = this.#versions.next(event.stream)
    assertValid(event.version === expected, position, `version ${event.version} of ${event.stream} is not ${expected}`)
  }

  #checkOrigin(companyId: string) {
    const other = this.#checkpoints.find(({ origin }) => origin !== formatOrigin(companyId))
    if (other)
      throw new VerificationError(
        'diverged',
        null,
        `the ledger belongs to ${companyId}, but a checkpoint to ${other.origin}`,
      )
    return companyId
  }

  #checkMeaning(event: ExportedEvent) {
    this.#unreadable ??= findUnknownSchema(event)
    if (this.#unreadable) return
    this.#erasures.take(event)
    this.#calls.take(event)
  }

  #compareRoot() {
    const { size } = this.#tree
    const here = this.#bySize.get(size)
    if (!here) return
    const root = rootOf(this.#tree)
    if (here.every((checkpoint) => checkpoint.root.equals(root))) return
    throw new VerificationError('diverged', size, 'the root here differs from that of the checkpoint')
  }
}

/** If keys are given, every checkpoint must be signed with one of them. */
function assertSigned({ note, size }: Checkpoint, keys: readonly VerifierKey[]) {
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
function findWitnessed(checkpoints: readonly Checkpoint[], { witnesses, quorum }: WitnessPolicy) {
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

function findUnknownSchema({ position, type, schema_version: version }: ExportedEvent) {
  if (!isEventType(type)) return { position, reason: `events of type ${type} are not known` }
  if (version >= 1 && version <= EVENT_TYPES[type].version) return null
  return { position, reason: `schema version ${version} of ${type} is not known` }
}

const LINE_FEED = 0x0a
/** Far beyond any event: a body has at most 64 MiB. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

/** Splits bytes into lines, including their line feeds; only a truncated last line has none. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    const lines: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const rest = chunk.subarray(from, end + 1)
      lines.push(pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]))
      ;[pieces, bytes, from] = [[], 0, end + 1]
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > MAX_LINE_BYTES)
      throw new VerificationError('unverifiable', null, `a line has more than ${MAX_LINE_BYTES} bytes`)
    if (lines.length > 0) yield lines
  }
  if (pieces.length > 0) yield [Buffer.concat(pieces)]
}

/** An event without data. */
interface Gone {
  type: string
  stream: string
  actor: string
  isNamed: boolean
}

/**
 * Checks erasures: every event without data must be named by a later erasure or retirement that may concern it. An
 * event that is named may still have its data, if it was exported before it was erased. Keeps only events without data
 * and named positions in memory.
 */
class ErasureChecker {
  readonly #gone = new Map<number, Gone>()
  readonly #kept = new Set<number>()

  /** The number of events without data. */
  get count(): number {
    return this.#gone.size
  }

  /** The number of events that have their data here but were erased later. */
  get kept(): number {
    return this.#kept.size
  }

  /** Checks the next event. Throws VerificationError. */
  take(event: ExportedEvent): void {
    const { position, type, stream, actor, data } = event
    if (data === null) {
      const mayBeGone = ERASING_TYPES.some((erasing) => mayErase(erasing, type))
      assertValid(mayBeGone, position, `the data is missing, but data of ${type} is never erased`)
      this.#gone.set(position, { type, stream, actor, isNamed: false })
    } else if (isErasing(event)) {
      const positions = parsePositions(data)
      assertValid(
        positions?.every((named) => named < position) === true,
        position,
        `the data of ${type} do not match its schema`,
      )
      for (const named of positions) this.#name(named, { position, type: event.type, stream })
    }
  }

  #name(named: number, by: { position: number; type: ErasingType; stream: string }) {
    const gone = this.#gone.get(named)
    if (!gone) {
      this.#kept.add(named)
      return
    }
    // Rejected records and names of files are in the streams of their calls.
    const isOfPerson =
      by.type === 'RecordsRetired' ||
      gone.type === 'EmployeeRecordRejected' ||
      gone.stream === by.stream ||
      (gone.type === 'FileUploaded' && (by.type === 'EmployeeErased' || gone.actor === by.stream))
    assertValid(
      mayErase(by.type, gone.type) && isOfPerson,
      named,
      `it is named by the ${by.type} at position ${by.position}, which cannot concern it`,
    )
    gone.isNamed = true
  }

  /** Checks the end of the ledger. Throws VerificationError if an event lacks its data and no event explains it. */
  end(): void {
    for (const [position, { isNamed }] of this.#gone) {
      if (!isNamed)
        throw new VerificationError(
          'invalid',
          position,
          'the data is missing, and no erasure or retirement names the event',
        )
    }
  }
}

function parsePositions(data: string) {
  const { positions } = (parse(data) ?? {}) as { positions?: unknown }
  return Array.isArray(positions) && positions.every((at) => isCount(at) && at > 0) ? (positions as number[]) : null
}
