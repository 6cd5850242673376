import { writeFileSync } from 'node:fs'
import { currentDocument } from './current-document.ts'

// Run at a release: later versions must stay compatible with this document.
const path = new URL('../openapi.json', import.meta.url)
writeFileSync(path, `${JSON.stringify(await currentDocument(), null, 2)}\n`)
