import { problem, type ProblemCode } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/** A body that cannot be read. */
export class UnreadableBodyError extends ProblemError {
  override name = 'UnreadableBodyError'
  /** The index of the byte that is to blame; null if no single one is. */
  readonly at: number | null

  constructor(code: ProblemCode, detail: string, at: number | null = null) {
    super(problem(code, detail))
    this.at = at
  }
}
