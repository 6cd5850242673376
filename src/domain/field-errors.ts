import { problem, type Problem, type RecordError, type RecordErrorCode } from './errors.ts'
import { MAX_RECORD_ERRORS } from './record-errors.ts'

/** An error in one field of a body that holds a single record. */
export function fieldError(pointer: string, code: RecordErrorCode, message: string): RecordError {
  return { index: 0, id: null, pointer, code, message }
}

/** A problem for a body with invalid fields. The body is one record, which bounds the number of errors it reports. */
export function invalidFields(errors: RecordError[]): Problem {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  const answered = errors.slice(0, MAX_RECORD_ERRORS)
  return problem('validation_failed', `The body has ${count}`, answered, errors.length - answered.length)
}
