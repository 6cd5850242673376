import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { emptyNames } from '../../src/domain/erasure.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { cancelUpload } from '../../src/ledger/uploads/change-upload.ts'
import { eraseStoredRows, expireUploads } from '../../src/ledger/uploads/erase-rows.ts'
import { ReceivedFile } from '../../src/ledger/uploads/received-file.ts'
import { findOriginal, readOriginal, storeOriginal } from '../../src/ledger/uploads/store-upload.ts'
import { inTransaction } from '../../src/postgres/pipeline.ts'
import { encodeText } from '../support/files/encode-text.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { holdRow, letGo } from '../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import { employee, startService } from '../support/service.ts'

/* Files as they were sent: how long they are kept, and that nothing of them stays. */

const service = await startService(t)
const { pool, company } = service
const cookie = await cookieOf(service, company.admin)
const PATH = '/settings/bulk-user-logs/upload'

const contents = async () =>
  (await pool.query<{ count: number }>('select count(key)::integer as count from upload_originals')).rows[0]!.count

/** Uploads a file through the page. Returns the address of its page. */
async function upload(content: Buffer): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(content)]), 'staff.csv')
  return (await browse(service, PATH, { cookie, upload: form })).location!
}

const UNCLEAR = encodeText('external_id,last_name\nO-1,Ţugui\n', 'windows-1250')

await t.test('a file is read again piece by piece, as it was sent', async (t) => {
  const content = Buffer.from(Array.from({ length: 2_500_000 }, (_, at) => at % 251))
  const file = new ReceivedFile(pool, company.id, newId('upl'))
  for (let at = 0; at < content.length; at += 70_000) await file.add(content.subarray(at, at + 70_000))
  const of = { companyId: company.id, id: file.id, userId: company.admin.user_id, bytes: content.length }
  const facts = { fileName: 'a', operation: null, logId: '', answers: UNANSWERED, question: null, notes: null }
  t.ok((await buffer(file.read())).equals(content), 'as it was received')
  await storeOriginal(pool, { ...of, ...facts }, file)
  await file.end()
  t.ok((await buffer(readOriginal(pool, of))).equals(content), 'once it is kept')
  t.match(await findOriginal(pool, of), { ...facts, hasContent: true })
  await pool.query('delete from upload_pieces')
  await pool.query('update upload_originals set key = null, content = $1', [content])
  t.ok((await buffer(readOriginal(pool, of))).equals(content), 'as the previous version stored it')
  t.match(await findOriginal(pool, of), { ...facts, hasContent: true })
  await pool.query('delete from upload_originals')
})

await t.test('questions count as uploads, and make room when they are answered or given up', async (t) => {
  const asked: string[] = []
  for (let at = 0; at < 20; at += 1) asked.push(await upload(UNCLEAR))
  const form = () => {
    const more = new FormData()
    more.set('file', new Blob([new Uint8Array(UNCLEAR)]), 'staff.csv')
    return { cookie, upload: more }
  }
  t.match((await browse(service, PATH, form())).text, /can have 20 unfinished uploads/)
  t.equal(await contents(), 20)
  const answered = await browse(service, `${asked[0]!}/read`, { cookie, form: { encoding: 'windows-1250' } })
  t.equal(answered.status, 303, 'the file takes the place of its question')
  t.match((await browse(service, PATH, form())).text, /can have 20 unfinished uploads/)
  t.equal((await browse(service, `${asked[1]!}/cancel`, { cookie, form: {} })).location, PATH)
  t.equal((await browse(service, PATH, form())).status, 303)
  await pool.query('delete from upload_originals')
  await pool.query('delete from upload_parts')
  await pool.query('delete from uploads')
})

await t.test('applying and canceling delete a file, and so does its last day', async (t) => {
  await pool.query('delete from upload_originals')
  await service.call('POST', '/v1/employees', { body: [employee({ external_id: 'O-1' })] })
  const applied = await upload(Buffer.from('external_id,location\nO-1,Bern\n'))
  const canceled = await upload(Buffer.from('external_id,location\nO-1,Rome\n'))
  t.equal(await contents(), 2)
  for (const path of [`${applied}/apply`, `${canceled}/cancel`]) await browse(service, path, { cookie, form: {} })
  t.equal(await contents(), 0)
  await upload(UNCLEAR)
  await pool.query("update upload_originals set expires_at = statement_timestamp() - interval '1 minute'")
  await expireUploads(pool)
  t.equal((await pool.query('select from upload_originals')).rowCount, 0)
})

await t.test('a file with passwords is stored nowhere as it was sent, asked about or not', async (t) => {
  await pool.query('delete from upload_originals')
  const clear = await upload(Buffer.from('external_id,last_name,Password\nO-2,Ana,hunter2\n'))
  const { text } = await browse(service, clear, { cookie })
  t.match(text, /The column &#?\w+;Password&#?\w+; may hold passwords: it is not read, and the file is not kept/)
  t.notMatch(text, /hunter2|Read again/)
  const form = new FormData()
  const content = encodeText('external_id,last_name,Kennwort\nO-1,Ţugui,hunter2\n', 'windows-1250')
  form.set('file', new Blob([new Uint8Array(content)]), 'staff.csv')
  const asked = await browse(service, PATH, { cookie, upload: form })
  t.match(asked.text, /The column &#?\w+;Kennwort&#?\w+; may hold passwords\. Remove it/)
  t.equal(await contents(), 0)
  for (const table of ['uploads', 'upload_parts', 'upload_originals'])
    t.notMatch(JSON.stringify((await pool.query(`select * from ${table}`)).rows), 'hunter2', table)
})

await t.test('the erasure of a person deletes the files of the company, which may name them', async (t) => {
  const asked = await upload(UNCLEAR)
  t.equal((await browse(service, asked, { cookie })).status, 200)
  const { items } = (await service.call('GET', '/v1/employees?external_id=O-1')).body
  await service.manage('POST', '/erasures', { employee_id: items[0].id })
  t.equal((await pool.query('select from upload_originals')).rowCount, 0)
  t.equal((await browse(service, asked, { cookie })).status, 404)
})

await t.test('an erasure while an upload is canceled waits for it', async (t) => {
  const id = (await upload(Buffer.from('external_id,location\nO-1,Oslo\n'))).split('/').at(-1)!
  t.equal(await contents(), 1)
  const holder = await holdRow(service, 'upload_parts', company)
  const canceled = cancelUpload(pool, { companyId: company.id, id })
  await lockIsAwaited(service, 'upload_parts')
  const erased = inTransaction(pool, (client) => eraseStoredRows(client, company.id, emptyNames()))
  await lockIsAwaited(service, 'uploads')
  await letGo(holder)
  t.equal(await canceled, true)
  await t.resolves(erased)
  t.equal(await contents(), 0)
})
