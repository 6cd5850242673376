/** How a ledger fails: it is inconsistent, it contradicts a checkpoint, or it cannot be verified. */
export type VerificationErrorKind = 'invalid' | 'diverged' | 'unverifiable'

/** The first error of an exported ledger. */
export class VerificationError extends Error {
  override name = 'VerificationError'
  readonly kind: VerificationErrorKind
  /** The position of the event with the error; null if it is not about an event. */
  readonly position: number | null

  constructor(kind: VerificationErrorKind, position: number | null, reason: string) {
    super(reason)
    this.kind = kind
    this.position = position
  }
}

/** Throws an `invalid` error unless a rule holds. */
export function assertValid(holds: boolean, position: number, reason: string): asserts holds {
  if (!holds) throw new VerificationError('invalid', position, reason)
}
