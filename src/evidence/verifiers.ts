import { readFileSync } from 'node:fs'

/** Reads a file of `docs` that the service hands out. */
export function readDocument(name: 'docs/verify_ledger.py' | 'docs/verify_ledger.go' | 'docs/audit-format.md'): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
}
