import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

// Never drop or convert what was sent. Only query parameters are converted, because they are always strings.
const STRICT = { removeAdditional: false, useDefaults: true, allErrors: true, coerceTypes: false } as const
const queries = addFormats.default(new Ajv({ ...STRICT, coerceTypes: true }))
const others = addFormats.default(new Ajv(STRICT))

/** Compiles the schemas that requests are validated against. */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  httpPart === 'querystring' ? compileQuery(schema) : others.compile(schema)

/** Validates the converted query again: Ajv converts 1e400 to Infinity without checking its limits. */
function compileQuery(schema: object) {
  const [turnTexts, check] = [queries.compile(schema), others.compile(schema)]
  const validate: ReturnType<FastifySchemaCompiler<object>> = (query: unknown) => {
    const failed = [turnTexts, check].find((step) => !step(query))
    validate.errors = failed?.errors ?? null
    return failed === undefined
  }
  return validate
}
