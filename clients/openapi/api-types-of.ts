import { registerHooks } from 'node:module'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'

const HEADER = '// Generated from the OpenAPI document by `npm run client`. Do not edit.\n\n'

// The generator needs the compiler API of TypeScript 6, which TypeScript 7 does not have.
const GENERATOR = '/node_modules/openapi-typescript/'
const TYPESCRIPT = '@typescript/typescript6'

/** Generates a TypeScript module with the types of a document. */
export async function apiTypesOf(document: OpenApiDocument): Promise<string> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(
        specifier === 'typescript' && context.parentURL?.includes(GENERATOR) === true ? TYPESCRIPT : specifier,
        context,
      ),
  })
  try {
    const { default: generate, astToString } = await import('openapi-typescript')
    // Fields with a default stay optional in requests.
    const types = await generate(withoutConditions(document) as never, { defaultNonNullable: false })
    return HEADER + astToString(types)
  } finally {
    hooks.deregister()
  }
}

/**
 * The document without `anyOf` members that only require a field: the generator turns each into `unknown`, so the
 * whole type would accept anything.
 */
function withoutConditions(document: OpenApiDocument): unknown {
  return JSON.parse(JSON.stringify(document), (name, value: unknown) =>
    name === 'anyOf' && Array.isArray(value) && value.every(isCondition) ? undefined : value,
  )
}

function isCondition(schema: object): boolean {
  return Object.keys(schema).join(',') === 'required'
}
