import addFormats from 'ajv-formats'
import { Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { explainQueryFault, findNear, listKnown, readBooleans } from './query-faults.ts'

type Validate = ReturnType<FastifySchemaCompiler<object>>

/**
 * All faults of a value with at most so many members and items are told; of a larger one, which may have a hundred
 * thousand, only the first is.
 */
const MAX_JUDGED = 1_000

interface Compilers {
  query: Ajv
  other: Ajv
}

function createCompilers(options: { allErrors: boolean }): Compilers {
  // Do not drop or coerce anything that was sent. Only query strings are coerced, because they consist of texts.
  const strict = { ...options, removeAdditional: false, useDefaults: true, coerceTypes: false } as const
  return {
    query: addFormats.default(new Ajv({ ...strict, coerceTypes: true })),
    other: addFormats.default(new Ajv(strict)),
  }
}

const findAll = createCompilers({ allErrors: true })
const findFirst = createCompilers({ allErrors: false })

/**
 * Compiles the schemas that validate requests, each when its first request arrives: compiling those of all routes takes
 * longer than everything else in the start of the API.
 */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const compiled = new Map<Compilers, Validate[]>()
  const { properties = {} } = schema as { properties?: Record<string, unknown> }
  const known = listKnown(properties)
  const validate: Validate = (value: unknown) => {
    const compilers = hasMoreThan(MAX_JUDGED, value) ? findFirst : findAll
    // A coerced query is validated again: Ajv coerces 1e400 to Infinity, without checking it against the limits.
    const kinds = httpPart === 'querystring' ? (['query', 'other'] as const) : (['other'] as const)
    const steps = compiled.get(compilers) ?? kinds.map((kind) => compilers[kind].compile(schema))
    compiled.set(compilers, steps)
    const query = httpPart === 'querystring' ? (value as Record<string, unknown>) : null
    if (query) readBooleans(query, properties)
    const failed = steps.find((step) => !step(value))
    validate.errors = failed?.errors ?? null
    for (const error of validate.errors ?? []) {
      if (query) {
        const detail = explainQueryFault(error, query, known)
        if (detail !== null) error.params = { ...error.params, detail }
      } else if (error.keyword === 'additionalProperties' && error.instancePath === '') {
        const near = findNear(String(error.params['additionalProperty']), known)
        error.params = { ...error.params, near }
      }
    }
    return failed === undefined
  }
  return validate
}

/** Whether a value has more members and items, at any depth, than `most`. It looks at no more of them. */
function hasMoreThan(most: number, value: unknown): boolean {
  const left = [value]
  let count = 0
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one !== 'object' || one === null) continue
    const values = Object.values(one)
    count += values.length
    if (count > most) return true
    for (const value of values) left.push(value)
  }
  return false
}
