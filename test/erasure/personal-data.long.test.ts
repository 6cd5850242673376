import t from 'tap'
import type { WebhookType } from '../../src/domain/webhook-types.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { itemsOf, report } from '../support/personal-data.ts'
import { employee, send, startService } from '../support/service.ts'
import { makeWebhook } from '../support/stored-webhooks.ts'
import { storeDelivery } from '../support/http/stored-deliveries.ts'

const service = await startService(t)
const { company } = service
const cookie = await cookieOf(service, company.admin)

async function makeEmployee(more: Record<string, unknown> = {}) {
  const { body } = await service.call('POST', '/v1/employees', { body: employee(more) })
  return body.employees[0].id as string
}

/** What the ledger says about the last report. */
async function lastReport() {
  const [, ...rest] = [(await service.audit('/events?type=PersonalDataReported')).body.at(-1)].flatMap((event) => [
    event,
    event.actor,
    event.data,
  ])
  return rest
}

await t.test('a report of an employee shows values, history, refused records, calls and messages', async (t) => {
  const webhook = await makeWebhook(service, undefined, { url: 'https://told.example/hook', include_data: true })
  const id = await makeEmployee({ email: 'old@person.example', external_id: 'P-1', job_title: 'Clerk' })
  await service.call('PATCH', `/v1/employees/${id}`, { body: { email: 'new@person.example', job_title: 'Head' } })
  await service.call('PATCH', '/v1/employees', { body: [{ id, job_title: 'Head' }] })
  await service.call('POST', '/v1/employees', { body: employee({ manager_email: 'OLD@person.example', phone: 'x' }) })
  const managed = await makeEmployee({ manager_email: 'new@person.example' })
  const moved = await makeEmployee()
  await service.call('PATCH', `/v1/employees/${moved}`, { body: { manager_id: id } })
  const position = itemsOf(await report(service, { employee_id: id }), 'history').at(-1)!['position'] as number
  await storeDelivery(service.pool, company.id, webhook.id, { position, answer: 'thanks' })

  const made = await report(service, { email: 'New@person.example' })
  t.match(made.facts, { employee_id: id, standing: 'employee', company: 'Acme', reported_by: company.admin.user_id })
  t.strictSame(made.facts['emails'], ['new@person.example', 'old@person.example'])
  t.match(itemsOf(made, 'employee'), [{ id, email: 'new@person.example', job_title: 'Head' }])
  t.match(itemsOf(made, 'history'), [
    { type: 'EmployeeCreated', data: { attributes: { email: 'old@person.example' } } },
    { type: 'EmployeeUpdated', data: { changes: { job_title: { from: 'Clerk', to: 'Head' } } } },
  ])
  t.match(itemsOf(made, 'refused_records'), [{ data: { record: { manager_email: 'OLD@person.example' } } }])
  t.strictSame(
    itemsOf(made, 'calls').map(({ outcome, named_in: namedIn }) => [outcome, namedIn]),
    [
      ['completed', 'a change'],
      ['completed', 'a change'],
      ['failed: validation_failed', 'a refused record'],
      ['completed', 'a record that changed nothing'],
    ],
  )
  t.match(itemsOf(made, 'mentions'), [{ employee_id: managed }, { employee_id: moved }])
  t.match(itemsOf(made, 'webhook_messages'), [
    { webhook_id: webhook.id, url: 'https://told.example/hook', has_values: true, position, answer: 'thanks' },
  ])
  t.match(itemsOf(made, 'webhooks'), [{ url: 'https://told.example/hook', has_values: true, events: 2, until: null }])
  t.strictSame(await lastReport(), [company.admin.user_id, { subject_id: id }])
})

await t.test('a report lists each webhook that may have sent events of the person, and until when', async (t) => {
  const id = await makeEmployee({ job_title: 'Clerk' })
  const promote = (title: string) => service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: title } })
  await promote('Head')
  const [first, second] = itemsOf(await report(service, { employee_id: id }), 'history').map(
    ({ position }) => position as number,
  )
  const make = async (name: string, types?: WebhookType[]) => {
    const url = `https://${name}.example/hook`
    const webhook = await makeWebhook(service, undefined, { url, ...(types ? { types } : {}) })
    const act = async (method: 'POST' | 'PATCH' | 'DELETE', action: string, body?: object) => {
      const { status } = await service.manage(method, `/webhooks/${webhook.id}${action}`, body)
      if (status >= 300) throw new Error(`${action}: ${status}`)
    }
    const recipients = async () => {
      const items = itemsOf(await report(service, { employee_id: id }), 'webhooks').filter(
        (item) => item['url'] === url,
      )
      return items.map(({ events, until }) => [events, until === null ? 'now' : 'its end'])
    }
    return { act, recipients }
  }
  const replayed = await make('replayed')
  t.strictSame(await replayed.recipients(), [], 'it was made after the events')
  await replayed.act('POST', '/resume', { after: second! })
  t.strictSame(await replayed.recipients(), [], 'it goes on after the events')
  await replayed.act('POST', '/resume', { after: first! })
  t.strictSame(await replayed.recipients(), [[1, 'now']], 'it sends the second one again')
  await replayed.act('POST', '/resume', { after: first! - 1 })
  await replayed.act('POST', '/resume', { after: second! })
  t.strictSame(await replayed.recipients(), [[2, 'now']], 'it may have sent both before it went on later')
  const other = await make('other', ['api_call.completed'])
  await promote('Director')
  await replayed.act('DELETE', '')
  await promote('Clerk')
  t.strictSame(await replayed.recipients(), [[3, 'its end']], 'and nothing after it was removed')
  await other.act('PATCH', '', { types: ['employee.updated'] })
  await promote('Head')
  await other.act('PATCH', '', { types: ['api_call.completed'] })
  await promote('Director')
  t.strictSame(await other.recipients(), [[1, 'its end']], 'only while its settings had the type')
})

