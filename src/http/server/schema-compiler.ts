import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

// Do not drop or coerce anything that was sent. Only query strings are coerced, because they consist of texts.
const STRICT = { removeAdditional: false, useDefaults: true, allErrors: true, coerceTypes: false } as const
const queries = addFormats.default(new Ajv({ ...STRICT, coerceTypes: true }))
const others = addFormats.default(new Ajv(STRICT))

/** Compiles the schemas that validate requests. */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  httpPart === 'querystring' ? compileQuery(schema) : others.compile(schema)

/** Validates again after coercion: Ajv coerces 1e400 to Infinity, without checking it against the limits. */
function compileQuery(schema: object) {
  const [turnTexts, check] = [queries.compile(schema), others.compile(schema)]
  const validate: ReturnType<FastifySchemaCompiler<object>> = (query: unknown) => {
    const failed = [turnTexts, check].find((step) => !step(query))
    validate.errors = failed?.errors ?? null
    return failed === undefined
  }
  return validate
}
