import { hash } from 'node:crypto'
import t from 'tap'
import type { WriteCall } from '../../../src/domain/calls/commands.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { hasPython, shown, verifyHere, verifyInPython } from '../../support/ledger/both-verifiers.ts'
import { exportLines } from '../../support/ledger/export-lines.ts'
import { uploadCall } from '../../support/ledger/calls.ts'
import { employee, startService } from '../../support/service.ts'

/* Calls that administrators make by uploading files. */

const service = await startService(t)
const { company, pool, db } = service
const { commit } = openAppends(t, service)
const ADMIN = company.admin.user_id

const upload = async (call: WriteCall) => {
  const [committed] = await commit([call])
  await service.project()
  return committed!
}
const eventsOf = async ({ callId }: WriteCall) => {
  const { rows } = await pool.query(
    `select type, schema_version, call_id is not null as is_of_call, actor, data from events
     where company_id = $1 and (call_id = $2 or stream_id = $2) order by position`,
    [toUuid(company.id), toUuid(callId)],
  )
  return rows.map(({ data, ...row }) => ({ ...row, data: data === null ? null : JSON.parse(data) }))
}
const entryOf = async (id: string) => (await service.admin(`/bulk-user-logs/${id}`)).body
const headOf = async () => (await service.audit('/checkpoint')).body.position as number

const refused = (await service.call('POST', '/v1/employees', { body: [employee({ phone: '12' })] })).body.log_id

await t.test('an upload is a call of its user, with the name of its file beside it', async (t) => {
  const call = uploadCall(company, [employee({ first_name: 'Zoë' })], { fileName: 'fixed.csv', corrects: [refused] })
  const { answer, position } = await upload(call)
  t.match(answer, { status: 200, body: { log_id: call.callId, results: [{ result: 'created' }] } })
  t.notOk(Object.keys(answer!.headers).some((name) => name.startsWith('ratelimit')))
  const events = await eventsOf(call)
  t.strictSame(
    events.map(({ type, schema_version: version, is_of_call: isOfCall, actor }) => [type, version, isOfCall, actor]),
    [
      ['EmployeeCreated', 1, true, ADMIN],
      ['ApiCallCompleted', 2, true, ADMIN],
      ['FileUploaded', 1, false, ADMIN],
    ],
  )
  t.match(events[1]!.data, { key: null, corrects: [refused], operation: 'upsert' })
  t.strictSame(events[2]!.data, { name: 'fixed.csv' })
  t.equal(position, await headOf())
})

await t.test('its entry names the user and the file, and both entries lead to each other', async (t) => {
  const call = uploadCall(company, [employee(), employee()], { fileName: 'again.csv', corrects: [refused] })
  await upload(call)
  const entry = await entryOf(call.callId)
  t.match(entry, {
    name: 'File upload',
    key: null,
    user: { id: ADMIN, name: /./ },
    file: { name: 'again.csv', rows: 2 },
    corrects: [refused],
    corrected_by: [],
    client: { address: '127.0.0.1' },
  })
  t.equal((await entryOf(refused)).corrected_by[0], call.callId)
  const listed = (await service.admin('/bulk-user-logs?limit=1')).body.items[0]
  const { client: _client, corrected_by: _by, correction: _correction, rejected_body: _body, ...more } = entry
  const { undone_by: undoneBy, ...shown } = more
  t.strictSame(undoneBy, [])
  t.strictSame(listed, shown)
  t.match(await entryOf(refused), { name: 'Public API', key: { id: company.key.api_id }, user: null, file: null })
})

await t.test('a failed upload keeps its refused records, applies nothing, and needs no attention', async (t) => {
  const call = uploadCall(company, [employee({ email: 'all@example.com' }), { phone: '0' }])
  t.match(await upload(call), { answer: { status: 422, body: { code: 'validation_failed', log_id: call.callId } } })
  t.strictSame(
    (await eventsOf(call)).map(({ type }) => type),
    ['EmployeeRecordRejected', 'ApiCallFailed', 'FileUploaded'],
  )
  const { entry, records } = await service.logOf(call.callId)
  t.match(entry, { status: 'Failed', name: 'File upload', counts: { total: 2, failed: 2 } })
  t.match(records, [{ index: 1, record: { phone: '0' } }])
  const { items } = (await service.admin('/attention')).body
  t.notOk(JSON.stringify(items).includes(call.callId))
})

