import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isErrno } from './errno.ts'
import { isAlive } from './is-alive.ts'

// What takes time to make is made under another name and renamed when it is complete, so that a kill in the
// middle leaves nothing that looks whole. The other name tells who makes it: `<target>.new-<pid>-<random>`.

const UNFINISHED_NAME = /\.new-(\d+)-[0-9a-f]{8}$/
const DELETE_RETRIES = 3

const ownUnfinished = new Set<string>()

/** A name beside `target`, unique to this process, under which it can be made. */
export function unfinishedPath(target: string): string {
  const path = `${target}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  ownUnfinished.add(basename(path))
  return path
}

/** Gives the completed folder its final name, unless another process was first: then theirs stands. */
export async function finishFolder(unfinished: string, target: string): Promise<void> {
  try {
    await rename(unfinished, target)
  } catch (error) {
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

/** Deletes what carries an unfinished name, if it is there. */
export async function discardUnfinished(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: DELETE_RETRIES })
  ownUnfinished.delete(basename(path))
}

/** Deletes from a folder what processes that no longer run left half made there. */
export async function sweepUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const maker = UNFINISHED_NAME.exec(name)?.[1]
    if (maker === undefined || isBeingMade(name, Number(maker))) continue
    await discardUnfinished(join(folder, name))
  }
}

// In a container every run may have the same pid: our own pid is no proof that the name is ours.
function isBeingMade(name: string, maker: number): boolean {
  return maker === process.pid ? ownUnfinished.has(name) : isAlive(maker)
}
