import { registerHooks } from 'node:module'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'

const HEADER = '// Generated from the OpenAPI document by `npm run client`. Not to be edited.\n\n'

// The generator writes its output with the programming interface of TypeScript 6, which TypeScript 7 does not have.
const GENERATOR = '/node_modules/openapi-typescript/'
const TYPESCRIPT = '@typescript/typescript6'

/** The TypeScript types of a document, as the text of a module. */
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
    // A field with a default may be left out of a request.
    return HEADER + astToString(await generate(document as never, { defaultNonNullable: false }))
  } finally {
    hooks.deregister()
  }
}
