import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { freePort } from '../support/processes/free-port.ts'
import { sendRawBody } from '../support/http/raw-body.ts'
import { launch, makeDataDir } from '../support/processes/cli.ts'
import { needs } from '../support/processes/installed.ts'
import { HAPROXY, startProxy } from '../support/processes/proxies.ts'
import type { RawRequest } from './any-raw-body.ts'
import { BODY_LIMIT } from './any-raw-body.ts'
import type { World } from './world.ts'

/** A process that gets bodies that are cut off, directly and through HAProxy. */
export interface RawGround {
  /** Null if requests go through HAProxy too, otherwise why not. */
  withoutProxy: string | null
  /** Returns the status of the answer; null if none came. Throws if the process has ended. */
  send(request: RawRequest, world: World): Promise<number | null>
  /** What is wrong with the process at the end. */
  end(): Promise<string[]>
}

/** Requests of 8 MB would test nothing else, and silence must end soon. */
const SETTINGS = { BODY_LIMIT: String(BODY_LIMIT), REQUEST_TIMEOUT_MS: '1000', TRUST_PROXY: '127.0.0.1' }
const STDERR_SHOWN = 2_000

/** Starts the process, and HAProxy before it where that is installed. */
export async function openRawGround(
  t: Pick<Test, 'teardown'>,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<RawGround> {
  const server = launch(t, ['serve'], {
    DATABASE_URL: databaseUrl,
    DATA_DIR: makeDataDir(t),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ...settings,
    ...SETTINGS,
  })
  const address = await server.prints(/listens on (http:\S+)/)
  const { skip } = needs(HAPROXY.program)
  let proxied = address
  if (skip === undefined) {
    const port = await freePort()
    await startProxy(t, HAPROXY, { port, before: address })
    proxied = `http://127.0.0.1:${port}`
  }
  const hasEnded = () => server.child.exitCode !== null || server.child.signalCode !== null
  return {
    withoutProxy: skip ?? null,
    async send({ method, target, headers, caller, raw, isProxied }, world) {
      const lines = [...world.credentials(caller), ...headers].map(
        ([name, value]) => `${name}: ${world.fill(value)}\r\n`,
      )
      const head = `${method} ${world.fill(target)} HTTP/1.1\r\nhost: x\r\n${lines.join('')}`
      const status = await sendRawBody(isProxied ? proxied : address, head, raw)
      if (hasEnded()) throw new Error('the process has ended')
      return status
    },
    async end() {
      const wasAlive = !hasEnded()
      const { exitCode, stderr } = await server.end('SIGTERM')
      if (wasAlive && exitCode === 0) return []
      return [`a body that was cut off ended the process, with ${exitCode}: ${stderr.slice(-STDERR_SHOWN)}`]
    },
  }
}