await t.test(
  'a report lists the bodies that could not be read and name the person, and an erasure deletes them',
  async (t) => {
    const id = await makeEmployee({ email: 'in.body@person.example' })
    await service.call('POST', '/v1/employees', { body: '[{"email": "In.Body@person.example"' })
    await service.call('POST', '/v1/employees', { body: '[{"email": "only.body@person.example"' })
    const made = await report(service, { employee_id: id })
    t.match(itemsOf(made, 'rejected_bodies'), [{ body: '[{"email": "In.Body@person.example"' }])
    t.equal(itemsOf(made, 'rejected_bodies').length, 1)
    const other = await report(service, { email: 'only.body@person.example' })
    t.match([other.facts['employee_id'], itemsOf(other, 'rejected_bodies').length], [null, 1])
    await service.manage('POST', '/erasures', { employee_id: id })
    t.strictSame(itemsOf(await report(service, { employee_id: id }), 'rejected_bodies'), [])
    const only = { email: 'only.body@person.example' }
    t.equal((await service.manage('POST', '/erasures', only)).status, 200, 'also of a person who is nowhere else')
    t.equal((await service.manage('POST', '/personal-data-reports', only)).status, 404)
  },
)

await t.test('a body that could not be read belongs to whom its call addressed, whatever it contains', async (t) => {
  const unreadable = '{"last_name": "Zyxwright", "phone": "+34907070707"'
  const names = { email: 'path@person.example', external_id: 'P/path é' }
  for (const by of ['employee_id', 'email', 'external_id'] as const) {
    const id = await makeEmployee(names)
    const sent = { employee_id: id, ...names }[by]
    for (const path of [id, id.toUpperCase(), names.email, names.external_id])
      await service.call('PATCH', `/v1/employees/${encodeURIComponent(path)}`, { body: unreadable })
    await service.call('PATCH', `/v1/employees/${await makeEmployee()}`, { body: '{"last_name": "Neighbor"' })
    const stored = async () =>
      (await service.pool.query("select from rejected_bodies where body ~ 'Zyxwright'")).rowCount
    t.equal(await stored(), 4)
    const listed = itemsOf(await report(service, { [by]: sent }), 'rejected_bodies')
    t.strictSame(
      listed.map(({ body }) => body),
      Array.from({ length: 4 }, () => unreadable),
      `a report by ${by} lists them, and no others`,
    )
    const { entry } = await service.logOf(listed[0]!['log_id'] as string)
    t.match(entry.rejected_body, { text: unreadable }, 'each leads to its call')
    t.equal((await service.manage('POST', '/erasures', { [by]: sent })).status, 200)
    t.equal(await stored(), 0, `an erasure by ${by} deletes them`)
  }
  const left = await service.pool.query<{ body: string }>("select body from rejected_bodies where body ~ 'Neighbor'")
  t.equal(left.rows.length, 3, 'those of others stay')
})

