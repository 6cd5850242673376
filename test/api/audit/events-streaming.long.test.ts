import http from 'node:http'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { compress } from '../../../src/api/audit/events.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { countConnects } from '../../support/postgres/counted-connects.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import { employee, startService } from '../../support/service.ts'
import { issueToken } from '../../support/http/sessions.ts'

const TITLE_LENGTH = 4_000
/** Each event has two such titles: about 50 pages of 2 MiB in all. */
const EVENTS = 12_000
const PAGES = EVENTS / 250

const service = await startService(t, { STREAM_HEARTBEAT_MS: '100' })
const { company } = service
const made = await service.call('POST', '/v1/employees', { body: employee() })
await lengthenLedger(service, company.id, made.body.employees[0].id, EVENTS, { titleLength: TITLE_LENGTH })
const { rows } = await service.pool.query<{ position: number }>('select position from heads where company_id = $1', [
  toUuid(company.id),
])
const head = rows[0]!.position
const PATH = '/audit/v1/events?format=proof'

const queries = countConnects(service.pool)

function open(
  path: string,
  more: Record<string, string> = {},
  token = company.auditor.token,
): Promise<http.IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, ...more }
  return new Promise((resolve, reject) => {
    http.get(service.address + path, { headers, agent: false }, resolve).once('error', reject)
  })
}

await t.test('a paused reader stops the queries, and gets all lines after it resumes', async (t) => {
  queries.count = 0
  const response = await open(PATH)
  response.pause()
  const before = await queries.end()
  let [text, count] = ['', 0]
  response.setEncoding('utf8')
  for await (const chunk of response) {
    const lines = (text + String(chunk)).split('\n')
    text = lines.pop()!
    for (const line of lines) {
      count += 1
      if (JSON.parse(JSON.parse(line).envelope).position !== count) throw new Error(`line ${count} is wrong`)
    }
  }
  t.equal(text, '')
  t.equal(count, head)
  t.ok(queries.count >= PAGES, 'the ledger was read in many pages')
  t.ok(before < queries.count / 2, `${before} of ${queries.count} queries were made before anything was taken`)
})

await t.test('compressed lines can be read before the next ones are made', async (t) => {
  const more = Promise.withResolvers<void>()
  async function* pages() {
    yield 'first\n'
    await more.promise
    yield 'second\n'
  }
  const lines = compress(Readable.from(pages())).pipe(createGunzip()).setEncoding('utf8')
  const read = lines[Symbol.asyncIterator]()
  t.equal((await read.next()).value, 'first\n')
  more.resolve()
  t.equal((await read.next()).value, 'second\n')
  t.equal((await read.next()).done, true)
})

await t.test('a compressed ledger is complete', async (t) => {
  const response = await open(PATH, { 'accept-encoding': 'gzip' })
  t.equal(response.headers['content-encoding'], 'gzip')
  let bytes = 0
  for await (const chunk of response.pipe(createGunzip())) bytes += (chunk as Buffer).length
  t.ok(bytes > EVENTS * 2 * TITLE_LENGTH)
})

await t.test('a reader that disconnects ends the queries', async (t) => {
  queries.count = 0
  const response = await open(PATH)
  response.once('data', () => response.destroy())
  await new Promise((resolve) => response.once('close', resolve))
  const made = await queries.end()
  t.ok(made < 0.8 * PAGES, `${made} queries`)
})

/** Reads an answer to its end, however it ends. */
async function readAll(response: http.IncomingMessage): Promise<{ isWhole: boolean; bytes: number }> {
  let bytes = 0
  try {
    for await (const chunk of response) bytes += (chunk as Buffer).length
    return { isWhole: response.complete, bytes }
  } catch {
    return { isWhole: false, bytes }
  }
}

await t.test('a reader whose token is revoked is cut off', async (t) => {
  const { body } = await issueToken(service, company.auditor, { name: 'short', expires_in_days: 1 })
  const response = await open(PATH, {}, body.token)
  response.pause()
  await queries.end()
  await service.manage('DELETE', `/tokens/${body.id}`)
  const { isWhole, bytes } = await readAll(response)
  t.notOk(isWhole)
  t.ok(bytes > 0 && bytes < EVENTS * 2 * TITLE_LENGTH)
})

for (const [name, headers] of [
  ['plain', {}],
  ['compressed', { 'accept-encoding': 'gzip' }],
] as const) {
  await t.test(`a fault in the middle cuts off the ${name} answer instead of ending it`, async (t) => {
    const path = '/audit/v1/events'
    t.ok((await readAll(await open(path, headers))).isWhole)
    const setType = (type: string) =>
      asSuperuser(
        service.urls.superUrl,
        `update events set type = '${type}' where company_id = '${toUuid(company.id)}' and position = ${head - 500}`,
      )
    await setType('NobodyKnows')
    const broken = await open(path, headers)
    t.equal(broken.statusCode, 200)
    const { isWhole, bytes } = await readAll(broken)
    t.notOk(isWhole)
    t.ok(bytes > 0)
    const answer = await service.audit(`/events?after=${head - 501}`)
    t.match(answer, { status: 500, body: { code: 'internal_error' } }, 'a fault at the start gets a problem document')
    await setType('EmployeeUpdated')
  })
}
