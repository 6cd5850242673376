import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { apiTypesOf } from './api-types-of.ts'
import { declareClient } from './client-declarations.ts'
import { cutClientPart } from './client-part.ts'
import { currentDocument } from './current-document.ts'

writeFileSync(
  new URL('../../clients/typescript/api-types.ts', import.meta.url),
  await apiTypesOf(cutClientPart(await currentDocument())),
)

const types = new URL('../../clients/typescript/types/', import.meta.url)
rmSync(types, { recursive: true, force: true })
mkdirSync(types)
for (const [name, text] of declareClient()) writeFileSync(new URL(name, types), text)
