import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { eventually } from '../eventually.ts'

/* The example configurations of proxies, with the real proxies where they are installed. */

export interface Proxy {
  program: string
  file: string
  args: (file: string, folder: string) => string[]
}

export const HAPROXY: Proxy = {
  program: 'haproxy',
  file: 'docs/proxies/haproxy.cfg',
  args: (file) => ['-db', '-f', file],
}

export const PROXIES: Proxy[] = [
  {
    program: 'nginx',
    file: 'docs/proxies/nginx.conf',
    args: (file, folder) => ['-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/nginx.pid;`],
  },
  HAPROXY,
  {
    program: 'caddy',
    file: 'docs/proxies/Caddyfile',
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
]

const SERVICE_PORT = '127.0.0.1:3000'
const PROXY_PORT = /:8080\b|(?<=listen )8080\b/

/**
 * Starts a proxy at a port of this machine, before the service at an address. Returns when it passes calls on, with a
 * function that returns all it has logged.
 */
export async function startProxy(
  t: Pick<Test, 'teardown'>,
  { program, file, args }: Proxy,
  { port, before }: { port: number; before: string },
): Promise<() => string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-proxy-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const example = readFileSync(file, 'utf8')
  if (!example.includes(SERVICE_PORT) || !PROXY_PORT.test(example)) throw new Error(`${file} has other ports`)
  const config = path.join(folder, path.basename(file))
  const text = example.replace(SERVICE_PORT, new URL(before).host)
  writeFileSync(
    config,
    text.replace(PROXY_PORT, (found) => found.replace('8080', String(port))),
  )
  const PATH = `${process.env['PATH']}:/usr/sbin`
  const proxy = spawn(program, args(config, folder), { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, HOME: folder } })
  let logged = ''
  for (const stream of [proxy.stdout, proxy.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      logged += text
    })
  const ended = once(proxy, 'exit')
  t.teardown(async () => {
    proxy.kill('SIGTERM')
    await ended
  })
  await eventually('the proxy passes calls on', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/livez`).catch(() => null)
    return answer?.status === 200
  })
  return () => logged
}
