import t from 'tap'
import { issueApiKey } from '../../../../src/accounts/api-keys/api-keys.ts'
import { newId } from '../../../../src/ledger/new-id.ts'
import { toUuid } from '../../../../src/domain/ids.ts'
import { browse, cookieOf } from '../../../support/http/sessions.ts'
import { employee, startService } from '../../../support/service.ts'
import { ENTRIES } from '../../../support/postgres/projection-tables.ts'

const service = await startService(t)
const second = await issueApiKey(
  { pool: service.pool, newId },
  { companyId: service.company.id, name: 'Import', quotaLimit: 1000, refreshPeriod: 'monthly' },
)

const calls = new Map<string, { id: string; requestedAt: string; requestId: string }>()

async function call(name: string, method: 'POST' | 'PATCH', path: string, body: unknown, key = service.company.key) {
  const answer = await service.call(method, path, { body, key })
  await service.project()
  const { body: entry } = await service.admin(`/bulk-user-logs/${answer.body.log_id}`)
  calls.set(name, { id: entry.id, requestedAt: entry.requested_at, requestId: entry.request_id })
  return answer.body
}

const ana = employee({ first_name: 'Ana', last_name: 'Ångström', email: 'ana@acme.example', external_id: 'HR-1' })
const bob = employee({
  first_name: 'Bob',
  last_name: 'Pérez',
  email: 'bob@acme.example',
  external_id: 'HR-2',
  employee_number: '77',
})
const made = await call('both created', 'POST', '/v1/employees', [ana, bob])
const [anaId, bobId] = made.employees.map(({ id }: { id: string }) => id) as [string, string]
await call('ana updated', 'PATCH', `/v1/employees/${anaId}`, { job_title: 'Dev' })
await call('bob left', 'PATCH', '/v1/employees', [{ external_id: 'HR-2', status: 'inactive' }], second)
await call('bob unchanged', 'PATCH', '/v1/employees', [{ email: 'bob@acme.example', status: 'inactive' }])
await call('nobody refused', 'PATCH', '/v1/employees', [
  { email: 'Nobody@Gone.example', phone: 'x' },
  { external_id: 'HR-1', job_title: 'Lead' },
])
await call(
  'creation refused',
  'POST',
  '/v1/employees',
  employee({ email: 'ghost@gone.example', external_id: 'G-9', phone: '12' }),
  second,
)
await call('ana refused', 'PATCH', `/v1/employees/${anaId}`, { phone: '12' })
const unknownId = 'emp_01h455vb4pex5vsknk084sn02q'
await call('unknown refused', 'PATCH', `/v1/employees/${unknownId}`, { job_title: 'x' })
const newestFirst = [...calls.keys()].toReversed()