await t.test('uploads cost no quota of any key', async (t) => {
  const used = async () =>
    (await pool.query('select requests_made from api_key_usage where company_id = $1', [toUuid(company.id)])).rows
  const before = await used()
  await upload(uploadCall(company, [employee()]))
  t.strictSame(await used(), before)
})

await t.test('a repeated upload has one effect and one answer, also in the same transaction', async (t) => {
  const idempotency = { keyHash: hash('sha256', 'form', 'hex'), requestHash: hash('sha256', 'file', 'hex') }
  const send = () => ({ ...uploadCall(company, [employee({ email: 'once@example.com' })]), idempotency })
  const before = await headOf()
  const [first, second] = await commit([send(), send()])
  const [third] = await commit([send()])
  t.equal(first!.position, before + 3)
  for (const { position, answer } of [second!, third!]) {
    t.equal(position, null)
    t.match(answer, { status: 200, headers: { 'idempotency-replayed': 'true' } })
    t.strictSame(JSON.parse(answer!.body as string), JSON.parse(first!.answer!.body as string))
  }
})

await t.test('only an administrator can upload, as of the moment of the decision', async (t) => {
  const before = await headOf()
  for (const userId of [company.auditor.user_id, company.member.user_id])
    t.match(await upload(uploadCall(company, [employee()], { userId })), {
      position: null,
      answer: { status: 403, body: { code: 'admin_only' } },
    })
  t.equal(await headOf(), before)
  const { body: user } = await service.manage('POST', '/users', { email: 'b@example.com', name: 'B', role: 'admin' })
  await service.manage('DELETE', `/users/${user.id}`)
  t.match(await upload(uploadCall(company, [employee()], { userId: user.id })), { position: null, answer: null })
  const other = await service.makeCompany('Other')
  const foreign = uploadCall(company, [employee()], { userId: other.admin.user_id })
  t.match(await upload(foreign), { position: null, answer: null })
})

await t.test('the erasure of the user erases their name and the names of their files', async (t) => {
  const { body: user } = await service.manage('POST', '/users', { email: 'c@example.com', name: 'Cyd', role: 'admin' })
  const call = uploadCall(company, [employee()], { userId: user.id, fileName: 'from Cyd.csv' })
  await upload(call)
  t.match(await entryOf(call.callId), { user: { name: 'Cyd' }, file: { name: 'from Cyd.csv' } })
  await service.manage('DELETE', `/users/${user.id}`)
  t.equal((await service.manage('POST', `/users/${user.id}/erase`)).status, 200)
  t.match(await entryOf(call.callId), { user: { id: user.id, name: null }, file: { name: null, rows: 1 } })
  t.equal((await eventsOf(call)).at(-1)!.data, null)
})

await t.test('the erasure of a person erases names of files that name them', async (t) => {
  const person = employee({ email: 'gone@example.com', external_id: 'G-7' })
  const names = ['for gone@example.com.csv', 'G-7.csv', 'G-77.csv']
  const calls = names.map((fileName) => uploadCall(company, [{ ...person, job_title: fileName }], { fileName }))
  for (const call of calls) await upload(call)
  t.equal((await service.manage('POST', '/erasures', { email: 'gone@example.com' })).status, 200)
  const kept = await Promise.all(calls.map(async ({ callId }) => (await entryOf(callId)).file.name))
  t.strictSame(kept, [null, null, 'G-77.csv'])
})

await t.test('both verifiers accept a ledger with uploads, and every event can be read', async (t) => {
  const { note, public_key: publicKey } = (await service.audit('/checkpoint')).body
  const bytes = Buffer.from((await exportLines(db, company.id)).join(''))
  const whole = { bytes, checkpoints: Buffer.from(note), publicKey }
  const consistent = { verdict: 'consistent', position: null } as const
  t.strictSame(shown(await verifyHere(whole)), consistent)
  if (hasPython()) t.strictSame(await verifyInPython([whole]), [consistent])
})
