import type { FastifySchemaValidationError } from 'fastify'
import { problem, type Problem, type RecordError } from '../../domain/errors.ts'
import { invalidFields } from '../../domain/field-errors.ts'
import { describeViolation } from './violation.ts'

/**
 * Turns schema violations in a body into one problem with the first errors. Messages name the rule and the limit, never
 * the value that was sent.
 */
export function bodyProblem(violations: FastifySchemaValidationError[], body: unknown): Problem {
  if (violations.some(({ keyword, instancePath }) => keyword === 'type' && instancePath === '')) {
    return problem('invalid_body', 'The body must be a JSON object')
  }
  const errors = new Map<string, RecordError>()
  // Report only the first error of each field: a value of the wrong type would also fail the enum, and so on.
  for (const error of violations.map((violation) => describeViolation(violation, body))) {
    if (!errors.has(error.pointer)) errors.set(error.pointer, error)
  }
  return invalidFields([...errors.values()])
}
