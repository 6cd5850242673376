import { randomUUID } from 'node:crypto'
import t from 'tap'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import { beginApplying, changeMapping, readPlanState } from '../../src/ledger/uploads/change-upload.ts'
import { findUpload, readParts } from '../../src/ledger/uploads/read-uploads.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { send, startService } from '../support/service.ts'

/* Files that somebody else looks at, changes, or erases rows of, between their preview and their call. */

const service = await startService(t, { MAX_RECORDS: '2' })
const { company, pool } = service
const PAGE = '/settings/bulk-user-logs/upload'
const cookie = await cookieOf(service, company.admin)

async function upload(content: string, query = ''): Promise<string> {
  const { body } = await send(service.address, 'POST', `/admin/v1/uploads?file_name=staff.csv${query}`, {
    key: null,
    body: content,
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
  return body.id as string
}

const setMapping = (id: string, columns: object[]) => service.manage('PUT', `/uploads/${id}/mapping`, { columns })
const apply = (id: string, query = '') => service.manage('POST', `/uploads/${id}/apply${query}`)
const rowOf = async (id: string) =>
  (await pool.query('select state, request_id, expires_at from uploads where upload_id = $1', [toUuid(id)])).rows[0]

await t.test('a remembered mapping belongs to the columns, in whatever order it was given', async (t) => {
  const id = await upload('Erste,Zweite,E-Mail\nAna,Perez,ana@example.com\n')
  const columns = [
    { header: 'E-Mail', to: 'email' },
    { header: 'Zweite', to: 'last_name' },
    { header: 'Erste', to: 'first_name' },
  ]
  t.match(await setMapping(id, columns), { status: 200 })
  t.match(await apply(id), { status: 200, body: { state: 'ended' } })
  const again = await upload('Erste,Zweite,E-Mail\nBo,Ek,bo@example.com\n', '&apply=true')
  t.match((await service.admin(`/uploads/${again}`)).body, { state: 'ended', summary: { created: 1 } })
  const { items } = (await service.call('GET', '/v1/employees?email=bo@example.com')).body
  t.match(items, [{ first_name: 'Bo', last_name: 'Ek' }])
})

await t.test('what changes after it was looked at is not applied unseen', async (t) => {
  const id = await upload('external_id,last_name\nC-1,One\n')
  const ref = { companyId: company.id, id }
  const plan = await readPlanState(pool, ref)
  await setMapping(id, [
    { header: 'external_id', to: 'external_id' },
    { header: 'last_name', to: 'first_name' },
  ])
  const by = { userId: company.admin.user_id, requestId: 'req', client: null, isAllOrNone: true, beside: null }
  t.equal(await beginApplying(pool, ref, { ...by, plan }), false)
  t.match(await rowOf(id), { state: 'previewed' })
  t.match(await apply(id), { status: 200, body: { state: 'ended' } }, 'but what is there now')
})

await t.test('while a file is split into other parts, nobody waits for it, and what changes it wins', async (t) => {
  const ref = { companyId: company.id, id: await upload('external_id,last_name\nW-1,One\nW-2,Two\n') }
  const { mapping } = (await findUpload(pool, ref.companyId, ref.id))!
  const change = async (meanwhile: string) => {
    async function* parts() {
      await pool.query(meanwhile, [toUuid(ref.companyId), toUuid(ref.id)])
      const content = Buffer.from('[{"row":1,"line":2,"cells":["W-1","One"]}]')
      yield { firstRow: 1, rows: 1, content, callId: fromUuid('log', randomUUID()) }
    }
    const state = (await readPlanState(pool, ref))!
    return changeMapping(pool, { ...ref, userId: company.admin.user_id }, { mapping: mapping!, parts: parts(), state })
  }
  const stored = async () => (await readParts(pool, ref)).map(({ rows }) => rows)
  const count = async () => (await pool.query('select from upload_parts')).rowCount
  const before = await count()
  t.equal(await change('select from uploads where company_id = $1 and upload_id = $2 for update nowait'), 1)
  t.same(await stored(), [1])
  t.equal(await change('update upload_parts set erased = 1 where company_id = $1 and upload_id = $2'), null)
  t.same(await stored(), [1])
  t.equal(await count(), before, 'nothing is left of the other parts')
})

await t.test('who is missing is asked of the ledger, whatever the read model does not have yet', async (t) => {
  const { id: companyId, key, admin } = await service.makeCompany('Ahead')
  const person = (at: number) => ({ external_id: `H-${at}`, last_name: `No${at}` })
  const write = (method: 'PATCH' | 'POST', body: object[]) => service.call(method, '/v1/employees', { key, body })
  for (const body of [[0, 1].map(person), [2, 3].map(person)]) t.equal((await write('POST', body)).status, 201)
  await service.project(companyId)
  const { items } = (await service.call('GET', '/v1/employees', { key })).body
  const changes = [
    { id: items[0].id, status: 'inactive' },
    { id: items[1].id, external_id: 'H-9' },
  ]
  t.equal((await write('PATCH', changes)).status, 200)
  const { body } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=staff.csv', {
    key: null,
    body: 'external_id,last_name\nH-9,No1\nH-2,No2\n',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` },
  })
  const path = `/uploads/${body.id}/missing`
  t.match(await service.manage('PUT', path, undefined, admin.token), { status: 200, body: { count: 1 } })
  t.match((await service.admin(path, admin.token)).body.items, [{ external_id: 'H-3' }])
})

await t.test('a mapping that comes too late is refused', async (t) => {
  const id = await upload('external_id,last_name\nL-1,One\n')
  t.match(await apply(id), { status: 200 })
  const columns = [
    { header: 'external_id', to: 'external_id' },
    { header: 'last_name', to: 'first_name' },
  ]
  t.match(await setMapping(id, columns), { status: 409, body: { code: 'upload_not_applicable' } })
})

await t.test('a form that gives an attribute twice says so, and so does one with an unknown country', async (t) => {
  const id = await upload('external_id,last_name\nT-1,One\n')
  const change = (form: Record<string, string>) => browse(service, `${PAGE}/${id}/mapping`, { cookie, form })
  const twice = await change({ 'to.0': 'external_id', 'to.1': 'external_id' })
  t.equal(twice.status, 422)
  t.match(twice.text, /not changed[^]*external_id/)
  const unknown = await change({ country: 'UK' })
  t.equal(unknown.status, 422)
  t.match(unknown.text, /UK.* is not the code of a country/)
  t.equal((await change({ country: 'gb' })).status, 303)
  t.match((await service.admin(`/uploads/${id}/mapping`)).body, { country: 'GB' })
})

await t.test('only who uploaded a file changes what its columns mean', async (t) => {
  const { body } = await service.manage('POST', '/users', { email: 'bo@example.com', name: 'Bo', role: 'admin' })
  const password = 'a long enough password'
  await service.manage('POST', '/invitations/accept', { token: body.invitation.token, password }, null)
  const other = await cookieOf(service, { ...company.admin, email: 'bo@example.com', password })
  const id = await upload('external_id,last_name\nO-1,One\n')
  const answer = await browse(service, `${PAGE}/${id}/mapping`, { cookie: other, form: { 'to.1': 'first_name' } })
  t.equal(answer.status, 409)
  t.match((await service.admin(`/uploads/${id}/mapping`)).body.columns[1], { header: 'last_name' })
  t.notMatch((await browse(service, `${PAGE}/${id}`, { cookie: other })).text, '/mapping"')

  const asked = await upload('Kennung,Nachname,Eintritt\nO-2,Two,01/02/2024\n')
  const shown = await browse(service, `${PAGE}/${asked}`, { cookie: other })
  t.match(shown.text, /Only the user who uploaded the file can answer the questions/)
  t.notMatch(shown.text, '/mapping"')
})

await t.test('values are offered to be left out only where that lets rows in', async (t) => {
  const offered = async (csv: string) => {
    const { text } = await browse(service, `${PAGE}/${await upload(csv)}`, { cookie })
    return text.includes('Leave out the values that cannot be read')
  }
  t.ok(await offered('external_id,last_name,start_date\nL-1,One,soon\n'))
  t.notOk(await offered('external_id,last_name,email\nL-1,One,"=cmd()"\nL-2,Two,#REF!\n'))
})

await t.test('a file that was kept back waits for a decision, and no longer than a day', async (t) => {
  const rows = ['K-1,One,2024-01-31', 'K-2,Two,soon', 'K-3,Three,2024-02-29']
  const id = await upload(['external_id,last_name,start_date', ...rows].join('\n'), '&apply=true')
  for (const part of [1, 2]) await service.admin(`/uploads/${id}/parts/${part}/preview`)
  const before = await rowOf(id)
  t.match(before, { state: 'previewed', request_id: null })
  await service.admin(`/uploads/${id}/parts/1/preview`)
  t.strictSame(await rowOf(id), before, 'looking at it prolongs nothing')
})

await t.test('the erasure of a person forgets words that name them, and the others are still applied', async (t) => {
  const people = [{ email: 'zeno@example.com', first_name: 'Zeno', last_name: 'Quill' }]
  const { employees } = (await service.call('POST', '/v1/employees', { body: people })).body
  const header = 'external_id,last_name,Approved by'
  const columns = [
    { header: 'external_id', to: 'external_id' },
    { header: 'last_name', to: 'last_name' },
    { header: 'Approved by', to: 'status', words: { 'zeno@example.com': 'active' } },
  ]
  const first = await upload(`${header}\nE-2,Two,zeno@example.com\n`)
  await setMapping(first, columns)
  await apply(first)
  const second = await upload(`${header}\nE-3,Three,\n`)
  const remembered = async () => JSON.stringify((await pool.query('select mapping from upload_mappings')).rows)
  t.match(await remembered(), 'zeno')
  t.match(await service.manage('POST', '/erasures', { employee_id: employees[0].id }), { status: 200 })
  t.notMatch(await remembered(), 'zeno')
  const { rows } = await pool.query<{ mapping: unknown; upload_id: string }>('select mapping, upload_id from uploads')
  t.notMatch(JSON.stringify(rows), 'zeno')
  t.ok(rows.some((row) => fromUuid('upl', row.upload_id) === second))
  t.match(await apply(second), { status: 200, body: { summary: { created: 1 } } })
})
