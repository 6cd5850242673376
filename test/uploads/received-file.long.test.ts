import http from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { listUploads } from '../../src/ledger/uploads/read-uploads.ts'
import { expireUploads } from '../../src/ledger/uploads/erase-rows.ts'
import { PIECE, ReceivedFile } from '../../src/ledger/uploads/received-file.ts'
import { storeOriginal } from '../../src/ledger/uploads/store-upload.ts'
import { newId } from '../../src/ledger/new-id.ts'
import type { Queryable } from '../../src/postgres/pool.ts'
import { receiveBody } from '../../src/http/server/read-body.ts'
import { UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { eventually } from '../support/eventually.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { send, startService } from '../support/service.ts'

/* What is held and stored of a file while it is received, and what stays of it if it is not kept. */

const service = await startService(t)
const { pool, company } = service
const PATH = '/settings/bulk-user-logs/upload'
const MARK = 'Unmistakable'
const LINES = Array.from({ length: 20_000 }, (_, at) => `R-${at},${MARK}\n`).join('')
const headers = { authorization: `Bearer ${company.admin.token}`, 'content-type': 'text/csv' }

const stored = async () => (await pool.query<{ content: Buffer }>('select content from upload_pieces')).rows

/** Lets statements through, and says how many bytes the largest had, and how many were sent at once. */
function watchStatements() {
  const seen = { largest: 0, atOnce: 0 }
  let now = 0
  const query = async (...[statement, values]: [never, unknown[]]) => {
    now += 1
    seen.atOnce = Math.max(seen.atOnce, now)
    for (const value of values) if (Buffer.isBuffer(value)) seen.largest = Math.max(seen.largest, value.length)
    try {
      return await pool.query(statement, values)
    } finally {
      now -= 1
    }
  }
  return { seen, db: { query } as unknown as Queryable }
}

await t.test('a file is stored piece by piece, whatever the chunks in which it is received', async (t) => {
  const { seen, db } = watchStatements()
  const file = new ReceivedFile(db, company.id, newId('upl'))
  await file.add(Buffer.alloc(5 * PIECE + 1))
  for (let at = 0; at < 1_000; at += 1) await file.add(Buffer.from('x'))
  for await (const piece of file.read()) t.ok(piece.length <= PIECE)
  const of = { companyId: company.id, id: file.id, userId: company.admin.user_id, bytes: file.bytes }
  const facts = { fileName: 'a', operation: null, logId: '', answers: UNANSWERED, question: null, notes: null }
  await storeOriginal(db, { ...of, ...facts }, file)
  t.equal(file.bytes, 5 * PIECE + 1_001)
  t.strictSame(seen, { largest: PIECE, atOnce: 1 })
  t.equal((await stored()).length, 6)
  await pool.query('delete from upload_pieces')
  await pool.query('delete from upload_originals')
})

await t.test('a body is not received faster than it is taken', async (t) => {
  const body = new PassThrough()
  const request = { headers: {}, routeOptions: { bodyLimit: 1_000 }, server: { progressMs: 60_000 } }
  const taken: { chunk: string; done(): void }[] = []
  const take = (chunk: Buffer) => new Promise<void>((done) => taken.push({ chunk: chunk.toString(), done }))
  const received = receiveBody(request as unknown as FastifyRequest, body, take)
  const chunks = ['one', 'two', 'three']
  for (const chunk of chunks) body.write(chunk)
  body.end()
  for (const [at, chunk] of chunks.entries()) {
    while (taken.length === at) await setImmediate()
    await setImmediate()
    t.strictSame([taken.length, taken[at]!.chunk], [at + 1, chunk])
    taken[at]!.done()
  }
  await received
})

await t.test('nobody can read or see what a process that died leaves of a file, which is deleted', async (t) => {
  const file = new ReceivedFile(pool, company.id, newId('upl'))
  await file.add(Buffer.from(`external_id,last_name\n${LINES}`))
  const pieces = await stored()
  t.equal(pieces.length, Math.floor(file.bytes / PIECE))
  t.notOk(pieces.some(({ content }) => content.includes(MARK)))
  t.strictSame(await listUploads(pool, company.id), [])
  const { rows } = await pool.query<{ is: boolean }>(
    `select max(expires_at) <= statement_timestamp() + interval '1 hour' as is from upload_pieces`,
  )
  t.ok(rows[0]!.is, 'within an hour')
  await pool.query("update upload_pieces set expires_at = statement_timestamp() - interval '1 minute'")
  await expireUploads(pool)
  t.strictSame(await stored(), [])
})

await t.test('nothing stays of a file that is read once, refused, or never ends', async (t) => {
  const post = (content: string) =>
    send(service.address, 'POST', '/admin/v1/uploads', { key: null, headers, body: Buffer.from(content) })
  const upload = await post(`external_id,last_name\n${LINES}`)
  t.equal(upload.status, 201)
  t.strictSame(await stored(), [], 'read once')
  t.equal((await post(`external_id,external_id\n${LINES}\0`)).status, 422)
  t.strictSame(await stored(), [], 'refused')
  const request = http.request(`${service.address}/admin/v1/uploads`, { method: 'POST', headers })
  request.on('error', () => undefined)
  request.write(`external_id,last_name\n${LINES}`)
  await eventually('a piece is stored', async () => (await stored()).length > 0)
  request.destroy()
  await eventually('no piece is stored', async () => (await stored()).length === 0)
  await service.manage('POST', `/uploads/${upload.body.id}/cancel`)
})

await t.test('a large file with passwords is stored nowhere as it was sent', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const form = new FormData()
  form.set('file', new Blob([`external_id,last_name,Password\n${LINES.replaceAll('\n', ',hunter2\n')}`]), 'staff.csv')
  const { location } = await browse(service, PATH, { cookie, upload: form })
  t.match((await browse(service, location!, { cookie })).text, /may hold passwords: it is not read/)
  t.strictSame(await stored(), [])
  await browse(service, `${location!}/cancel`, { cookie, form: {} })
})

await t.test('a large file is kept to be read again, and deleted with its upload', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const form = new FormData()
  form.set('file', new Blob([`external_id,last_name\nTitle\n${LINES}`]), 'staff.csv')
  const { location } = await browse(service, PATH, { cookie, upload: form })
  const kept = await stored()
  t.ok(kept.length > 1)
  const again = await browse(service, `${location!}/read`, { cookie, form: { header_row: '1' } })
  t.equal(again.status, 303)
  t.equal((await stored()).length, kept.length, 'stored anew, and the earlier reading deleted')
  await browse(service, `${again.location!}/cancel`, { cookie, form: {} })
  t.strictSame(await stored(), [])
})
