import t from 'tap'
import { MAX_BODY_CHARACTERS } from '../../../src/domain/calls/rejected-body.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { deleteOldBodies, MAX_BODIES_OF_COMPANY } from '../../../src/ledger/append/failed-calls.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { rowsWith } from '../../support/postgres/rows-with.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { company } = service
const cookie = await cookieOf(service, company.admin)

const MISSING_COMMA = `{"employees": [\n  {"first_name": "Ana"}\n  {"first_name": "Bo"}\n]}`

/** Sends a body that is refused, and returns its entry. */
async function refuse(body: unknown, method: 'POST' | 'PATCH' | 'PUT' = 'POST', path = '/v1/employees') {
  const { body: answer } = await service.call(method, path, { body })
  return (await service.logOf(answer.log_id)).entry
}

async function openEntry(id: string): Promise<string> {
  const { text } = await browse(service, `/settings/bulk-user-logs/${id}`, { cookie })
  return text.slice(text.indexOf('<main'), text.indexOf('</main>'))
}

async function countBodies(): Promise<number> {
  return (await service.pool.query('select from rejected_bodies')).rows.length
}

await t.test('the entry of every call has a body that could not be read, and the place of its error', async (t) => {
  for (const method of ['POST', 'PATCH', 'PUT'] as const) {
    const { rejected_body: body } = await refuse(MISSING_COMMA, method)
    const at = MISSING_COMMA.indexOf('  {"first_name": "Bo"') + 2
    t.strictSame(body, {
      text: MISSING_COMMA,
      bytes: MISSING_COMMA.length,
      truncated: false,
      error: { at, line: 3, column: 3 },
    })
  }
  const { body: created } = await service.call('POST', '/v1/employees', { body: employee() })
  const path = `/v1/employees/${created.employees[0].id}`
  t.match(await refuse('{"phone": }', 'PATCH', path), { rejected_body: { text: '{"phone": }', error: { column: 11 } } })
  t.match(await refuse('[1]', 'PATCH', path), { rejected_body: null }, 'JSON of a single update is its record')
})

await t.test(
  'a body is not kept if its call named somebody in the query, which the ledger does not store',
  async (t) => {
    for (const method of ['POST', 'PATCH', 'PUT'] as const)
      t.match(await refuse('{"phone": }', method, '/v1/employees?email=ana@example.com'), { rejected_body: null })
  },
)

await t.test('each kind of error has its place', async (t) => {
  for (const [body, text, error] of [
    ['{"employees":[', '{"employees":[', { at: 14, line: 1, column: 15 }],
    ['first_name,email\nAna,a@example.com', 'first_name,email\nAna,a@example.com', { at: 1, line: 1, column: 2 }],
    [Buffer.of(0x5b, 0x22, 0xc3, 0xa9, 0xff, 0x22), '["é\ufffd"', { at: 3, line: 1, column: 4 }],
    [Buffer.from('\ufeff[1,]'), '[1,]', { at: 3, line: 1, column: 4 }],
    [`${'['.repeat(33)}1`, `${'['.repeat(33)}1`, { at: 32, line: 1, column: 33 }],
    ['[{"é":1,\n"é":2}]', '[{"é":1,\n"é":2}]', { at: 9, line: 2, column: 1 }],
    ['[{"__proto__":1}]', '[{"__proto__":1}]', { at: 2, line: 1, column: 3 }],
    ['[{"phone":"\\\\u0000\\u0000"}]', '[{"phone":"\\\\u0000\\u0000"}]', { at: 18, line: 1, column: 19 }],
    ['["\\ud83d\\ude00\\ud83d"]', '["\\ud83d\\ude00\\ud83d"]', { at: 14, line: 1, column: 15 }],
    ['[{"n":1e999}]', '[{"n":1e999}]', { at: 6, line: 1, column: 7 }],
    ['["é",9007199254740993]', '["é",9007199254740993]', { at: 5, line: 1, column: 6 }],
    ['"hello"', '"hello"', null],
    ['null', 'null', null],
    ['{"employees":[{}],"dry":true}', '{"employees":[{}],"dry":true}', null],
    [Buffer.from('[{"a":1}', 'utf16le'), '[{"a":1}', { at: 1, line: 1, column: 2 }],
  ] as const)
    t.match((await refuse(body)).rejected_body, { text, truncated: false, error }, text)
})

await t.test('the page marks the place of the error in the lines around it', async (t) => {
  const page = await openEntry((await refuse(MISSING_COMMA)).id)
  t.match(
    page,
    '  <mark>{</mark>&quot;first_name&quot;: &quot;Bo&quot;}</bdi>\n<strong class="fault">↑ line 3, column 3</strong>',
  )
  t.notMatch(page, '<details>', 'all of it is shown')
  const long = await openEntry((await refuse(`[${'{"a": 1},\n'.repeat(3_000)}<b>&"`)).id)
  t.match(long, '<pre>…\n<bdi>{')
  t.match(long, '<mark>&lt;</mark>b&gt;&amp;&quot;</bdi>\n<strong class="fault">↑ line 3,001, column 1</strong>')
  t.match(long, 'Show what is kept of 30,006 bytes')
  t.match(await openEntry((await refuse('[1,')).id), '[1,<mark>end of the body</mark>')
  t.match(await openEntry((await refuse('["\n"]')).id), '[&quot;<mark>U+000A</mark></bdi>')
  t.match(await openEntry((await refuse('')).id), 'it was empty, or it has been deleted')
})

