import t from 'tap'
import { issueApiKey } from '../../../src/accounts/api-keys/api-keys.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { eventually } from '../../support/eventually.ts'
import { csvRecords } from '../../support/http/csv-rows.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { employee, send, startService } from '../../support/service.ts'

/* Why records were refused, across calls. */

const service = await startService(t, {}, { workers: true })
const { company } = service
const cookie = await cookieOf(service, company.admin)
const other = await issueApiKey(
  { pool: service.pool, newId },
  { companyId: company.id, name: 'Payroll', quotaLimit: 1_000, refreshPeriod: 'monthly' },
)

const post = async (body: unknown, key = company.key) => {
  const answer = await service.call('POST', '/v1/employees', { body, key })
  await service.project()
  return answer.body.log_id as string
}
const list = async (query = '') => (await service.admin(`/refusals${query}`)).body
const causeOf = async (code: string, field: string | null) =>
  (await list()).items.find((item: { code: string; field: string }) => item.code === code && item.field === field)
const download = async (query: string) =>
  csvRecords((await service.admin(`/refusals/failed-records.csv?${query}`)).body)

const ana = employee({ first_name: 'Xanthippe', last_name: 'Okafor', external_id: 'A-1', phone: '12' })
const ben = employee({ first_name: 'Ben', last_name: 'Kim', external_id: 'B-1', phone: '13' })
const first = await post([ana, ben, employee()])
await post([ana])
await post({ employees: [employee(), { ...ana, email: 'x' }] }, other)

await t.test('refused records of all calls and keys are counted by field and code, each person once', async (t) => {
  const { items, is_more: isMore, calls } = await list()
  t.match(items, [
    {
      ...{
        code: 'invalid_format',
        field: 'phone',
        kind: null,
        records: 4,
        people: 2,
        people_estimated: false,
        keys: 2,
      },
      message: 'phone needs a country code, unless the company has a country',
      examples: [
        { name: 'Xanthippe Okafor', external_id: 'A-1', index: 1, employee_id: null },
        { name: 'Ben Kim', log_id: first, index: 1 },
      ],
    },
    {
      code: 'invalid_format',
      field: 'email',
      records: 1,
      people: 1,
      keys: 1,
      examples: [{ name: 'Xanthippe Okafor' }],
    },
  ])
  t.equal(items.length, 2)
  t.notOk(isMore)
  t.strictSame(calls, [])
  t.match((await list(`?key=${other.api_id}`)).items, [{ records: 1 }, { records: 1 }])
  t.strictSame((await list('?to=2020-01-01T00:00:00Z')).items, [])
  t.match(await list('?limit=1'), { items: [{ field: 'phone' }], is_more: true })
})

await t.test('conflicts are told apart by what collides', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee({ external_id: 'C-1' }) })
  await service.call('PATCH', `/v1/employees/${body.employees[0].id}`, { body: { status: 'inactive' } })
  await post([employee({ external_id: 'C-1' }), employee({ external_id: 'C-2' }), employee({ external_id: 'C-2' })])
  t.match(await causeOf('inactive_employee_exists', 'external_id'), { kind: 'held_by_inactive', records: 1 })
  t.match(await causeOf('duplicate_in_batch', 'external_id'), { kind: 'same_in_call', records: 2, people: 1 })
})

await t.test('what several people have in common names none of those who hold their values', async (t) => {
  const people = ['D-1', 'D-2'].map((externalId) => employee({ external_id: externalId }))
  for (const person of people) await post(person)
  await post(people.map((person) => ({ ...employee(), email: person.email })))
  await service.call('PATCH', '/v1/employees', {
    body: [...people, people[0]!].map(({ external_id }) => ({ external_id, job_title: 'Clerk' })),
  })
  await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'D-9', email: people[0]!.email }] })
  await service.project()
  const { items } = await list()
  t.match(await causeOf('already_exists', 'email'), {
    records: 2,
    message: /^Another employee has this email address;/,
  })
  t.match(
    items.filter(({ kind }: { kind: string }) => kind === 'same_employee'),
    [{ records: 2 }],
  )
  t.notMatch(JSON.stringify(items.map(({ message }: { message: string }) => message)), /emp_|Record \d/)
})

