/** How a ledger fails: it is wrong in itself, it is not the one that a checkpoint saw, or nobody here can tell. */
export type FaultKind = 'invalid' | 'diverged' | 'unverifiable'

/** The first thing that is wrong with an exported ledger. */
export class LedgerFault extends Error {
  override name = 'LedgerFault'
  readonly kind: FaultKind
  /** The position it is at; null when it is at none. */
  readonly position: number | null

  constructor(kind: FaultKind, position: number | null, reason: string) {
    super(reason)
    this.kind = kind
    this.position = position
  }
}

/** Throws unless a rule of the format holds at a position. */
export function assertValid(holds: boolean, position: number, reason: string): asserts holds {
  if (!holds) throw new LedgerFault('invalid', position, reason)
}
