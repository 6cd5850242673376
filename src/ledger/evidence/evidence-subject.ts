/** What an evidence file is about. Times are RFC 3339 UTC with milliseconds: from the first, before the second. */
export type EvidenceSubject =
  | { kind: 'employee'; id: string }
  | { kind: 'call'; id: string }
  | { kind: 'period'; from: string | null; to: string | null }

/** There is nothing to prove about the subject, or too much. The message is for the user. */
export class NoEvidenceError extends Error {
  override name = 'NoEvidenceError'
  readonly reason: 'unknown-employee' | 'unknown-call' | 'empty-period' | 'too-scattered'

  constructor(reason: NoEvidenceError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
