import http from 'node:http'
import t from 'tap'
import { newId } from '../../../src/ledger/new-id.ts'
import { type AddedUser, addUser } from '../../../src/accounts/users/change-user.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { countConnects } from '../../support/postgres/counted-connects.ts'
import { lockTables } from '../../support/postgres/lock-tables.ts'
import { eventually } from '../../support/eventually.ts'
import { openEventStream } from '../../support/http/event-stream.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import { employee, startService } from '../../support/service.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { copyEntry } from '../../support/postgres/copy-entry.ts'
import { ENTRIES } from '../../support/postgres/projection-tables.ts'

/* A user who loses their rights gets no further page of an open stream or download. Heartbeats continue. */

const service = await startService(t)
const { pool, company } = service
const made = await service.call('POST', '/v1/employees', { body: employee() })
await service.project()
let count = 0

/** Makes another administrator of the company. */
function newAdmin(): Promise<AddedUser> {
  count += 1
  return addUser(
    { pool, newId },
    { companyId: company.id, email: `admin.${count}@example.com`, name: 'A', role: 'admin' },
  )
}

type Headers = Record<string, string>
const byToken = async ({ token }: AddedUser): Promise<Headers> => ({ authorization: `Bearer ${token}` })
const bySession = async (user: AddedUser): Promise<Headers> => ({
  cookie: await cookieOf(service, user),
  'sec-fetch-site': 'same-origin',
})

const tokenRow = (user: AddedUser, change: string) =>
  pool.query(`update user_tokens set ${change} where user_id = $1`, [toUuid(user.user_id)])
const manage = async (method: 'DELETE' | 'PATCH' | 'POST', path: string, body?: unknown) => {
  const { status } = await service.manage(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status}`)
}

const ENDINGS: [
  what: string,
  headersOf: (user: AddedUser) => Promise<Headers>,
  end: (user: AddedUser, headers: Headers) => Promise<unknown>,
][] = [
  ['the user is removed', byToken, (user) => manage('DELETE', `/users/${user.user_id}`)],
  ['the user of a session is removed', bySession, (user) => manage('DELETE', `/users/${user.user_id}`)],
  ['the user gets another role', byToken, (user) => manage('PATCH', `/users/${user.user_id}`, { role: 'member' })],
  [
    'the token is revoked',
    byToken,
    async (user) => {
      const { body } = await service.manage('GET', '/tokens', undefined, user.token)
      await manage('DELETE', `/tokens/${body.items[0].id}`)
    },
  ],
  ['the token expires', byToken, (user) => tokenRow(user, 'expires_at = now()')],
  ['the user signs out', bySession, (_user, { cookie }) => browse(service, '/sign-out', { cookie: cookie!, form: {} })],
  ['the password is reset', bySession, (user) => manage('POST', `/users/${user.user_id}/reset-password`)],
]

for (const path of ['/admin/v1/bulk-user-logs/stream', '/audit/v1/events/stream']) {
  await t.test(`${path} sends no event after rights have ended`, async (t) => {
    const control = await openEventStream(t, service.address + path, await byToken(company.admin))
    const open = await Promise.all(
      ENDINGS.map(async ([what, headersOf, end]) => {
        const user = await newAdmin()
        const headers = await headersOf(user)
        return {
          what,
          stream: await openEventStream(t, service.address + path, headers),
          end: () => end(user, headers),
        }
      }),
    )
    const nextEvents = async () => {
      await service.call('POST', '/v1/employees', { body: employee() })
      await service.project()
    }
    await nextEvents()
    for (const { what, stream } of open) t.ok(await stream.next(), `sends before ${what}`)
    for (const { end } of open) await end()
    const seen = Promise.all(
      open.map(async ({ what, stream }) => {
        // What was sent before the rights ended, up to the end of the stream.
        const events: string[] = []
        for (let event = await stream.next(); event; event = await stream.next())
          events.push(JSON.stringify(event.data))
        return { what, events }
      }),
    )
    const { body } = await service.call('POST', '/v1/employees', { body: employee() })
    await service.project()
    for (let event = await control.next(); !JSON.stringify(event).includes(body.log_id as string);)
      event = await control.next()
    for (const { what, events } of await seen)
      t.notOk(
        events.some((event) => event.includes(body.log_id as string)),
        what,
      )
    control.close()
  })
}

const COUNT = 20_000
const EVENTS = 4_000

/** Opens a download, ends its user's rights between two of its pages, and returns what arrived. */
async function cutDownload(path: string, table: string) {
  const user = await newAdmin()
  // Each page is read on a connection of this pool.
  const reads = countConnects(pool)
  const request = http.get(service.address + path, { headers: await byToken(user), agent: false })
  const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
    request.once('response', resolve).once('error', reject),
  )
  let text = ''
  response.setEncoding('utf8')
  await new Promise<void>((resolve) => response.once('readable', resolve))
  const release = await lockTables(service, table)
  const readBefore = reads.released
  await tokenRow(user, 'revoked_at = now()')
  await release()
  let isWhole = true
  try {
    for await (const chunk of response) text += String(chunk)
    isWhole = response.complete
  } catch {
    isWhole = false
  }
  return { isWhole, lines: text.split('\n').length - 1, readBefore }
}

await t.test('a CSV file has no row read after the rights ended, and does not look complete', async (t) => {
  await copyEntry(pool, company.id, COUNT, { request_id: "repeat('r', 2000)" })
  const { isWhole, lines, readBefore } = await cutDownload('/admin/v1/bulk-user-logs.csv', ENTRIES)
  t.notOk(isWhole)
  t.ok(readBefore < COUNT / 1_000, 'the file was not fully read before')
  t.ok(lines > 0 && lines <= 1 + readBefore * 1_000, `${lines} lines of ${readBefore} pages`)
})

await t.test('an export of events has no event read after the rights ended, and does not look complete', async (t) => {
  await lengthenLedger(service, company.id, made.body.employees[0].id, EVENTS, { titleLength: 4_000 })
  const { isWhole, lines } = await cutDownload('/audit/v1/events', 'events')
  t.notOk(isWhole)
  t.ok(lines > 0 && lines < EVENTS / 2, `${lines} lines`)
})

await t.test(
  'a download whose user loses their rights before its first page is refused like any other call',
  async (t) => {
    for (const [path, table] of [
      ['/admin/v1/bulk-user-logs.csv', ENTRIES],
      ['/audit/v1/events', 'events'],
    ] as const) {
      const user = await newAdmin()
      const reads = countConnects(pool)
      const release = await lockTables(service, table)
      const answer = path.startsWith('/admin')
        ? service.admin(path.slice('/admin/v1'.length), user.token)
        : service.audit(path.slice('/audit/v1'.length), user.token)
      await eventually('its first page is being read', async () => reads.count > 0)
      await tokenRow(user, 'revoked_at = now()')
      await release()
      t.match(await answer, { status: 401, body: { code: 'invalid_credentials' } }, path)
    }
  },
)
