import type { FastifySchemaValidationError } from 'fastify'
import { formatCharacters } from '#domain/record-faults'
import { errorPointer, problem, type Problem, type RecordError, fieldError, invalidFields } from '#domain/errors'

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

/** Names the field that breaks a schema, and the rule. */
export function describeViolation(violation: FastifySchemaValidationError, body: unknown): RecordError {
  const { keyword, instancePath: pointer, params } = violation
  const name = pointer.slice(1)
  const limit = Number(params['limit'])
  switch (keyword) {
    case 'required': {
      const missing = String(params['missingProperty'])
      return fieldError(errorPointer(pointer, [missing]), 'required', `${missing} is required`)
    }
    case 'additionalProperties': {
      const unknown = String(params['additionalProperty'])
      const { near } = params
      const hint = typeof near === 'string' ? `; did you mean ${near}?` : ''
      return fieldError(errorPointer(pointer, [unknown]), 'unknown_field', `This field does not exist${hint}`)
    }
    case 'type':
      return isNull(body, name)
        ? fieldError(pointer, 'null_not_allowed', `${name} must not be null`)
        : fieldError(pointer, 'invalid_type', `${name} must be ${formatTypes([params['type']].flat().map(String))}`)
    case 'minLength':
      return fieldError(
        pointer,
        'too_short',
        `${name} must ${limit === 1 ? 'not be empty' : `have at least ${formatCharacters(limit)}`}`,
      )
    case 'maxLength':
      return fieldError(pointer, 'too_long', `${name} must have at most ${formatCharacters(limit)}`)
    case 'minItems':
      return fieldError(pointer, 'too_short', `${name} must have at least ${formatItems(limit)}`)
    case 'maxItems':
      return fieldError(pointer, 'too_long', `${name} must have at most ${formatItems(limit)}`)
    case 'uniqueItems':
      return fieldError(pointer, 'invalid_value', `${name} must not have duplicates`)
    case 'minimum':
      return fieldError(pointer, 'invalid_value', `${name} must be at least ${limit}`)
    case 'maximum':
      return fieldError(pointer, 'invalid_value', `${name} must be at most ${limit}`)
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).join(', ')
      return fieldError(pointer, 'invalid_value', `${name} must be one of ${allowed}`)
    }
    default:
      return fieldError(pointer, 'invalid_format', `${name} must be ${formatForm(keyword, params)}`)
  }
}

const FORMS: Readonly<Record<string, string>> = {
  'date-time': 'a time with its zone (RFC 3339), such as 2026-01-31T06:00:00Z',
  date: 'a date in the format YYYY-MM-DD',
}

function formatForm(keyword: string, params: Readonly<Record<string, unknown>>) {
  if (keyword === 'pattern') return `of the form ${String(params['pattern'])}`
  const { format } = params
  return typeof format === 'string' ? (FORMS[format] ?? `a valid ${format}`) : `valid (${keyword})`
}

function isNull(body: unknown, name: string) {
  return typeof body === 'object' && body !== null && (body as Record<string, unknown>)[name] === null
}

function formatTypes(types: string[]) {
  return types.map((type) => (type === 'null' ? type : withArticle(type))).join(' or ')
}

function withArticle(type: string) {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function formatItems(count: number) {
  return count === 1 ? '1 item' : `${count} items`
}
