import { readFileSync } from 'node:fs'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** The files of `docs` that the service hands out. They are read at the start: later, a folder can have another version. */
export const DOCUMENTS = {
  'docs/verify_ledger.py': read('docs/verify_ledger.py'),
  'docs/verify_ledger.go': read('docs/verify_ledger.go'),
  'docs/audit-format.md': read('docs/audit-format.md'),
}
