import { writeFileSync } from 'node:fs'
import { apiTypesOf } from './api-types-of.ts'
import { cutClientPart } from './client-part.ts'
import { currentDocument } from './current-document.ts'

writeFileSync(
  new URL('../../clients/typescript/api-types.ts', import.meta.url),
  await apiTypesOf(cutClientPart(await currentDocument())),
)
