import t from 'tap'
import { employee, startService } from '../../../support/service.ts'

const service = await startService(t)
const people = ['Ana', 'Bob', 'Cem', 'Dee'].map((first_name) =>
  employee({ first_name, email: `${first_name}@acme.example`, external_id: `X-${first_name}` }),
)
const { body: created } = await service.call('POST', '/v1/employees', { body: people })
const idOf = (at: number): string => created.employees[at].id
await service.call('PATCH', '/v1/employees', { body: [{ id: idOf(3), status: 'inactive' }] })
const { body: updated } = await service.call('PATCH', '/v1/employees', {
  body: [
    { id: idOf(0), job_title: 'Dev', custom_attributes: { 'a/b~c': 'x' } },
    { id: idOf(1), first_name: 'Bob' },
    { id: idOf(2), status: 'inactive', location: 'Porto' },
    { id: idOf(3), status: 'active' },
  ],
})
const { body: refused } = await service.call('PATCH', '/v1/employees', {
  body: [
    { id: idOf(0), phone: '12' },
    { email: 'gone@acme.example' },
    { id: idOf(1), job_title: 'fine' },
    { external_id: 'X-Cem', phone: '0' },
  ],
})
await service.project()

async function indexes(logId: string, query: Record<string, string>, limit = 1): Promise<number[]> {
  const found: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const search: URLSearchParams = new URLSearchParams({
      ...query,
      limit: String(limit),
      ...(cursor === '' ? {} : { cursor }),
    })
    const { status, body } = await service.admin(`/bulk-user-logs/${logId}/records?${search.toString()}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    found.push(...body.items.map(({ index }: { index: number }) => index))
    cursor = body.next_cursor
  }
  return found
}

await t.test('status finds records; Created and Failed find those of creations and refused calls', async (t) => {
  const { log_id: log } = updated
  t.strictSame(await indexes(log, {}), [0, 1, 2, 3])
  for (const [at, status] of ['Synced', 'No Updates', 'Deactivated', 'Reactivated'].entries()) {
    t.strictSame(await indexes(log, { status }), [at], status)
  }
  t.strictSame(await indexes(log, { status: 'Created' }), [])
  t.strictSame(await indexes(log, { status: 'Failed' }), [])
  t.strictSame(await indexes(created.log_id, { status: 'Created' }, 3), [0, 1, 2, 3])
  t.strictSame(await indexes(created.log_id, { status: 'Failed' }), [])
  t.strictSame(await indexes(created.log_id, { status: 'Synced' }), [])
  t.strictSame(await indexes(refused.log_id, { status: 'Failed' }), [0, 1, 3])
  t.strictSame(await indexes(refused.log_id, { status: 'Created' }), [])
})

await t.test('q finds records by their employee, and refused ones by exact values', async (t) => {
  t.strictSame(await indexes(updated.log_id, { q: 'x-CEM' }), [2])
  t.strictSame(await indexes(updated.log_id, { q: idOf(1) }), [1])
  t.strictSame(await indexes(updated.log_id, { q: 'acme', status: 'Synced' }), [0])
  t.strictSame(await indexes(created.log_id, { q: '@acme.example' }, 3), [0, 1, 2, 3])
  t.strictSame(await indexes(refused.log_id, { q: 'GONE@acme.example' }), [1])
  t.strictSame(await indexes(refused.log_id, { q: 'gone@' }), [])
  t.strictSame(await indexes(refused.log_id, { q: 'X-Cem' }), [3])
  t.strictSame(await indexes(refused.log_id, { q: 'ana' }), [0])
})

await t.test('a filtered page has the details of its records, even with odd attribute names', async (t) => {
  const { body } = await service.admin(`/bulk-user-logs/${updated.log_id}/records?status=Synced`)
  t.strictSame(body.items[0].changes, {
    job_title: { from: null, to: 'Dev' },
    'custom_attributes.a/b~c': { from: null, to: 'x' },
  })
  const { body: left } = await service.admin(`/bulk-user-logs/${updated.log_id}/records?status=Deactivated`)
  t.strictSame(left.items[0].changes, {
    location: { from: null, to: 'Porto' },
    status: { from: 'active', to: 'inactive' },
  })
  const { body: failed } = await service.admin(`/bulk-user-logs/${refused.log_id}/records?q=X-Cem`)
  t.match(failed.items, [{ index: 3, record: { external_id: 'X-Cem', phone: '0' }, errors: [{ pointer: '/3/phone' }] }])
})

await t.test('a call refused as a whole has one row, which only Failed finds', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: '{' })
  await service.project()
  const records = async (query: string) =>
    (await service.admin(`/bulk-user-logs/${body.log_id}/records${query}`)).body.items
  t.match(await records('?status=Failed'), [{ index: null, errors: [{ code: 'malformed_json' }] }])
  t.strictSame(await records('?status=Created'), [])
  t.strictSame(await records('?q=acme'), [])
})

await t.test('a bad query parameter gets 400', async (t) => {
  for (const query of ['status=synced', 'status=', 'q=', 'q=%00', 'from=2026-01-01T00:00:00Z']) {
    const { status, body } = await service.admin(`/bulk-user-logs/${updated.log_id}/records?${query}`)
    t.equal(status, 400, query)
    t.match(body, { code: 'invalid_query', detail: /query parameter/ })
  }
})
