import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Where Debian's golang-golang-x-mod-dev has the module. Otherwise it must be in the cache of Go. */
const DEBIAN = '/usr/share/gocode/src/golang.org/x/mod'

/** Compiles docs/verify_ledger.go in a folder, without a network. `missing` says what is missing here, if anything. */
export function compileGoVerifier(folder: string): { missing: string | null; program: string } {
  const file = (name: string) => path.join(folder, name)
  const program = file('verify')
  if (spawnSync('go', ['version']).status !== 0) return { missing: 'Go', program }
  const replace = existsSync(DEBIAN) ? `replace golang.org/x/mod => ${DEBIAN}\n` : ''
  writeFileSync(file('go.mod'), `module verifier\n\ngo 1.19\n\nrequire golang.org/x/mod v0.7.0\n\n${replace}`)
  copyFileSync('docs/verify_ledger.go', file('verify_ledger.go'))
  const env = { ...process.env, GOPROXY: 'off', GONOSUMDB: '*', GOFLAGS: '-mod=mod' }
  const { status, stderr } = spawnSync('go', ['build', '-o', 'verify'], { cwd: folder, env, encoding: 'utf8' })
  if (status !== 0 && /module lookup disabled/.test(stderr)) return { missing: 'module golang.org/x/mod', program }
  if (status !== 0) throw new Error(stderr)
  return { missing: null, program }
}
