import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'

/** A line for each file of the migrations, in the format of `sha256sum`. */
export function hashMigrations(): string {
  const files = globSync('migrations/**/*.ts').toSorted()
  return files.map((file) => `${hash('sha256', readFileSync(file))}  ${file}\n`).join('')
}
