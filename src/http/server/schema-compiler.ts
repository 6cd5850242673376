import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

type Validate = ReturnType<FastifySchemaCompiler<object>>

// Nothing that was sent is dropped or taken for something else. A query string alone is texts by nature.
const STRICT = { removeAdditional: false, useDefaults: true, allErrors: true, coerceTypes: false } as const
const queries = addFormats.default(new Ajv({ ...STRICT, coerceTypes: true }))
const others = addFormats.default(new Ajv(STRICT))

/**
 * Compiles the schemas that requests are validated against. A schema is compiled when its first request arrives: to
 * compile those of all routes takes more time than everything else that a start of the API does.
 */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let steps: Validate[] | undefined
  const validate: Validate = (value: unknown) => {
    // What the text of a query was turned into is checked once more: Ajv turns 1e400 into Infinity, which exceeds no limit.
    steps ??= httpPart === 'querystring' ? [queries.compile(schema), others.compile(schema)] : [others.compile(schema)]
    const failed = steps.find((step) => !step(value))
    validate.errors = failed?.errors ?? null
    return failed === undefined
  }
  return validate
}
