import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { withCompilerApi } from './with-compiler-api.ts'

const HEADER = '// Generated from the OpenAPI document by `npm run client`. Do not edit.\n\n'

/** Generates a TypeScript module with the types of a document. */
export async function apiTypesOf(document: OpenApiDocument): Promise<string> {
  const { default: generate, astToString } = await withCompilerApi(
    'openapi-typescript',
    () => import('openapi-typescript'),
  )
  return HEADER + astToString(await generate(document as never))
}
