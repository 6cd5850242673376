import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { SHARING } from '../../support/postgres/citus-url.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import type { Answer, Service, TestCompany } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'
import { alsoHold, holdHead, holdRow, letGo } from '../../support/postgres/held-rows.ts'

const create = (service: Service, company: TestCompany) =>
  service.call('POST', '/v1/employees', { body: employee(), key: company.key })

await t.test('a company whose head is locked waits alone, and others in its lane continue', async (t) => {
  const service = await startService(t, { LANES: '1' })
  const [held, free] = [await service.makeCompany('Held'), await service.makeCompany('Free')]
  const holder = await holdHead(service, held)
  const waiting = Promise.all([create(service, held), create(service, held)])
  await lockIsAwaited(service, 'heads')
  for (let at = 0; at < 5; at += 1) t.equal((await create(service, free)).status, 201)
  const more = create(service, held)
  await letGo(holder)
  t.strictSame(
    [...(await waiting), await more].map(({ status }) => status),
    [201, 201, 201],
  )
})

await t.test("calls over a company's limit get 503 with Retry-After, and are not stored", async (t) => {
  const service = await startService(t, { LANES: '1', CALLS_WAITING: '3' })
  const company = await service.makeCompany('Held')
  const holder = await holdHead(service, company)
  const first = create(service, company)
  await lockIsAwaited(service, 'heads')
  const others: Promise<Answer>[] = Array.from({ length: 10 }, () => create(service, company))
  const refused = await Promise.race(others)
  t.match(refused, { status: 503, body: { code: 'unavailable' }, headers: { 'retry-after': '1' } })
  await letGo(holder)
  const answers = [await first, ...(await Promise.all(others))]
  const stored = answers.filter(({ status }) => status === 201)
  const turnedAway = answers.filter(({ status }) => status === 503)
  t.equal(stored.length + turnedAway.length, 11)
  const { rows } = await service.pool.query('select count(*)::integer as n from employee_directory')
  t.equal(rows[0].n, stored.length)
})

await t.test('a retry that waits too long for its first call gets 409', async (t) => {
  const service = await startService(t, { LANES: '1', CALLS_WAITING: '1' })
  const company = await service.makeCompany('Held')
  const holder = await holdHead(service, company)
  const body = employee()
  const call = () =>
    service.call('POST', '/v1/employees', { body, key: company.key, headers: { 'idempotency-key': 'slow' } })
  const first = call()
  await lockIsAwaited(service, 'heads')
  const retries = Array.from({ length: 3 }, call)
  t.match(await Promise.race(retries), { status: 409, body: { code: 'idempotency_in_progress' } })
  await letGo(holder)
  t.equal((await first).status, 201)
  const waited = (await Promise.all(retries)).filter(({ status }) => status === 201)
  for (const { headers } of waited) t.equal(headers['idempotency-replayed'], 'true')
})

await t.test('many locked companies do not delay the others', async (t) => {
  const service = await startService(t, { LANES: '2' })
  const held = await Promise.all(Array.from({ length: 8 }, (_, at) => service.makeCompany(`Held ${at}`)))
  const free = await service.makeCompany('Free')
  const holder = await holdHead(service, held[0])
  for (const company of held.slice(1)) await alsoHold(holder, 'heads', company)
  const waiting = held.map((company) => create(service, company))
  await lockIsAwaited(service, 'heads')
  t.equal((await create(service, free)).status, 201)
  t.equal((await service.call('GET', '/v1/auth/verify', { key: free.key })).status, 200)
  await letGo(holder)
  t.strictSame(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([201]))
})

await t.test('a locked key usage delays neither reads nor writes of other companies', async (t) => {
  const service = await startService(t, { LANES: '1' })
  const [held, free] = [await service.makeCompany('Held'), await service.makeCompany('Free')]
  const holder = await holdRow(service, 'api_key_usage', held)
  const verify = (company: TestCompany) => service.call('GET', '/v1/auth/verify', { key: company.key })
  const waiting = Promise.all([verify(held), create(service, held)])
  await lockIsAwaited(service, 'api_key_usage')
  t.equal((await verify(free)).status, 200)
  t.equal((await create(service, free)).status, 201)
  await letGo(holder)
  t.strictSame(
    (await waiting).map(({ status }) => status),
    [200, 201],
  )
})

await t.test("records over a company's limit wait in a separate line, and get 503 in the end", async (t) => {
  const service = await startService(t, { RECORDS_WAITING: '10', CALL_WAIT_MS: '1000' })
  const company = await service.makeCompany('Held')
  const holder = await holdHead(service, company)
  const body = () => Array.from({ length: 10 }, () => employee())
  const first = service.call('POST', '/v1/employees', { body: body(), key: company.key })
  await lockIsAwaited(service, 'heads')
  const second = await service.call('POST', '/v1/employees', { body: body(), key: company.key })
  t.match(second, { status: 503, body: { code: 'unavailable' } })
  await letGo(holder)
  t.equal((await first).status, 201)
})

await t.test('small calls wait for a large call of their own company, not of another one', SHARING, async (t) => {
  const service = await startService(t, { LANES: '1' })
  const [busy, free] = [await service.makeCompany('Busy'), await service.makeCompany('Free')]
  const records = Array.from({ length: 100 }, () => employee())
  // An uncommitted insert of one of its e-mails blocks the large call.
  const holder = await service.pool.connect()
  await holder.query('begin')
  await holder.query(
    `insert into employee_directory (company_id, employee_id, email) values ($1, gen_random_uuid(), $2)`,
    [toUuid(busy.id), records[99]!.email],
  )
  const large = service.call('POST', '/v1/employees', { body: records, key: busy.key })
  await lockIsAwaited(service, 'employee_directory')
  const behind = create(service, busy)
  for (let at = 0; at < 3; at += 1) t.equal((await create(service, free)).status, 201)
  await letGo(holder)
  const [first, second] = await Promise.all([large, behind])
  t.strictSame([first.status, second.status], [201, 201])
  t.ok(Number(first.headers['x-ledger-position']) < Number(second.headers['x-ledger-position']), 'in the order sent')
})
