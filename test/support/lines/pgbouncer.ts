import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import type { DatabaseUrls } from '../../../src/postgres/database-urls.ts'
import { freePort } from '../processes/free-port.ts'
import { eventually } from '../eventually.ts'

const EXAMPLE = 'docs/pgbouncer.ini'
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

/** Starts PgBouncer with the example's configuration, changed so. Returns the addresses that lead through it. */
export async function startPgBouncer<Urls extends DatabaseUrls>(
  t: Test,
  urls: Urls,
  changes: Record<string, string> = {},
): Promise<Urls> {
  const { hostname, port, pathname } = new URL(urls.serviceUrl)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-pgbouncer-'))
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const users = [urls.serviceUrl, urls.ownerUrl].map((url) => new URL(url))
  const list = path.join(folder, 'userlist.txt')
  writeFileSync(list, users.map(({ username, password }) => `"${username}" "${password}"\n`).join(''))
  const listen = await freePort()
  const set = { listen_port: String(listen), auth_file: list, unix_socket_dir: '', ...changes }
  const own = Object.entries(set).map(([name, value]) => `${name} = ${value}\n`)
  const config = path.join(folder, path.basename(EXAMPLE))
  const example = readFileSync(EXAMPLE, 'utf8')
  const database = `${pathname.slice(1)} = host=${hostname} port=${port}`
  // The last value of a name counts.
  writeFileSync(config, example.replace(/^employee_ledger = .*$/m, database) + own.join(''))
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const pooler = spawn('pgbouncer', [config], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
    ...asNobody,
  })
  const ended = once(pooler, 'exit')
  t.teardown(async () => {
    pooler.kill('SIGKILL')
    await ended
  })
  const through = (url: string) => Object.assign(new URL(url), { port: String(listen) }).href
  await eventually('PgBouncer answers', async () => {
    const client = new pg.Client(through(urls.serviceUrl))
    client.on('error', () => undefined)
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    )
  })
  return { ...urls, serviceUrl: through(urls.serviceUrl), ownerUrl: through(urls.ownerUrl) }
}