await t.test('calls that are refused as a whole are listed by their code, and their records are not', async (t) => {
  const logId = await post('{')
  t.match((await list()).calls, [{ code: 'malformed_json', calls: 1, records: 0, keys: 1, last_log_id: logId }])
})

await t.test(
  'all records of a cause are one file, which corrects them, and what is corrected is not counted',
  async (t) => {
    const query = 'code=invalid_format&field=phone'
    const rows = await download(query)
    t.match(rows, [{ external_id: 'A-1' }, { external_id: 'A-1' }, { external_id: 'B-1' }, { external_id: 'A-1' }])
    const mended = rows
      .filter(({ log_id: id, index }) => id === first && index === '1')
      .map((row) => ({ ...row, errors: '', phone: '' }))
    const csv = [Object.keys(mended[0]!), ...mended.map((row) => Object.values(row))]
      .map((cells) => cells.join(','))
      .join('\n')
    const headers = { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` }
    const { body } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=fixed.csv', {
      key: null,
      body: csv,
      headers,
    })
    const { status, body: applied } = await service.manage('POST', `/uploads/${body.id}/apply`)
    t.match(status, 200, JSON.stringify(applied))
    const isApplied = async () => (await service.admin(`/uploads/${body.id}`)).body.state === 'ended'
    await eventually('the file is applied', isApplied)
    await service.project()
    t.match(await causeOf('invalid_format', 'phone'), { records: 3, people: 1 })
    t.strictSame((await download(query)).length, 3)
    t.strictSame(await download(`${query}&kind=held`), [])
  },
)

await t.test('the page leads to the records, the entries and the file of each cause', async (t) => {
  const { status, text } = await browse(service, '/settings/bulk-user-logs/refusals', { cookie })
  t.equal(status, 200)
  t.match(text, /phone needs a country code/)
  t.match(text, /Xanthippe Okafor/)
  t.match(text, '/admin/v1/refusals/failed-records.csv?')
  t.match(text, 'href="/settings/bulk-user-logs?q=invalid_format&amp;from=')
  t.match(text, 'Body is not JSON')
  for (const query of ['?since=7d', `?key=${other.api_id}`, `?since=30d&key=${other.api_id}`])
    t.equal((await browse(service, `/settings/bulk-user-logs/refusals${query}`, { cookie })).status, 200)
  for (const query of ['?since=ever', '?key=x'])
    t.equal((await browse(service, `/settings/bulk-user-logs/refusals${query}`, { cookie })).status, 404)
})

await t.test('an erased person is neither counted nor named', async (t) => {
  t.equal((await service.manage('POST', '/erasures', { external_id: 'A-1' })).status, 200)
  await service.project()
  t.equal(await causeOf('invalid_format', 'phone'), undefined)
  const { text } = await browse(service, '/settings/bulk-user-logs/refusals', { cookie })
  t.notMatch(text, /Xanthippe|Okafor|A-1/)
  t.strictSame(await download('code=invalid_format&field=phone'), [])
})

await t.test('a parameter that means nothing is refused by its name', async (t) => {
  for (const [query, name] of [
    ['?key=x', 'key'],
    ['?from=2026-01-01', 'from'],
    ['?limit=0', 'limit'],
  ] as const)
    t.match(await service.admin(`/refusals${query}`), {
      status: 400,
      body: { code: 'invalid_query', detail: new RegExp(name) },
    })
  t.match(await service.admin('/refusals/failed-records.csv'), { status: 400, body: { detail: /code/ } })
})

await t.test('whoever was sent with a blank name is called by the address', async (t) => {
  await post([employee({ first_name: ' ', last_name: '\u00A0', email: 'blank@x.example' })])
  const { examples } = (await list()).items.find((item: { code: string }) => item.code === 'required')
  t.match(examples, [{ name: null, email: 'blank@x.example' }])
})
