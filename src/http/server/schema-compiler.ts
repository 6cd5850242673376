import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { explainQueryFault, findNear, readBooleans } from './query-faults.ts'

type Validate = ReturnType<FastifySchemaCompiler<object>>

// Do not drop or coerce anything that was sent. Only query strings are coerced, because they consist of texts.
const STRICT = { removeAdditional: false, useDefaults: true, allErrors: true, coerceTypes: false } as const
const queries = addFormats.default(new Ajv({ ...STRICT, coerceTypes: true }))
const others = addFormats.default(new Ajv(STRICT))

/**
 * Compiles the schemas that validate requests, each when its first request arrives: compiling those of all routes takes
 * longer than everything else in the start of the API.
 */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let steps: Validate[] | undefined
  const validate: Validate = (value: unknown) => {
    // A coerced query is validated again: Ajv coerces 1e400 to Infinity, without checking it against the limits.
    steps ??= httpPart === 'querystring' ? [queries.compile(schema), others.compile(schema)] : [others.compile(schema)]
    const query = httpPart === 'querystring' ? (value as Record<string, unknown>) : null
    const { properties = {} } = schema as { properties?: Record<string, unknown> }
    if (query) readBooleans(query, properties)
    const failed = steps.find((step) => !step(value))
    validate.errors = failed?.errors ?? null
    for (const error of validate.errors ?? []) {
      if (query) {
        const detail = explainQueryFault(error, query, properties)
        if (detail !== null) error.params = { ...error.params, detail }
      } else if (error.keyword === 'additionalProperties' && error.instancePath === '') {
        const near = findNear(String(error.params['additionalProperty']), Object.keys(properties))
        error.params = { ...error.params, near }
      }
    }
    return failed === undefined
  }
  return validate
}
