import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

// Nothing that was sent is dropped or taken for something else. A query string alone is texts by nature.
const STRICT = { removeAdditional: false, useDefaults: true, allErrors: true, coerceTypes: false } as const
const queries = addFormats.default(new Ajv({ ...STRICT, coerceTypes: true }))
const others = addFormats.default(new Ajv(STRICT))

/** Compiles the schemas that requests are validated against. */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'querystring' ? queries : others).compile(schema)
