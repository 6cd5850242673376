import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const CLIENT = 'clients/typescript'
/** It has nothing but types already. */
const API_TYPES = 'api-types.d.ts'

/** Makes the declarations of the client's package: their texts by name. */
export function declareClient(): Record<string, string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'client-declarations-'))
  try {
    const project = ['--project', `${CLIENT}/tsconfig.json`, '--emitDeclarationOnly', '--outDir', folder]
    // Without the hooks that a run of tests adds to every process of Node.js.
    execFileSync('env', ['-i', process.execPath, 'node_modules/typescript/bin/tsc', ...project])
    const made = path.join(folder, CLIENT)
    const names = globSync('*.d.ts', { cwd: made }).filter((name) => name !== API_TYPES)
    return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(path.join(made, name), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
