import { readFileSync } from 'node:fs'

/** Reads a file of `docs` that the service hands out. */
export function readDocument(name: 'verify_ledger.py' | 'verify_ledger.go' | 'audit-format.md'): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
}
