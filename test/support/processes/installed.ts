import { existsSync } from 'node:fs'
import path from 'node:path'

/** Options of a test that needs a program of the machine: where the program is missing, the test is skipped. */
export function needs(program: string): { skip?: string } {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin']
  const isInstalled = folders.some((folder) => existsSync(path.join(folder, program)))
  return isInstalled ? {} : { skip: `${program} is not installed` }
}
