import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { packClient } from '../../../src/client-package/pack-client.ts'
import { readSources } from '../../../src/client-package/read-sources.ts'
import { afterAll } from '../after-all.ts'

const exec = promisify(execFile)

/**
 * Runs a program with nothing of this process's environment: tap adds hooks to every process that it starts, and
 * `env -i` drops them. Rejects when the program fails.
 */
export async function runAlone(
  program: string,
  args: string[],
  { cwd, home = cwd }: { cwd: string; home?: string },
): Promise<string> {
  const environment = [`PATH=${process.env['PATH']}`, `HOME=${home}`]
  return (await exec('env', ['-i', ...environment, program, ...args], { cwd })).stdout
}

interface InstalledClient {
  /** A folder that has nothing but the installed package. */
  folder: string
  /** The file that an import of the package leads to, from that folder. */
  entry: string
}

let shared: Promise<InstalledClient> | undefined

/** The installed client, which all tests of this process share. */
export function installClient(): Promise<InstalledClient> {
  return (shared ??= install())
}

/**
 * Packs the client and installs its tarball in an empty folder. The packages that it depends on are packed from this
 * repository's installation, so no registry is needed.
 */
async function install(): Promise<InstalledClient> {
  const top = mkdtempSync(path.join(os.tmpdir(), 'ledger-client-'))
  afterAll(() => rmSync(top, { recursive: true, force: true }))
  const [tarballs, folder] = ['tarballs', 'consumer'].map((name) => path.join(top, name)) as [string, string]
  for (const made of [tarballs, folder]) mkdirSync(made)

  // The cache of this home knows no package.
  const npm = (cwd: string, ...args: string[]) => runAlone('npm', args, { cwd, home: top })
  writeFileSync(path.join(tarballs, 'client.tgz'), packClient(readSources()))
  const needed = [...dependenciesOf('clients/typescript')].map((name) => path.resolve('node_modules', name))
  await npm(top, 'pack', '--ignore-scripts', '--pack-destination', tarballs, ...needed)
  const all = readdirSync(tarballs).map((name) => path.join(tarballs, name))
  await npm(folder, 'install', '--prefix', folder, '--offline', '--no-audit', '--no-fund', ...all)
  const entry = createRequire(path.join(folder, 'a-file.js')).resolve('@employee-ledger/client')
  return { folder, entry }
}

/** The names of the packages that a package needs, directly or not. */
function dependenciesOf(folder: string, found = new Set<string>()): Set<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const name of Object.keys(dependencies)) {
    if (!found.has(name)) dependenciesOf(path.join('node_modules', name), found.add(name))
  }
  return found
}