/** The names of the calls that a query finds, page by page. */
async function found(
  query: Record<string, string>,
  limit = 2,
  between = async (): Promise<unknown> => undefined,
): Promise<string[]> {
  const names: string[] = []
  const nameOf = new Map([...calls].map(([name, { id }]) => [id, name]))
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Record<string, string> = cursor === '' ? {} : { cursor }
    const search = new URLSearchParams({ ...query, limit: String(limit), ...page })
    const { status, body } = await service.admin(`/bulk-user-logs?${search.toString()}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    names.push(...body.items.map(({ id }: { id: string }) => nameOf.get(id) ?? id))
    cursor = body.next_cursor
    await between()
  }
  return names
}

const all = (...names: string[]) => newestFirst.filter((name) => names.includes(name))

await t.test('status, operation and key each find their entries, newest first', async (t) => {
  t.strictSame(await found({}), newestFirst)
  t.strictSame(await found({ status: 'Completed' }), all('both created', 'ana updated', 'bob left', 'bob unchanged'))
  t.strictSame(
    await found({ status: 'Failed' }, 1),
    all('nobody refused', 'creation refused', 'ana refused', 'unknown refused'),
  )
  t.strictSame(await found({ operation: 'create' }), all('both created', 'creation refused'))
  t.strictSame(await found({ operation: 'update_one' }), all('ana updated', 'ana refused', 'unknown refused'))
  t.strictSame(await found({ operation: 'update_many' }), all('bob left', 'bob unchanged', 'nobody refused'))
  t.strictSame(await found({ key: second.api_id }), all('bob left', 'creation refused'))
  t.strictSame(await found({ key: 'key_01h455vb4pex5vsknk084sn02q' }), [], 'an unknown key')
})

await t.test('employee finds one person by id, e-mail in any case, or exact external id', async (t) => {
  const ofAna = all('both created', 'ana updated', 'ana refused')
  t.strictSame(await found({ employee: anaId }), ofAna)
  t.strictSame(await found({ employee: 'ANA@acme.example' }), ofAna)
  t.strictSame(await found({ employee: 'HR-1' }), ofAna)
  t.strictSame(await found({ employee: 'hr-1' }), [])
  t.strictSame(await found({ employee: 'Ana' }), [], 'a name is for q')
  t.strictSame(await found({ employee: bobId }), all('both created', 'bob left', 'bob unchanged'))
})

await t.test('q finds part of a name, e-mail, external id or number in any case, or a whole id', async (t) => {
  const ofBob = all('both created', 'bob left', 'bob unchanged')
  for (const q of ['PÉREZ', 'bob', 'b@acme', 'hr-2', '77', bobId]) t.strictSame(await found({ q }), ofBob, q)
  const both = all('both created', 'ana updated', 'bob left', 'bob unchanged', 'ana refused')
  for (const limit of [1, 2, 3, 50]) t.strictSame(await found({ q: 'acme.example' }, limit), both, `pages of ${limit}`)
  t.strictSame(await found({ q: '%' }), [], 'no character of q is a wildcard')
})

await t.test('both filters find refused records by exact values', async (t) => {
  for (const filter of ['employee', 'q']) {
    t.strictSame(await found({ [filter]: 'NOBODY@gone.example' }), ['nobody refused'])
    t.strictSame(await found({ [filter]: 'ghost@gone.example' }), ['creation refused'])
    t.strictSame(await found({ [filter]: 'G-9' }), ['creation refused'])
    t.strictSame(await found({ [filter]: unknownId }), ['unknown refused'])
    t.strictSame(await found({ [filter]: 'gone.example' }), [], 'no part of it')
  }
})

await t.test('q finds an entry by its id and request id, and entries by key and error code', async (t) => {
  const { id, requestId } = calls.get('ana updated')!
  for (const limit of [1, 50]) {
    t.strictSame(await found({ q: id }, limit), ['ana updated'])
    t.strictSame(await found({ q: requestId }, limit), ['ana updated'])
    t.strictSame(await found({ q: second.api_id }, limit), all('bob left', 'creation refused'))
    t.strictSame(await found({ q: 'iMPORT' }, limit), all('bob left', 'creation refused'))
    t.strictSame(await found({ q: 'employee_not_found' }, limit), all('unknown refused', 'nobody refused'))
  }
  t.strictSame(await found({ q: 'Import', status: 'Failed' }), ['creation refused'])
  t.strictSame(await found({ q: 'Import', employee: bobId }), ['bob left'], 'beside a person')
  t.strictSame(await found({ q: 'Impor' }), [], 'no part of a name')
  t.strictSame(await found({ employee: requestId }), [], 'employee is only a person')
})

await t.test('q finds entries by the code of an error of any of their records', async (t) => {
  t.strictSame(await found({ q: 'missing_locator' }), [])
  t.strictSame(await found({ q: 'invalid_format' }), ['ana refused', 'creation refused', 'nobody refused'])
  t.strictSame(await found({ q: 'invalid_format', key: second.api_id }), ['creation refused'])
})

await t.test('from is inclusive and to is exclusive', async (t) => {
  const at = (name: string) => calls.get(name)!.requestedAt
  const between = (from: string, to: string) => newestFirst.filter((name) => at(name) >= from && at(name) < to)
  for (const [from, to] of [
    ['both created', 'bob unchanged'],
    ['bob left', 'unknown refused'],
    ['bob left', 'bob left'],
  ] as const) {
    t.strictSame(await found({ from: at(from), to: at(to) }), between(at(from), at(to)), `${from} to ${to}`)
  }
  const hourBefore = new Date(Date.parse(at('both created')) - 3_600_000).toISOString()
  t.strictSame(await found({ to: hourBefore }), [])
  t.strictSame(await found({ from: hourBefore }), newestFirst)
  t.strictSame(await found({ from: '2100-01-01T00:00:00Z' }), [])
  t.strictSame(await found({ from: at('both created').replace('Z', '+00:00') }), newestFirst, 'any offset')
})

await t.test('filters combine', async (t) => {
  t.strictSame(await found({ status: 'Failed', operation: 'create', key: second.api_id }), ['creation refused'])
  t.strictSame(await found({ status: 'Completed', q: 'ana' }), all('both created', 'ana updated'))
  t.strictSame(await found({ employee: anaId, status: 'Failed' }), ['ana refused'])
  t.strictSame(await found({ employee: bobId, key: second.api_id, operation: 'update_many' }), ['bob left'])
  t.strictSame(await found({ employee: anaId, q: 'bob' }), ['both created'], 'both are in the entry')
  const { requestedAt: from } = calls.get('ana refused')!
  t.strictSame(await found({ q: 'ana', from }), ['ana refused'])
  t.strictSame(await found({ q: 'nobody@gone.example', status: 'Completed' }), [])
})

await t.test('a call with 60 refused records of an employee is found once, and hides no other', async (t) => {
  const twice = Array.from({ length: 60 }, () => ({ external_id: 'HR-2', job_title: 'x' }))
  await call('bob sixty times', 'PATCH', '/v1/employees', twice)
  t.strictSame(await found({ employee: 'HR-2' }, 2), ['bob sixty times', 'bob unchanged', 'bob left', 'both created'])
  calls.delete('bob sixty times')
})

await t.test('pages of a filtered list stay right while entries arrive', async (t) => {
  const arrive = async () => {
    await service.call('PATCH', `/v1/employees/${anaId}`, { body: { phone: '12' } })
    await service.project()
  }
  t.strictSame(
    await found({ status: 'Completed' }, 1, arrive),
    all('both created', 'ana updated', 'bob left', 'bob unchanged'),
  )
})

await t.test("no filter finds another company's entries", async (t) => {
  const other = await service.makeCompany('Other')
  const filters = [
    'status=Completed',
    'operation=create',
    `key=${second.api_id}`,
    `employee=${anaId}`,
    'employee=HR-1',
    'q=acme',
    'q=ghost%40gone.example',
    'q=Import',
    `q=${calls.get('ana updated')!.requestId}`,
  ]
  for (const filter of filters) {
    const { body } = await service.admin(`/bulk-user-logs?${filter}`, other.admin.token)
    t.strictSame(body, { items: [], next_cursor: null }, filter)
  }
})

await t.test('an invalid filter gets 400 with the parameter named', async (t) => {
  const bad = {
    status: ['completed', ''],
    operation: ['delete'],
    from: [
      'yesterday',
      '2026-01-01',
      '0000-01-01T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '9999-12-31T23:59:59-12:00',
      '2026-02-30T00:00:00Z',
    ],
    to: ['', '0000-12-31T23:59:59Z', '2026-01-01T24:00:01Z'],
    key: ['x', 'emp_01h455vb4pex5vsknk084sn02q', 'key_', 'key_%00'],
    employee: ['', '%00', 'x'.repeat(255)],
    q: ['', 'a%00b', 'x'.repeat(255)],
  }
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const { status, body } = await service.admin(`/bulk-user-logs?${name}=${value}`)
      t.equal(status, 400, `${name}=${value}`)
      t.match(body, { code: 'invalid_query', detail: new RegExp(`query parameter ${name} `) })
    }
  }
  t.equal((await service.admin('/bulk-user-logs?q=a&q=b')).status, 400, 'one value each')
})

await t.test('a search that reaches its limit says how far it came, and can continue', async (t) => {
  const { id: callId, requestedAt } = calls.get('bob unchanged')!
  await service.pool.query(`update ${ENTRIES} set no_updates = 200000 where call_id = $1`, [toUuid(callId)])
  // An older call with such records remains to be searched.
  await service.pool.query(`update ${ENTRIES} set no_updates = 1 where call_id = $1`, [
    toUuid(calls.get('both created')!.id),
  ])
  const cookie = await cookieOf(service, service.company.admin)
  const path = `/settings/bulk-user-logs?employee=${anaId}&status=Completed`
  const first = await service.admin(`/bulk-user-logs?employee=${anaId}&status=Completed`)
  t.match(first, { body: { items: [], next_cursor: String } })
  const shown = await browse(service, path, { cookie })
  t.match(shown.text, 'Searched back to')
  t.match(shown.text, `datetime="${requestedAt}"`)
  t.notMatch(shown.text, 'No matching entries')
  const further = /<a class="button" rel="next" href="([^"]+)" ?>Search further/.exec(shown.text)![1]!
  t.match((await browse(service, further.replaceAll('&amp;', '&'), { cookie })).text, calls.get('ana updated')!.id)
  t.strictSame(await found({ employee: anaId, status: 'Completed' }), all('both created', 'ana updated'))
  const csv = await service.admin(`/bulk-user-logs.csv?employee=${anaId}&status=Completed`)
  t.match(csv.body, calls.get('both created')!.id)
})

await t.test('a refused record is found however its values were written', async (t) => {
  await call('blanks refused', 'POST', '/v1/employees', {
    ...employee({ email: '\u200b Blank@gone.example\u00a0', external_id: ' G-10\ufeff' }),
    phone: '12',
  })
  await call('number refused', 'POST', '/v1/employees', employee({ external_id: 4711 }))
  for (const filter of ['employee', 'q']) {
    t.strictSame(await found({ [filter]: 'blank@gone.example' }), ['blanks refused'])
    t.strictSame(await found({ [filter]: 'G-10' }), ['blanks refused'])
    t.strictSame(await found({ [filter]: ' G-10 ' }), ['blanks refused'])
    t.strictSame(await found({ [filter]: '4711' }), ['number refused'])
  }
})
