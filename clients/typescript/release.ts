import { writeFileSync } from 'node:fs'
import { currentDocument } from './current-document.ts'

// At a release: from now on, what this document promises is kept.
const path = new URL('../../docs/openapi.json', import.meta.url)
writeFileSync(path, `${JSON.stringify(await currentDocument(), null, 2)}\n`)
