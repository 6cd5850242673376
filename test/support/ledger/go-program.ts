import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Where Debian's golang-golang-x-mod-dev has the module. Otherwise it must be in the cache of Go. */
const DEBIAN = '/usr/share/gocode/src/golang.org/x/mod'

/** Compiles a program in Go into a folder, without a network. Returns what is missing here, if anything. */
export function compileGo(source: string, folder: string): string | null {
  const file = (name: string) => path.join(folder, name)
  if (spawnSync('go', ['version']).status !== 0) return 'Go'
  const replace = existsSync(DEBIAN) ? `replace golang.org/x/mod => ${DEBIAN}\n` : ''
  writeFileSync(file('go.mod'), `module program\n\ngo 1.19\n\nrequire golang.org/x/mod v0.7.0\n\n${replace}`)
  copyFileSync(source, file('program.go'))
  const env = { ...process.env, GOPROXY: 'off', GONOSUMDB: '*', GOFLAGS: '-mod=mod' }
  const { status, stderr } = spawnSync('go', ['build', '-o', 'program'], { cwd: folder, env, encoding: 'utf8' })
  if (status !== 0 && /module lookup disabled/.test(stderr)) return 'module golang.org/x/mod'
  if (status !== 0) throw new Error(stderr)
  return null
}