await t.test('a report lists the rows of stored files that name the person, and an erasure deletes them', async (t) => {
  const csv = 'external_id,email\nS-1,stored@person.example\nS-2,other@person.example\n'
  const made = await send(service.address, 'POST', '/admin/v1/uploads?file_name=a.csv', {
    key: null,
    body: csv,
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
  t.equal(made.status, 201)
  const listed = itemsOf(await report(service, { email: 'stored@person.example' }), 'stored_files')
  t.match(listed, [{ upload_id: made.body.id, row: 1, content: ['S-1', 'stored@person.example'] }])
  t.equal(listed.length, 1)
  t.equal((await service.manage('POST', '/erasures', { email: 'stored@person.example' })).status, 200)
  const gone = await service.manage('POST', '/personal-data-reports', { email: 'stored@person.example' })
  t.equal(gone.status, 404)
  const { body: upload } = await service.admin(`/uploads/${made.body.id}`)
  t.match(upload.parts, [{ rows: 2, erased: 1 }])
  t.match(itemsOf(await report(service, { user_id: company.admin.user_id }), 'uploads'), [{ file_name: 'a.csv' }])
})

await t.test('a report lists files whose name or first line is the person, and an erasure deletes these', async (t) => {
  const upload = async (name: string, body: string) => {
    const made = await send(service.address, 'POST', `/admin/v1/uploads?file_name=${encodeURIComponent(name)}`, {
      key: null,
      body,
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
    })
    return made.body.id as string
  }
  const line = ['S-8', 'Zyx', 'line@person.example']
  const columns = ['external_id', 'column@person.example']
  const [named, headless, headed, other] = [
    await upload('of file@person.example.csv', 'email\nx@example.com\n'),
    await upload('no header.csv', `${line.join(',')}\nS-9,Bo,bo@person.example\n`),
    await upload('by person.csv', `${columns.join(',')}\nS-7,1\n`),
    await upload('other.csv', 'external_id,first_name,last_name,email\nS-9,Bo,B,bo@person.example\n'),
  ]
  t.strictSame(itemsOf(await report(service, { email: 'file@person.example' }), 'stored_files'), [
    { upload_id: named, file_name: 'of file@person.example.csv', row: null, content: null },
  ])
  t.match(itemsOf(await report(service, { external_id: 'S-8' }), 'stored_files'), [
    { upload_id: headless, row: 1, content: line },
  ])
  t.match(itemsOf(await report(service, { email: 'column@person.example' }), 'stored_files'), [
    { upload_id: headed, row: null, content: columns },
    { upload_id: headed, row: 1 },
  ])
  for (const person of [{ email: 'file@person.example' }, { external_id: 'S-8' }, { email: 'column@person.example' }]) {
    t.equal((await service.manage('POST', '/erasures', person)).status, 200)
    t.equal((await service.manage('POST', '/erasures', person)).status, 404, 'nothing is left of them')
  }
  const { rows } = await service.pool.query('select file_name, header from uploads order by created_at desc limit 4')
  t.strictSame(rows, [
    { file_name: 'other.csv', header: ['external_id', 'first_name', 'last_name', 'email'] },
    { file_name: 'by person.csv', header: [] },
    { file_name: 'no header.csv', header: ['Column 1', 'Column 2', 'Column 3'] },
    { file_name: 'unnamed', header: ['email'] },
  ])
  // Of the file without its first line, nothing can be applied; the others are as they were.
  for (const [id, state] of [
    [headed, 'canceled'],
    [other, 'applied'],
  ] as const) {
    t.equal((await service.admin(`/uploads/${id}/parts/1/preview`)).status, 200)
    t.match(await service.manage('POST', `/uploads/${id}/apply`), { status: 200, body: { parts: [{ state }] } })
  }
})

await t.test('after an erasure, the report says what stays, and that the person was erased', async (t) => {
  const id = await makeEmployee({ email: 'gone@person.example' })
  await service.manage('POST', '/erasures', { employee_id: id })
  const left = await report(service, { employee_id: id })
  t.match(left.facts, { employee_id: id, standing: 'erased', emails: [] })
  t.match(itemsOf(left, 'history'), [{ type: 'EmployeeCreated', data: null }])
  t.match(itemsOf(left, 'erasures'), [{ type: 'EmployeeErased', actor: company.admin.user_id }])
  t.equal(itemsOf(left, 'calls').length, 1)
  t.strictSame(itemsOf(left, 'employee', 'directory', 'refused_records'), [])
})

await t.test('a person who was never created is reported by what refused records say', async (t) => {
  await service.call('POST', '/v1/employees', { body: employee({ email: 'never@person.example', phone: 'x' }) })
  const made = await report(service, { email: 'never@person.example' })
  t.match(made.facts, { employee_id: null, standing: 'only in refused records' })
  t.equal(itemsOf(made, 'refused_records').length, 1)
  t.strictSame(await lastReport(), [company.admin.user_id, { subject_id: null }])
})

await t.test('a report is refused as an erasure is, and a refused one is not recorded', async (t) => {
  const id = await makeEmployee({ email: 'former@person.example' })
  await service.call('PATCH', `/v1/employees/${id}`, { body: { email: 'current@person.example' } })
  const before = await lastReport()
  const refused: [Record<string, string>, number, string][] = [
    [{}, 422, 'validation_failed'],
    [{ employee_id: id, email: 'current@person.example' }, 422, 'validation_failed'],
    [{ employee_id: id, user_id: company.admin.user_id }, 422, 'validation_failed'],
    [{ employee_id: id, format: 'pdf' }, 422, 'validation_failed'],
    [{ employee_id: 'emp_01h455vb4pex5vsknk084sn02q' }, 404, 'employee_not_found'],
    [{ email: 'nobody@person.example' }, 404, 'employee_not_found'],
    [{ email: 'former@person.example' }, 409, 'former_name'],
    [{ user_id: 'usr_01h455vb4pex5vsknk084sn02q' }, 404, 'user_not_found'],
    [{ user_id: 'x' }, 404, 'user_not_found'],
  ]
  for (const [body, status, code] of refused)
    t.match(await service.manage('POST', '/personal-data-reports', body), { status, body: { code } })
  t.strictSame(await lastReport(), before)
})

await t.test('a page of a report loads nothing, and shows values as text', async (t) => {
  const id = await makeEmployee({ email: 'page@person.example', last_name: '<img src=x onerror=alert(1)>' })
  const asked = await service.manage('POST', '/personal-data-reports', { employee_id: id, format: 'html' })
  t.equal(asked.status, 200)
  t.match(asked.headers['content-type'], 'text/html')
  t.match(
    asked.headers['content-disposition'],
    new RegExp(`^attachment; filename="personal-data-${id}-[\\dTZ-]+\\.html"$`),
  )
  t.equal(asked.headers['x-ledger-position'], String((await service.audit('/events')).body.at(-1).position))
  const page = asked.body as string
  t.match(page, 'page@person.example')
  t.match(page, '&lt;img src=x onerror=alert(1)&gt;')
  t.notMatch(page, /<(?:script|link|img|iframe|object|form)\b|\b(?:src|href)="(?!#)/i)
  t.match(page, 'content-security-policy" content="default-src &#39;none&#39;')
  t.ok(page.trimEnd().endsWith('</html>'))
})

await t.test('administrators download reports from the pages of employees and users', async (t) => {
  const id = await makeEmployee({ email: 'from-page@person.example' })
  const path = '/settings/employees/personal-data'
  t.match((await browse(service, `/settings/employees/${id}`, { cookie })).text, `${path}?employee_id=${id}`)
  t.match((await browse(service, `${path}?employee_id=${id}`, { cookie })).text, `value="${id}"`)
  const json = await browse(service, path, { cookie, form: { email: 'from-page@person.example', format: 'json' } })
  t.match(JSON.parse(json.text), { facts: { employee_id: id } })
  const unknown = await browse(service, path, { cookie, form: { email: 'nobody@person.example', format: 'html' } })
  t.match(unknown, { status: 404, text: /No employee has this identifier/ })
  t.match(unknown.text, 'value="nobody@person.example"')
  const ofUser = `/settings/users/${company.member.user_id}/personal-data`
  const page = await browse(service, ofUser, { cookie, form: { format: 'html' } })
  t.match(page, { status: 200, text: /member@example\.com/ })
})

await t.test('users of every role download what is held about them, and about nobody else', async (t) => {
  const member = await cookieOf(service, company.member)
  t.match((await browse(service, '/account', { cookie: member })).text, 'action="/account/personal-data"')
  const { text } = await browse(service, '/account/personal-data', { cookie: member, form: { format: 'json' } })
  const own = JSON.parse(text)
  t.match(own.facts, { user_id: company.member.user_id, standing: 'user', reported_by: company.member.user_id })
  t.match(own.sections.account.items, [{ email: 'member@example.com', role: 'member' }])
  t.equal(own.sections.sessions.items.length, 1)
  t.strictSame(await lastReport(), [company.member.user_id, { subject_id: company.member.user_id }])
  for (const path of [`/settings/users/${company.admin.user_id}/personal-data`, '/settings/employees/personal-data'])
    t.equal((await browse(service, path, { cookie: member, form: { format: 'json' } })).status, 403)
})

await t.test('every table with something of a user is described in src/personal-data/user-places.ts', async (t) => {
  const { rows } = await service.pool.query<{ name: string }>(
    `select distinct table_name as name from information_schema.columns
     where table_schema = 'public' and column_name in ('user_id', 'actor_id', 'actor', 'address', 'user_agent')`,
  )
  // The events of a user are described beside the tables.
  const described = [
    'actor_clients',
    'attention_snoozes',
    'emails',
    'events',
    'failed_sign_ins',
    'last_sign_ins',
    'passkeys',
  ]
  const more = ['recovery_codes', 'session_events', 'sessions', 'user_tokens', 'users']
  const ofFiles = ['upload_originals', 'upload_parts', 'uploads']
  // The addresses of whoever has a former secret of a key, who is no user that the service knows.
  const ofOthers = ['turned_away_calls']
  t.strictSame(new Set(rows.map(({ name }) => name)), new Set([...described, ...more, ...ofFiles, ...ofOthers]))
})
