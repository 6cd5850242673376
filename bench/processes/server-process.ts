import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** A server in its own process. */
export interface ServerProcess {
  /** The URL that it listens on. */
  address: string
  pid: number
  stop(): Promise<void>
}

/**
 * Starts a program of this repository, or of another copy of it in a folder, and waits until it prints its URL. Throws
 * when it exits before that.
 */
export async function startServerProcess(
  args: string[],
  settings: Record<string, string> = {},
  folder = ROOT,
): Promise<ServerProcess> {
  const child = launch(args, settings, folder)
  const exited = once(child, 'exit')
  for await (const line of createInterface(child.stdout!)) {
    const [address] = /http:\/\/[^\s]+/.exec(line) ?? []
    if (address === undefined) continue
    // Discard later output, which would otherwise fill the pipe.
    child.stdout!.resume()
    return { address, pid: child.pid!, stop: () => stop(child, exited) }
  }
  await exited
  throw new Error(`node ${args.join(' ')} exited before it listened`)
}

/** Does not inherit the environment, so that every run has the same settings. */
function launch(args: string[], settings: Record<string, string>, folder: string): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: folder, env: settings, stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  await exited
}
