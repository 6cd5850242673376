import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

// Nothing that was sent is dropped or taken for something else. A query string alone is texts by nature.
const STRICT = { removeAdditional: false, useDefaults: true, allErrors: true, coerceTypes: false } as const
const queries = addFormats.default(new Ajv({ ...STRICT, coerceTypes: true }))
const others = addFormats.default(new Ajv(STRICT))

/** Compiles the schemas that requests are validated against. */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  httpPart === 'querystring' ? compileQuery(schema) : others.compile(schema)

/** What a text was turned into is looked at once more: Ajv makes Infinity of 1e400, and holds no limit against it. */
function compileQuery(schema: object) {
  const [turnTexts, check] = [queries.compile(schema), others.compile(schema)]
  const validate: ReturnType<FastifySchemaCompiler<object>> = (query: unknown) => {
    const failed = [turnTexts, check].find((step) => !step(query))
    validate.errors = failed?.errors ?? null
    return failed === undefined
  }
  return validate
}
