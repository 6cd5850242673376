import { readFileSync } from 'node:fs'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

/** The files of `docs` that the service hands out. They are read at the start: later, a folder can have another version. */
export const DOCUMENTS = {
  'verify_ledger.py': read('verify_ledger.py'),
  'verify_ledger.go': read('verify_ledger.go'),
  'audit-format.md': read('audit-format.md'),
}
