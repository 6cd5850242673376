import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { startWatchedProxy } from './lines/watched-proxy.ts'
import { COMPILE_CACHE } from './processes/compile-cache.ts'
import { startService } from './service.ts'

interface Run {
  code: number | null
  out: string
  err: string
}

/** Starts a service, and lets the command that sends files run against it as a process of its own, in a folder. */
export async function startSending(t: Test) {
  const service = await startService(t)
  const proxy = await startWatchedProxy(t, service.address)
  const { api_id: API_ID, api_key: API_KEY } = service.company.key
  const folder = t.testdir({})

  /** Starts the command. The environment has nothing of this process: tap adds hooks to the processes that it starts. */
  function start(args: string[], env: Record<string, string> = {}): { child: ChildProcess; done: Promise<Run> } {
    const variables = { API_URL: proxy.address, API_ID, API_KEY, ...COMPILE_CACHE, ...env }
    const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    const program = [process.execPath, path.resolve('clients/typescript/send/main.ts')]
    const child = spawn('env', ['-i', ...assigned, ...program, ...args], { cwd: folder })
    const done = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
      ([[code], out, err]): Run => ({ code: code as number | null, out, err }),
    )
    return { child, done }
  }

  return {
    service,
    proxy,
    folder,
    apiKey: API_KEY,
    start,
    run: (args: string[], env?: Record<string, string>) => start(args, env).done,
    write: (name: string, content: string | Buffer) => writeFileSync(path.join(folder, name), content),
  }
}
