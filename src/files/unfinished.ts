import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isErrno } from './errno.ts'

// What takes time to create is created under a temporary name and renamed when complete, so that a kill leaves nothing
// that looks complete. The name identifies the process: `<target>.new-<pid>-<random>`.

const UNFINISHED_NAME = /\.new-(\d+)-[0-9a-f]{8}$/
const DELETE_RETRIES = 3

const ownUnfinished = new Set<string>()

/** A temporary name beside `target`, unique to this process. */
export function unfinishedPath(target: string): string {
  const path = `${target}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  ownUnfinished.add(basename(path))
  return path
}

/** Renames a completed folder, unless another process was first; then its folder is kept. */
export async function finishFolder(unfinished: string, target: string): Promise<void> {
  try {
    await rename(unfinished, target)
  } catch (error) {
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

/** Deletes a file or folder with a temporary name, if it exists. */
export async function discardUnfinished(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: DELETE_RETRIES })
  ownUnfinished.delete(basename(path))
}

/** Deletes what processes that no longer run have left incomplete in a folder. */
export async function sweepUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const maker = UNFINISHED_NAME.exec(name)?.[1]
    if (maker === undefined || isBeingMade(name, Number(maker))) continue
    await discardUnfinished(join(folder, name))
  }
}

// In a container, every run may have the same pid, so our own pid does not prove that the name is ours.
function isBeingMade(name: string, maker: number) {
  return maker === process.pid ? ownUnfinished.has(name) : isAlive(maker)
}

/** Whether a process with this pid is running, under any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isErrno(error, 'EPERM')
  }
}
