import { explainFailure, type FailedCondition, type Preconditions } from '../employees/entity-tag.ts'
import { problem, type Problem } from '../errors.ts'

const OTHERWISE = {
  'If-Match': 'The employee has changed since the version in If-Match',
  'If-None-Match': 'The employee has a version that If-None-Match excludes',
}

/** The refusal of an update whose condition does not hold. */
export function refuseCondition(failed: FailedCondition, preconditions: Preconditions): Problem {
  return problem('precondition_failed', explainFailure(failed, preconditions, OTHERWISE[failed]))
}
