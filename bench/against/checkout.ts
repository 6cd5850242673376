import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../..')
const LOCK = 'package-lock.json'

/** The name of the revision of the last release. */
export const LAST_RELEASE = 'release'

/** A revision of the program in a folder of its own, with its packages. */
export interface Checkout {
  /** The abbreviated hash of its commit. */
  commit: string
  folder: string
}

/**
 * Runs a task with a revision in a temporary worktree of git. If it needs other packages than this program has,
 * installs them there. `release` is the last release: the newest tag of a version, or else the commit that set the
 * version. Throws for an unknown revision.
 */
export async function withCheckout<Result>(
  revision: string,
  parentDir: string,
  task: (checkout: Checkout) => Promise<Result>,
): Promise<Result> {
  const commit = await git('rev-parse', '--short', `${await resolveRevision(revision)}^{commit}`)
  const parent = await mkdtemp(path.join(parentDir, 'employee-ledger-against-'))
  const folder = path.join(parent, commit)
  try {
    await git('worktree', 'add', '--detach', folder, commit)
    await installPackages(folder)
    return await task({ commit, folder })
  } finally {
    await rm(parent, { recursive: true, force: true })
    await git('worktree', 'prune')
  }
}

async function resolveRevision(revision: string): Promise<string> {
  if (revision !== LAST_RELEASE) return revision
  const [tag] = (await git('tag', '--list', 'v*', '--sort=-version:refname')).split('\n')
  return tag || git('log', '-1', '--format=%H', '-G"version":', '--', 'package.json')
}

async function installPackages(folder: string): Promise<void> {
  const [theirs, ours] = await Promise.all([folder, ROOT].map((root) => readFile(path.join(root, LOCK), 'utf8')))
  if (theirs === ours) return symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  // PostgreSQL runs from this program's packages, so nothing has to be set up.
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout.trim()
}
