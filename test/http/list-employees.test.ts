import t from 'tap'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const list = (query: string) => service.call('GET', `/v1/employees?${query}`)
const emails = (body: { items: { email: string }[] }) => body.items.map(({ email }) => email)

const sent = Array.from({ length: 12 }, (_, at) =>
  employee({ email: `e${at}@example.com`, external_id: `X-${at}`, last_name: at === 7 ? 'Ångström' : 'Pérez' }),
)
const { body: made } = await service.call('POST', '/v1/employees', { body: sent })
await service.call('PATCH', '/v1/employees', { body: [{ email: 'e3@example.com', status: 'inactive' }] })
await service.project()

const allPages = async (query: string, between: () => Promise<unknown> = async () => undefined) => {
  const found: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, body } = await list(`${query}${cursor && `&cursor=${cursor}`}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    found.push(...emails(body))
    cursor = body.next_cursor
    await between()
  }
  return found
}

await t.test('the list has whole employees, in the order of their creation', async (t) => {
  const { status, body } = await list('limit=200')
  t.equal(status, 200)
  t.strictSame(emails(body), sent.map(({ email }) => email))
  const single = await service.call('GET', `/v1/employees/${made.employees[3].id}`)
  t.strictSame(body.items[3], single.body)
  t.equal(body.next_cursor, null)
})

await t.test('pages stay right while rows change: nobody is missed or repeated', async (t) => {
  let turn = 0
  const change = async () => {
    turn += 1
    await service.call('PATCH', '/v1/employees', { body: [{ external_id: `X-${turn}`, job_title: `T${turn}`, first_name: `Z${turn}` }] })
    await service.project()
  }
  t.strictSame(await allPages('limit=5', change), sent.map(({ email }) => email))
})

await t.test('filters: status, e-mail in any case, external id, and words of name and number', async (t) => {
  t.strictSame(await allPages('status=inactive'), ['e3@example.com'])
  t.equal((await allPages('status=active&limit=4')).length, 11)
  t.strictSame(await allPages('email=E5%40EXAMPLE.com'), ['e5@example.com'])
  t.strictSame(await allPages('external_id=X-9'), ['e9@example.com'])
  t.strictSame(await allPages('external_id=x-9'), [], 'external ids are case-sensitive')
  t.strictSame(await allPages(`q=${encodeURIComponent('ÅNGSTRÖM')}`), ['e7@example.com'])
  t.strictSame(await allPages('q=100%25_'), [], 'no character of q is a wildcard')
})

await t.test('who gives an e-mail address up is no longer found by it, and found by the new one once the list has it', async (t) => {
  const change = (email: string) => service.call('PATCH', '/v1/employees', { body: [{ external_id: 'X-8', email }] })
  await change('new8@example.com')
  t.strictSame(await allPages('email=e8@example.com'), [])
  await service.project()
  t.strictSame(await allPages('email=new8@example.com'), ['new8@example.com'])
  t.strictSame(await allPages('email=new8@example.com&status=inactive'), [])
  await change('e8@example.com')
  await service.project()
})

await t.test('updated_since gives those changed since, in the order of their change', async (t) => {
  const { body: before } = await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'X-2', location: 'Porto' }] })
  t.ok(before.log_id)
  const { body: second } = await service.call('GET', `/v1/employees/${made.employees[2].id}`)
  await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'X-0', location: 'Faro' }, { external_id: 'X-11', location: 'Faro' }] })
  await service.project()
  const since = `updated_since=${second.updated_at}`
  t.strictSame(await allPages(`${since}&limit=1`), ['e2@example.com', 'e0@example.com', 'e11@example.com'])
})

await t.test('min_position lets a client read its own write, and is refused beyond the head', async (t) => {
  const { headers } = await service.call('POST', '/v1/employees', { body: employee({ email: 'own@example.com' }) })
  const position = Number(headers['x-ledger-position'])
  const pending = list(`email=own@example.com&min_position=${position}`)
  await service.project()
  t.strictSame(emails((await pending).body), ['own@example.com'])
  t.match(await list(`min_position=${position + 1}`), { status: 400, body: { code: 'invalid_query' } })
})

await t.test('another company sees none of it', async (t) => {
  const other = await service.makeCompany('Other')
  const { body } = await service.call('GET', '/v1/employees', { key: other.key })
  t.strictSame(body, { items: [], next_cursor: null })
})

await t.test('a bad parameter is a 400 that names it, without a cost', async (t) => {
  const used = async () => (await service.call('GET', '/v1/auth/verify')).body.requests_made
  const before = await used()
  for (const query of ['limit=0', 'limit=201', 'cursor=x', 'status=gone', 'updated_since=yesterday', 'updated_since=0000-01-01T00:00:00Z', 'updated_since=2016-12-31T23:59:60Z', 'q=%00', 'min_position=-1', 'color=red']) {
    const { status, body } = await list(query)
    t.equal(status, 400, query)
    t.match(body, { code: 'invalid_query', detail: /query parameter/ })
  }
  t.equal(await used(), before)
})
