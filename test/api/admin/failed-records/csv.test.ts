import t from 'tap'
import { canonicalJson } from '../../../../src/ledger/integrity/canonical-json.ts'
import { csvRecords, csvRows } from '../../../support/http/csv-rows.ts'
import { employee, startService } from '../../../support/service.ts'

const service = await startService(t)
const { body: created } = await service.call('POST', '/v1/employees', {
  body: ['Ana', 'Bob'].map((first_name) => employee({ first_name, external_id: `X-${first_name}` })),
})
const [ana, bob] = created.employees as [{ id: string }, { id: string }]

async function refuse(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown): Promise<string> {
  const answer = await service.call(method, path, { body })
  if (answer.status < 400) throw new Error('the call was not refused')
  await service.project()
  return answer.body.log_id as string
}
const download = async (logId: string, query = '') => {
  const { body } = await service.admin(`/bulk-user-logs/${logId}/failed-records.csv${query}`)
  return body as string
}
const downloadAll = async (query = '') => {
  const { body } = await service.admin(`/bulk-user-logs/failed-records.csv${query}`)
  return body as string
}
const MESSAGES = {
  phone: 'phone needs a country code, unless the company has a country',
  gone: 'No such employee exists',
}

const sent = [
  { external_id: 'X-Ana', phone: '0151 123', custom_attributes: { grade: 7, badge: '007' } },
  { external_id: 'GONE', department: null, start_date: '2026-01-05' },
  { external_id: 'X-Bob', job_title: 'fine' },
]
const updated = await refuse('PATCH', '/v1/employees', { employees: sent })
const inserted = await refuse('PUT', '/v1/employees', [
  { email: 'new@example.com', first_name: '=1+1', shoe_size: 42 },
  -1,
])
const single = await refuse('PATCH', `/v1/employees/${bob.id}`, { phone: '+0' })

await t.test(
  'each attribute that occurs has a column, with the errors beside it, and the valid records follow',
  async (t) => {
    t.strictSame(csvRecords(await download(updated)), [
      {
        log_id: updated,
        index: '0',
        errors: MESSAGES.phone,
        external_id: 'X-Ana',
        job_title: '',
        department: '',
        phone: "'0151 123",
        start_date: '',
        'custom_attributes.badge': "'007",
        'custom_attributes.grade': '7',
      },
      {
        log_id: updated,
        index: '1',
        errors: `external_id: ${MESSAGES.gone}`,
        external_id: 'GONE',
        job_title: '',
        department: '(empty)',
        phone: '',
        start_date: "'2026-01-05",
        'custom_attributes.badge': '',
        'custom_attributes.grade': '',
      },
      {
        log_id: updated,
        index: '2',
        errors: '',
        external_id: 'X-Bob',
        job_title: 'fine',
        department: '',
        phone: '',
        start_date: '',
        'custom_attributes.badge': '',
        'custom_attributes.grade': '',
      },
    ])
  },
)

await t.test('the failed calls that the list shows are one file, newest first', async (t) => {
  const csv = await downloadAll()
  const [names] = csvRows(csv)
  t.strictSame(names, [
    ...['log_id', 'index', 'errors', 'id', 'first_name', 'email', 'external_id', 'department', 'phone', 'start_date'],
    ...['shoe_size', 'custom_attributes.badge', 'custom_attributes.grade', 'record'],
  ])
  const rows = csvRecords(csv)
  t.strictSame(
    rows.map(({ log_id: logId, index }) => [logId, index]),
    [
      [single, '0'],
      [inserted, '0'],
      [inserted, '1'],
      [updated, '0'],
      [updated, '1'],
    ],
  )
  t.match(rows[0], { id: bob.id, phone: "'+0" }, 'a single update names its employee')
  t.match(rows[1], { first_name: "'=1+1", shoe_size: '(json) 42', errors: /shoe_size: This field does not exist/ })
  t.match(rows[2], { record: '(json) -1', errors: 'A record must be an object' })
})

await t.test('the filters of the list and of an entry apply', async (t) => {
  const logs = async (query: string) => csvRecords(await downloadAll(query)).map(({ log_id: logId }) => logId)
  t.strictSame(await logs('?operation=upsert'), [inserted, inserted])
  t.strictSame(await logs('?status=Completed'), [])
  t.strictSame(await logs('?employee=GONE'), [updated, updated])
  const indexes = async (query: string) => csvRecords(await download(updated, query)).map(({ index }) => index)
  t.strictSame(await indexes('?error=employee_not_found'), ['1'])
  t.strictSame(await indexes('?q=X-Ana'), ['0'])
})

await t.test('spreadsheets recognize the file, which is named after its time and entry', async (t) => {
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  for (const [path, name] of [
    [`/${updated}/failed-records.csv`, `Z-${updated}`],
    ['/failed-records.csv', 'Z'],
  ] as const) {
    const response = await fetch(`${service.address}/admin/v1/bulk-user-logs${path}`, { headers })
    t.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    t.match(response.headers.get('content-disposition'), new RegExp(`"failed-records-[\\dT-]{15}${name}\\.csv"$`))
    t.same(Buffer.from(await response.arrayBuffer()).subarray(0, 3), Buffer.of(0xef, 0xbb, 0xbf))
  }
})

await t.test('a record that cannot be columns is one cell, and a truncated one is marked as such', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`field_${at}`, at]))
  const large = { ...employee(), job_title: 'x'.repeat(70_000) }
  const named = { 'custom_attributes.a': 2, index: 1 }
  const logId = await refuse('POST', '/v1/employees', [many, named, large])
  const rows = csvRecords(await download(logId))
  t.strictSame(
    rows.slice(0, 2).map(({ record }) => record),
    [many, named].map((record) => `(json) ${canonicalJson(record)}`),
  )
  t.match(rows[2], { index: '2', record: /^\{"first_name":/ })
})

await t.test('columns of many records together are bounded', async (t) => {
  const records = Array.from({ length: 10 }, (_, row) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field_${row}_${at}`, row])),
  )
  const logId = await refuse('POST', '/v1/employees', records)
  const csv = await download(logId)
  t.equal(csvRows(csv)[0]!.length, 'log_id, index, errors'.split(',').length + 500 + 'record'.split(',').length)
  t.strictSame(
    csvRecords(csv).map((row) => row['record'] !== ''),
    records.map((_, row) => row >= 5),
  )
})

await t.test('calls without refused records have only a header', async (t) => {
  t.strictSame(csvRows(await download(created.log_id)), [['log_id', 'index', 'errors']])
  t.strictSame(csvRows(await download(await refuse('POST', '/v1/employees', '{'))), [['log_id', 'index', 'errors']])
})

await t.test('nothing of an erased person is in the file', async (t) => {
  t.equal((await service.manage('POST', '/erasures', { employee_id: ana.id })).status, 200)
  await service.project()
  t.notMatch(await download(updated), /X-Ana|0151/)
  t.notMatch(await downloadAll(), /X-Ana|0151/)
})

await t.test('the file has nothing of another company', async (t) => {
  const other = await service.makeCompany('Other')
  t.equal(csvRows((await service.admin('/bulk-user-logs/failed-records.csv', other.admin.token)).body).length, 1)
})
