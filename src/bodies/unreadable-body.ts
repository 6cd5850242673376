import { problem, type Problem, type ProblemCode } from '#domain/errors'

/** A body that cannot be read. */
export class UnreadableBodyError extends Error {
  override name = 'UnreadableBodyError'
  readonly problem: Problem
  /** The index of the byte that is to blame; null if no single one is. */
  readonly at: number | null

  constructor(code: ProblemCode, detail: string, at: number | null = null) {
    super(detail)
    this.problem = problem(code, detail)
    this.at = at
  }
}
