import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/*
 * Builds the container image with buildah, in a storage of its own. A base image of this machine's Node.js and npm
 * stands in for the public one, which cannot be had without a network.
 */

/** Builds and runs images in a temporary folder. */
interface ImageBuilder {
  /** Runs a command of buildah to its end, and returns what it prints. */
  run(...args: string[]): string
  /** The whole command line of a command of buildah, for a process that goes on. */
  commandLine(...args: string[]): [file: string, args: string[]]
  remove(): void
}

const BASE_IMAGE = 'docker.io/library/node:24-slim'
/** What a shell command of the Dockerfile or of the test uses. */
const PROGRAMS = ['sh', 'mkdir', 'chown', 'env', 'id', 'touch']
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/** Opens a builder that has the base image; or tells why images cannot be built on this machine. */
export function openImageBuilder(): ImageBuilder | { reason: string } {
  if (spawnSync('buildah', ['--version']).status !== 0) return { reason: 'buildah is not installed' }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-image-'))
  const storage = ['--root', path.join(folder, 'root'), '--runroot', path.join(folder, 'run')]
  const commandLine = (...args: string[]): [string, string[]] => ['buildah', [...storage, ...args]]
  const run = (...args: string[]) => execFileSync(...commandLine(...args), { encoding: 'utf8', stdio: 'pipe' }).trim()
  const remove = () => {
    // Unmounts what is still mounted there.
    spawnSync(...commandLine('rm', '--all'))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const container = run('from', 'scratch')
    fillBase(run('mount', container))
    run('unmount', container)
    run('config', '--env', 'PATH=/usr/local/bin:/bin', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container)
    run('run', '--isolation', 'chroot', container, 'id')
    run('commit', container, BASE_IMAGE)
    return { run, commandLine, remove }
  } catch (error) {
    remove()
    return { reason: `buildah cannot build images here: ${(error as Error).message}` }
  }
}

/** Fills an empty root folder with Node.js, npm, a shell, and the libraries that they need. */
function fillBase(root: string): void {
  const at = (file: string) => {
    const target = path.join(root, file)
    mkdirSync(path.dirname(target), { recursive: true })
    return target
  }
  const programs = PROGRAMS.map((name) => ({ name, file: realpathSync(which(name)) }))
  for (const { name, file } of programs) copyFileSync(file, at(`/bin/${name}`))
  copyFileSync(process.execPath, at('/usr/local/bin/node'))
  cpSync(path.resolve(realpathSync(which('npm')), '../..'), at('/usr/local/lib/npm'), { recursive: true })
  symlinkSync('../lib/npm/bin/npm-cli.js', at('/usr/local/bin/npm'))
  symlinkSync('/bin/env', at('/usr/bin/env'))
  for (const library of librariesOf([process.execPath, ...programs.map(({ file }) => file)])) {
    copyFileSync(library, at(library))
  }
  if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, at(CERTIFICATES))
  writeFileSync(at('/etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n')
  writeFileSync(at('/etc/group'), 'root:x:0:\nnode:x:1000:\n')
  mkdirSync(at('/tmp'))
  chmodSync(at('/tmp'), 0o1777)
}

function which(program: string): string {
  return execFileSync('which', [program], { encoding: 'utf8' }).trim()
}

/** The libraries that programs load, and those with which glibc looks up names, which it loads later. */
function librariesOf(programs: string[]): Set<string> {
  const loaded = programs.flatMap((program) => {
    const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' })
    return [...stdout.matchAll(/\/\S+/g)].map(([file]) => file)
  })
  const libc = loaded.find((file) => /\/libc\.so/.test(file))
  const names = libc === undefined ? [] : ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']
  return new Set([...loaded, ...names.map((name) => path.join(path.dirname(libc!), name)).filter(existsSync)])
}
