import http from 'node:http'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import t from 'tap'
import { toUuid } from '../../../../src/domain/ids.ts'
import { writeCsv } from '../../../../src/log/csv-text.ts'
import { streamTexts, type Reader } from '../../../../src/http/server/text-stream.ts'
import { asSuperuser } from '../../../support/postgres/as-superuser.ts'
import { csvRecords, csvRows } from '../../../support/http/csv-rows.ts'
import { countConnects } from '../../../support/postgres/counted-connects.ts'
import { employee, startService } from '../../../support/service.ts'
import { copyEntry } from '../../../support/postgres/copy-entry.ts'
import { ENTRIES } from '../../../support/postgres/projection-tables.ts'

const RECORDS = 5_000
/** The records whose details are read at once. */
const RECORDS_AT_ONCE = 100

await t.test('5,000 rows are read only as fast as the client takes them', async (t) => {
  const [size, total] = [100, 5_000]
  let [read, taken, furthest] = [0, 0, 0]
  async function* readPages(): AsyncGenerator<number[]> {
    for (let start = 0; start < total; start += size) {
      read += 1
      furthest = Math.max(furthest, read - taken)
      yield Array.from({ length: size }, (_, at) => start + at)
    }
  }
  const chunks: string[] = []
  const reader = { request: {}, reply: {}, authorize: async () => undefined } as unknown as Reader
  const slow = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write(chunk: string, _, done) {
      chunks.push(chunk)
      taken += 1
      setImmediate(done)
    },
  })
  await pipeline(await streamTexts(reader, writeCsv<number>([['n', (n) => n]], readPages())), slow)
  t.equal(chunks.length, total / size)
  t.ok(furthest <= 3, `never more than a few pages ahead: ${furthest}`)
  const rows = csvRows(chunks.join('').slice(1))
  t.strictSame(rows, [['n'], ...Array.from({ length: total }, (_, n) => [String(n)])])
})

const service = await startService(t, { MAX_RECORDS: '10000', BODY_LIMIT: String(64 * 1024 * 1024) })
const long = { a: 'a'.repeat(1000), b: 'b'.repeat(1000), c: 'c'.repeat(1000), d: 'd'.repeat(1000), e: 'e'.repeat(1000) }
const { body: made } = await service.call('POST', '/v1/employees', {
  body: Array.from({ length: RECORDS }, () => employee({ custom_attributes: long })),
})
await service.project()
const recordsPath = `/admin/v1/bulk-user-logs/${made.log_id}/records.csv`

const queries = countConnects(service.pool)

function open(path: string): Promise<http.IncomingMessage> {
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  return new Promise((resolve, reject) => {
    http.get(service.address + path, { headers, agent: false }, resolve).once('error', reject)
  })
}

await t.test('20,000 entries come in order, without those that arrive meanwhile', async (t) => {
  await copyEntry(service.pool, service.company.id, 19_999, { position: 'position - n', request_id: "'r' || n" })
  const response = await open('/admin/v1/bulk-user-logs.csv')
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) {
    if (text === '') {
      await service.call('POST', '/v1/employees', { body: employee() })
      await service.project()
    }
    text += String(chunk)
  }
  const rows = csvRecords(text.slice(1))
  t.equal(rows.length, 20_000)
  // As one text: comparing long lists part by part takes seconds.
  const inOrder = Array.from({ length: 19_999 }, (_, n) => `r${n + 1}`)
  t.equal(rows.flatMap((row, at) => (at === 0 ? [] : row['request_id'])).join(), inOrder.join())
})

await t.test('a paused client stops the queries, and gets all rows after it resumes', async (t) => {
  queries.count = 0
  const response = await open(recordsPath)
  response.pause()
  const last = await queries.end()
  // Two queries for each page of 500 kB: the sockets hold less than half of the file.
  t.ok(last < 1.5 * (RECORDS / RECORDS_AT_ONCE), `${last} queries`)
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += String(chunk)
  const rows = csvRecords(text.slice(1))
  t.equal(rows.map((row) => row['index']).join(), Array.from({ length: RECORDS }, (_, index) => index).join())
})

await t.test('a fault in the middle cuts off the file; one at the start gets a problem document', async (t) => {
  const first = `select first_position from ${ENTRIES} where call_id = '${toUuid(made.log_id)}'`
  const spoil = (index: number) =>
    asSuperuser(service.urls.superUrl, `update events set type = 'NobodyKnows' where position = (${first}) + ${index}`)
  await spoil(4_000)
  const broken = await open(recordsPath)
  t.equal(broken.statusCode, 200)
  await t.rejects(broken.resume().toArray(), { code: 'ECONNRESET' })
  await spoil(0)
  const answer = await service.admin(`/bulk-user-logs/${made.log_id}/records.csv`)
  t.match(answer, { status: 500, body: { code: 'internal_error' } })
  t.equal(answer.headers['content-disposition'], undefined)
})

await t.test('a client that disconnects ends the queries', async (t) => {
  queries.count = 0
  const response = await open('/admin/v1/bulk-user-logs.csv')
  response.once('data', () => response.destroy())
  await new Promise((resolve) => response.once('close', resolve))
  await service.app.close()
  t.ok(queries.count < 20, `${queries.count} queries of 22`)
})
