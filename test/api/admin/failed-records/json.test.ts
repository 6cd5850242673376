import t from 'tap'
import { csvRecords } from '../../../support/http/csv-rows.ts'
import { employee, startService } from '../../../support/service.ts'

const service = await startService(t)
const people = ['Ana', 'Bob', 'Cem'].map((first_name) =>
  employee({ first_name, email: `${first_name}@acme.example`, external_id: `X-${first_name}` }),
)
const { body: created } = await service.call('POST', '/v1/employees', { body: people })
const [ana, bob] = created.employees as [{ id: string }, { id: string }]

async function refuse(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<string> {
  const answer = await service.call(method, path, { body })
  if (answer.status < 400) throw new Error('the call was not refused')
  await service.project()
  return answer.body.log_id as string
}
const failed = (logId: string, query = '') => service.admin(`/bulk-user-logs/${logId}/failed-records.json${query}`)
const indexes = async (logId: string, query: string) => {
  const { body } = await service.admin(`/bulk-user-logs/${logId}/records?${query}`)
  return body.items.map(({ index }: { index: number }) => index)
}

const sent = [
  { external_id: 'X-Ana', phone: '12' },
  { external_id: 'GONE', department: 'Sales' },
  { external_id: 'X-Bob', job_title: 'fine' },
  { external_id: 'X-Cem', phone: '0', shoe_size: 42, custom_attributes: { 'a/b~c': [] } },
  { job_title: 'nobody' },
]
const patched = await refuse('PATCH', '/v1/employees', { employees: sent })

await t.test('the refused records are the body of a new call, which succeeds once they are corrected', async (t) => {
  const { status, headers, body } = await failed(patched, '?error=invalid_format')
  t.equal(status, 200)
  t.match(headers['content-type'], /^application\/json/)
  t.match(
    headers['content-disposition'],
    new RegExp(`^attachment; filename="failed-records-\\d{4}-\\d\\d-\\d\\dT\\d{4}Z-${patched}\\.json"$`),
  )
  t.strictSame(body, { employees: [sent[0], sent[3]] })
  const corrected = body.employees.map(({ external_id }: { external_id: string }) => ({
    external_id,
    phone: '+351910000000',
  }))
  t.match(await service.call('PATCH', '/v1/employees', { body: { employees: corrected } }), {
    status: 200,
    body: { counts: { updated: 2 } },
  })
})

await t.test(
  'an export without a filter has all refused records in the order of the call, and then the valid ones',
  async (t) => {
    t.strictSame((await failed(patched)).body, { employees: [sent[0], sent[1], sent[3], sent[4], sent[2]] })
    t.strictSame((await failed(patched, '?q=GONE')).body, { employees: [sent[1]] })
  },
)

await t.test('records are found by an error anywhere or at one place in the record', async (t) => {
  const found = {
    'error=invalid_format': [0, 3],
    'error=invalid_format:/phone': [0, 3],
    'error=invalid_format:/email': [],
    'error=invalid_format:': [],
    'error=employee_not_found:/external_id': [1],
    'error=unknown_field:/shoe_size': [3],
    'error=invalid_type:/custom_attributes/a~1b~0c': [3],
    'error=missing_locator:': [4],
    'error=missing_locator:&q=GONE': [],
    'error=no_such_code': [],
  }
  for (const [query, expected] of Object.entries(found)) t.strictSame(await indexes(patched, query), expected, query)
  const rows = csvRecords(
    (await service.admin(`/bulk-user-logs/${patched}/records.csv?error=employee_not_found:/external_id`)).body,
  )
  t.match(rows, [{ index: '1', name: '', email: '', external_id: 'GONE' }])
})

await t.test('a place is the same in a bare array, in an object and in a single record', async (t) => {
  const bad = employee({ phone: '12' })
  for (const body of [[bad], { employees: [bad] }, bad]) {
    const logId = await refuse('POST', '/v1/employees', body)
    t.strictSame(await indexes(logId, 'error=invalid_format:/phone'), [0])
    t.strictSame((await failed(logId)).body, { employees: [bad] })
  }
})

await t.test('the record of a single update gets the id of its path', async (t) => {
  const logId = await refuse('PATCH', `/v1/employees/${bob.id}`, { phone: '12' })
  t.strictSame((await failed(logId)).body, { employees: [{ phone: '12', id: bob.id }] })
  t.strictSame(await indexes(logId, 'error=invalid_format:/phone'), [0])
})

await t.test('calls without refused records have an empty list', async (t) => {
  t.strictSame((await failed(created.log_id)).body, { employees: [] })
  t.strictSame((await failed(await refuse('POST', '/v1/employees', '{'))).body, { employees: [] })
})

await t.test('records that were too large to keep are left out', async (t) => {
  const small = employee({ phone: '1' })
  const logId = await refuse('POST', '/v1/employees', [employee({ job_title: 'x'.repeat(70_000) }), small])
  t.strictSame((await failed(logId)).body, { employees: [small] })
})

await t.test('nothing of an erased person comes back', async (t) => {
  const logId = await refuse('PATCH', '/v1/employees', [
    { external_id: 'X-Ana', phone: 'secret' },
    { external_id: 'X-Bob', phone: '12' },
  ])
  t.equal((await service.manage('POST', '/erasures', { employee_id: ana.id })).status, 200)
  const kept = { employees: [{ external_id: 'X-Bob', phone: '12' }] }
  t.strictSame((await failed(logId)).body, kept, 'before the read models know')
  await service.project()
  t.strictSame((await failed(logId)).body, kept)
  t.strictSame(await indexes(logId, 'error=invalid_format'), [1])
  for (const log of [logId, created.log_id, patched]) {
    const { body: csv } = await service.admin(`/bulk-user-logs/${log}/records.csv`)
    t.notMatch(csv, /Ana|secret/)
  }
})

await t.test('a bad parameter is a 400 that names it', async (t) => {
  for (const query of ['error=', 'error=Bad', 'error=a:b', 'error=a:/%00', 'status=Failed', 'limit=1', 'q='])
    t.match(await failed(patched, `?${query}`), { status: 400, body: { code: 'invalid_query' } }, query)
})
