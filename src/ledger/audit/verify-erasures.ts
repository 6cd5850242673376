import { ERASING_TYPES, type ErasingType, isErasing, mayErase } from '#domain/event-types'
import { isCount, parse, type ExportedEvent, assertValid, VerificationError } from './verify-line.ts'

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
export class ErasureChecker {
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

  #name(named: number, by: { position: number; type: ErasingType; stream: string }): void {
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

function parsePositions(data: string): number[] | null {
  const { positions } = (parse(data) ?? {}) as { positions?: unknown }
  return Array.isArray(positions) && positions.every((at) => isCount(at) && at > 0) ? (positions as number[]) : null
}
