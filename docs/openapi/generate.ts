import { writeFileSync } from 'node:fs'
import { apiTypesOf } from './api-types-of.ts'
import { declareClient } from './client-declarations.ts'
import { cutClientPart } from './client-part.ts'
import { currentDocument } from './current-document.ts'

writeFileSync(
  new URL('../../clients/typescript/api-types.ts', import.meta.url),
  await apiTypesOf(cutClientPart(await currentDocument())),
)

writeFileSync(
  new URL('../../clients/typescript/declarations.json', import.meta.url),
  `${JSON.stringify(declareClient(), null, 2)}\n`,
)