await t.test('a body is kept in bounded size, with secrets masked', async (t) => {
  const { api_key: secret } = company.key
  const large = `[{"x-api-key":"${secret}"},${JSON.stringify('x'.repeat(60_000))}`
  const { rejected_body: body } = await refuse(`${large} ${secret} !`)
  t.match(body, { truncated: true, bytes: large.length + secret.length + 3 })
  t.ok(body.text.length <= MAX_BODY_CHARACTERS)
  t.strictSame(await rowsWith(service.urls.superUrl, [secret.slice(-49)]), [])
})

await t.test(
  'nothing is kept of a call that is well-formed, only validates, names anybody in its query, or has no valid key',
  async (t) => {
    const before = await countBodies()
    await service.call('POST', '/v1/employees', { body: employee() })
    await service.call('POST', '/v1/employees', { body: [{ phone: 7 }] })
    await service.call('POST', '/v1/employees', { body: [] })
    await service.call('POST', '/v1/employees?validate_only=true', { body: '[' })
    // A parameter could name a person whom nobody would find in the body.
    await service.call('POST', '/v1/employees?all_or_none=ana@example.com', { body: '[' })
    const wrong = { api_id: company.key.api_id, api_key: company.key.api_key.slice(0, -1) }
    t.equal((await service.call('POST', '/v1/employees', { body: '[', key: wrong })).status, 401)
    t.equal(await countBodies(), before)
    await service.call('POST', '/v1/employees?all_or_none=false', { body: '[' })
    t.equal(await countBodies(), before + 1)
  },
)

await t.test('another company does not see the body', async (t) => {
  const { id } = await refuse(MISSING_COMMA)
  const other = await service.makeCompany('Other')
  const { status } = await service.admin(`/bulk-user-logs/${id}`, other.admin.token)
  t.equal(status, 404)
})

await t.test('only the newest bodies of a company are kept', async (t) => {
  const other = await service.makeCompany('Flooding')
  await service.pool.query(
    `insert into rejected_bodies (company_id, position, recorded_at, body, sent_bytes, truncated)
     select $1, -n, statement_timestamp(), '[', 1, false from generate_series(1, $2) n`,
    [toUuid(other.id), MAX_BODIES_OF_COMPANY],
  )
  const before = await countBodies()
  const { body } = await service.call('POST', '/v1/employees', { body: '[2', key: other.key })
  t.equal(await countBodies(), before)
  await service.project(other.id)
  const { body: entry } = await service.admin(`/bulk-user-logs/${body.log_id}`, other.admin.token)
  t.match(entry, { rejected_body: { text: '[2' } })
  const { rows } = await service.pool.query(
    'select min(position) as oldest from rejected_bodies where company_id = $1',
    [toUuid(other.id)],
  )
  t.equal(rows[0].oldest, 1 - MAX_BODIES_OF_COMPANY)
})

await t.test('an erasure deletes the bodies that name the person, in any notation, and no others', async (t) => {
  const names = { email: 'zoe.quux@example.com', external_id: 'HR-77"x' }
  const { body: created } = await service.call('POST', '/v1/employees', { body: employee(names) })
  const { id } = created.employees[0]
  const naming = [
    `{"email": "Zoe.Quux@Example.com",`,
    String.raw`{"email": "zoe\u002equux\u0040example.com",`,
    String.raw`{"external_id": "HR-77\"x",`,
    `${id.toUpperCase()};`,
    `{'id': '${id}'}`,
  ]
  const erased = await Promise.all(naming.map((body) => refuse(body)))
  const others = await Promise.all(
    ['[not.zoe.quux@example.com.au', '{"external_id": "HR-77",'].map((body) => refuse(body)),
  )
  t.ok(erased.every(({ rejected_body: body }) => body !== null))
  t.match(await browse(service, `/settings/employees/${id}/erase`, { cookie }), { text: /and 5 unreadable requests/ })
  t.match(await service.manage('POST', '/erasures', { employee_id: id }), { status: 200 })
  for (const { id: logId } of erased) t.match((await service.logOf(logId)).entry, { rejected_body: null })
  for (const { id: logId } of others) t.match((await service.logOf(logId)).entry, { rejected_body: { error: {} } })
  t.match(await openEntry(erased[0]!.id), 'it was empty, or it has been deleted')
})

await t.test('a person who appears only in bodies can be erased', async (t) => {
  const { id } = await refuse('[{"email": "only.there@example.com"')
  const erasure = await service.manage('POST', '/erasures', { email: 'only.there@example.com' })
  t.match(erasure, { status: 200, body: { employee_id: null } })
  t.match((await service.logOf(id)).entry, { rejected_body: null })
  t.equal((await service.manage('POST', '/erasures', { email: 'only.there@example.com' })).status, 404)
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('bodies are deleted with the records of their age', async (t) => {
  const { id } = await refuse('[kept')
  const listOld = async () => (await service.pool.query("select from rejected_bodies where body = '[old'")).rows.length
  await service.pool.query(
    `insert into rejected_bodies (company_id, position, recorded_at, body, sent_bytes, truncated)
     select $1, -n, statement_timestamp() - interval '8 days', '[old', 4, false from generate_series(1, 1500) n`,
    [toUuid(company.id)],
  )
  t.equal(await deleteOldBodies(service.pool, 0), 0, '0 keeps them for ever')
  t.equal(await deleteOldBodies(service.pool, 9), 0)
  const [one, other] = await Promise.all([deleteOldBodies(service.pool, 7), deleteOldBodies(service.pool, 7)])
  t.equal(one + other, 1500, 'two processes delete each body once')
  t.equal(await listOld(), 0)
  t.match((await service.logOf(id)).entry, { rejected_body: { text: '[kept' } })
})
