import { problem, type Problem } from '../errors.ts'

/** The kinds of errors that clients tell apart (RFC 7644 section 3.12). */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** A problem that says its SCIM kind itself, because its code doesn't. */
export interface ScimProblem extends Problem {
  scimType: ScimType
}

/** A request that can't be carried out as it is written. Its message never repeats a value. */
export class ScimFault extends Error {
  override name = 'ScimFault'
  readonly problem: ScimProblem

  constructor(scimType: ScimType, detail: string) {
    super(detail)
    this.problem = { ...problem('invalid_body', detail), scimType }
  }
}
