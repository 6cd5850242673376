import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'

/** A line for each file of the migrations with the SHA-256 of what it does: files that it imports may move. */
export function hashMigrations(): string {
  const files = globSync('migrations/**/*.ts').toSorted()
  return files.map((file) => `${hash('sha256', readWithoutImports(file))}  ${file}\n`).join('')
}

function readWithoutImports(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/^import .* from '.*'\n/gm, '')
}
