import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { LoopUse } from './event-loop-watchdog.ts'

/** A watchdog in another process, which that process starts with if it has these variables. */
interface DistantWatchdog {
  variables: Record<string, string>
  /** Reads what the process used since the last reading; waits until its event loop is free. */
  read(): Promise<LoopUse>
}

/** Prepares a watchdog of the event loop for a process that a test starts. */
export function prepareWatchdog(t: Pick<Test, 'teardown'>): DistantWatchdog {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-watchdog-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const socket = path.join(folder, 'socket')
  const preload = new URL('serve-watchdog.ts', import.meta.url).href
  return {
    variables: { WATCHDOG_SOCKET: socket, NODE_OPTIONS: `--import ${preload}` },
    read: async () => JSON.parse(await text(net.connect(socket))) as LoopUse,
  }
}
