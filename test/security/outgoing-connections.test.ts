import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import t from 'tap'
import { readSources, withoutComments } from '../support/rules/source-files.ts'
import { browse } from '../support/http/sessions.ts'
import { testServerUrls } from '../support/postgres/test-server.ts'
import { employee, startService } from '../support/service.ts'

/* OWASP API Security Top 10 (2023), API7 and API10: the program connects to PostgreSQL, and elsewhere as set up alone. */

const sockets: Socket[] = []
const watch = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
subscribe('net.client.socket', watch)
t.teardown(() => unsubscribe('net.client.socket', watch))

const service = await startService(t)

const OUTSIDE = [
  'http://127.0.0.1:9/',
  'http://169.254.169.254/latest/meta-data/',
  'https://evil.example/x',
  '//evil.example',
  'file:///etc/passwd',
  'gopher://127.0.0.1:9/',
]

await t.test(
  'API7 server side request forgery: whatever addresses are sent, the only connections go to the database',
  async (t) => {
    sockets.length = 0
    for (const address of OUTSIDE) {
      await service.call('POST', '/v1/employees', {
        body: employee({ first_name: address.slice(0, 80), job_title: address, custom_attributes: { photo: address } }),
        headers: { referer: address, origin: address, 'x-forwarded-host': address, 'x-callback-url': address },
      })
      await service.manage('POST', '/users', { email: 'x@evil.example', name: address, role: 'member' })
      await service.admin(`/bulk-user-logs?q=${encodeURIComponent(address)}`)
      await browse(service, `/sign-in?next=${encodeURIComponent(address)}`)
    }
    await service.project()
    const known = [service.address, ...testServerUrls().machines].map((url) => Number(new URL(url).port))
    const others = sockets
      .map(({ remotePort }) => remotePort)
      .filter((port) => port !== undefined && !known.includes(port))
    t.strictSame(others, [])
    t.ok(sockets.length > 0, 'connections were opened')
  },
)

/** How a program connects to another server. A method that is named fetch is another matter. */
const REACHING = [
  /(?<!\.)\bfetch\(|\bglobalThis\.fetch\b/,
  /\bhttps?\.(?:get|request)\(|\bnet\.(?:connect|createConnection)\(/,
  /from '(?:node:)?(?:https|http2|dgram|tls|undici|axios)'/,
  /\bWebSocket\b/,
]

await t.test(
  "API7, API10 unsafe consumption of APIs: the program's own code connects to other servers in one place alone, and pages load nothing from elsewhere",
  async (t) => {
    // Except the samples for the programs of others, and the commands that send the demo's calls to this service.
    const program = readSources('src', 'projections', 'migrations').filter(
      ({ path }) => !/^src\/(?:pages\/reference\/samples\.ts|cli\/demo\/)/.test(path),
    )
    const reaches = (text: string) => REACHING.some((way) => way.test(text))
    t.strictSame(
      program.filter(({ text }) => reaches(withoutComments(text))).map(({ path }) => path),
      // At addresses that it checks: test/webhooks/post.test.ts, test/accounts/oidc/outages.test.ts.
      ['src/outgoing/connections.ts'],
    )
    for (const path of ['/sign-in', '/docs', '/docs/createEmployees', '/problems']) {
      t.notMatch((await browse(service, path)).text, /(?:src|href)="(?:https?:)?\/\/(?!127\.0\.0\.1)/, path)
    }
  },
)
