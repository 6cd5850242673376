import t from 'tap'
import { employee, startService } from '../../../support/service.ts'

const service = await startService(t)
const { admin } = service.company

const calls: { id: string; status: number }[] = []
for (let at = 0; at < 7; at += 1) {
  const { body, status } = await service.call('POST', '/v1/employees', { body: at % 3 === 0 ? {} : employee() })
  calls.unshift({ id: body.log_id, status })
}
await service.project()

await t.test('the list is newest first', async (t) => {
  const { body } = await service.admin('/bulk-user-logs')
  t.strictSame(
    body.items.map(({ id }: { id: string }) => id),
    calls.map(({ id }) => id),
  )
})

await t.test('the list can be filtered by status', async (t) => {
  const { body } = await service.admin('/bulk-user-logs?status=Failed')
  t.strictSame(
    body.items.map(({ id }: { id: string }) => id),
    calls.filter(({ status }) => status >= 400).map(({ id }) => id),
  )
})

await t.test('an entry has exactly the fields of the contract', async (t) => {
  const { body } = await service.admin(`/bulk-user-logs/${calls[0]!.id}`)
  t.strictSame(Object.keys(body).sort(), [
    ...['client', 'corrected_by', 'correction', 'corrects', 'counts', 'duration_ms', 'error', 'file', 'http_status'],
    ...['id', 'key', 'name', 'operation', 'rejected_body', 'request_id', 'requested_at', 'status'],
    ...['undoes', 'undone_by', 'user'],
  ])
  t.strictSame(Object.keys(body.counts), ['total', 'updated', 'deactivated', 'failed', 'no_updates'])
  t.match(body.requested_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

await t.test('records come in pages with their details', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: Array.from({ length: 25 }, () => employee()) })
  await service.project()
  const seen: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: { body: { items: { index: number; attributes: { email: string } }[]; next_cursor: string | null } } =
      await service.admin(`/bulk-user-logs/${body.log_id}/records?limit=10${cursor && `&cursor=${cursor}`}`)
    for (const { index, attributes } of page.body.items) {
      seen.push(index)
      t.equal(attributes.email, body.employees[index].email)
    }
    cursor = page.body.next_cursor
  }
  t.strictSame(
    seen,
    Array.from({ length: 25 }, (_, index) => index),
  )
})

await t.test('without a valid token, the answer is 401 and names the scheme', async (t) => {
  const paths = ['/bulk-user-logs', `/bulk-user-logs/${calls[0]!.id}`, `/bulk-user-logs/${calls[0]!.id}/records`]
  for (const path of paths) {
    for (const token of [null, 'x', `${admin.token.slice(0, -1)}_`, service.company.key.api_key]) {
      const answer = await service.admin(path, token)
      t.match(answer, { status: 401, body: { code: 'invalid_credentials' } })
      t.match(answer.headers['www-authenticate'], /^Bearer/)
    }
  }
})

await t.test("another company's entry is neither listed nor opened", async (t) => {
  const other = await service.makeCompany('Other')
  const { body } = await service.call('POST', '/v1/employees', { body: employee(), key: other.key })
  await service.project(other.id)
  t.equal((await service.admin(`/bulk-user-logs/${body.log_id}`, other.admin.token)).status, 200)
  for (const path of ['', '/records']) {
    const foreign = await service.admin(`/bulk-user-logs/${body.log_id}${path}`)
    const unknown = await service.admin(`/bulk-user-logs/log_01h455vb4pex5vsknk084sn02q${path}`)
    t.match(foreign, { status: 404, body: { code: 'log_not_found' } })
    t.strictSame({ ...foreign.body, request_id: '' }, { ...unknown.body, request_id: '' })
  }
  const { body: list } = await service.admin('/bulk-user-logs', other.admin.token)
  t.strictSame(
    list.items.map(({ id }: { id: string }) => id),
    [body.log_id],
  )
})

await t.test('a bad query parameter gets 400', async (t) => {
  for (const query of ['status=completed', 'color=red']) {
    const { status, body } = await service.admin(`/bulk-user-logs?${query}`)
    t.equal(status, 400, query)
    t.equal(body.code, 'invalid_query')
    t.notMatch(body.detail, /completed|=x/)
  }
})
