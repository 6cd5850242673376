import t from 'tap'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { isQuick } from '../../support/quick.ts'
import { employee, send, startService } from '../../support/service.ts'
import { moveBack } from '../../support/postgres/move-back.ts'

const service = await startService(t)
const setLimit = (limit: number, period = 'monthly') =>
  service.pool.query(`update api_keys set quota_limit = $1, refresh_period = $2`, [limit, period])
const reset = () => service.pool.query('update api_key_usage set requests_made = 0')
const verify = async () => (await service.call('GET', '/v1/auth/verify')).body

await t.test('over the quota, reads and writes get 429 with Retry-After; only writes are logged', async (t) => {
  await reset()
  await setLimit(2)
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const last = await service.call('GET', `/v1/employees/${body.employees[0].id}`)
  t.match(last.headers['ratelimit'], /^"quota";r=0;t=[0-9]+$/)
  const write = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  const read = await service.call('GET', `/v1/employees/${body.employees[0].id}`)
  for (const { status, headers, body } of [write, read]) {
    t.equal(status, 429)
    t.match(body, { code: 'quota_exceeded', detail: 'The quota of 2 requests (monthly) is used up' })
    t.ok(Number(headers['retry-after']) > 0)
    t.match(headers['ratelimit-policy'], /^"quota";q=2;w=[0-9]+$/)
  }
  t.match((await service.logOf(write.body.log_id)).entry, { http_status: 429, counts: { total: 2, failed: 2 } })
  t.notOk(read.body.log_id)
  t.match(await verify(), { requests_made: 2, quota_limit: 2 })
})

await t.test('every authenticated answer has the remaining quota', async (t) => {
  await reset()
  await setLimit(100)
  const remaining = (headers: Record<string, string>) => Number(/r=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1])
  t.equal(remaining((await service.call('POST', '/v1/employees', { body: employee() })).headers), 99)
  t.equal(remaining((await service.call('POST', '/v1/employees', { body: '{' })).headers), 98)
  t.equal(remaining((await service.call('GET', '/v1/employees/x')).headers), 97)
  t.equal(remaining((await service.call('GET', '/v1/auth/verify')).headers), 97)
  const { headers } = await service.call('GET', '/v1/employees/x?unknown=1')
  t.match(headers['ratelimit-policy'], /^"quota";q=100;w=\d+$/)
})

await t.test('an answer over the quota says how long its window is, and the next one starts at zero', async (t) => {
  const week = 604_800
  await reset()
  await setLimit(1, 'weekly')
  t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201)
  const over = await service.call('POST', '/v1/employees', { body: employee() })
  t.equal(over.status, 429)
  t.equal(over.headers['ratelimit-policy'], `"quota";q=1;w=${week}`)
  t.ok(Number(over.headers['retry-after']) <= week)
  await moveBack(service, 'api_key_usage', 'window_start', week)
  t.equal((await verify()).requests_made, 0)
  t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201)
})

await t.test('50 reading and writing clients on two processes get exactly the quota', async (t) => {
  const second = isQuick
    ? (await startService(t, {}, { urls: service.urls })).address
    : addressOf(await startProcess(t, 'serve', service.urls))
  await reset()
  const limit = 130
  await setLimit(limit)
  let next = 0
  const statuses: number[] = []
  const caller = async (address: string) => {
    while (next < 300) {
      next += 1
      const { key } = service.company
      const call =
        next % 2
          ? send(address, 'POST', '/v1/employees', { key, body: employee() })
          : send(address, 'GET', '/v1/employees/x', { key })
      statuses.push((await call).status)
    }
  }
  await Promise.all(Array.from({ length: 50 }, (_, at) => caller(at % 2 ? second : service.address)))
  t.equal(statuses.filter((status) => status !== 429).length, limit)
  t.strictSame(new Set(statuses), new Set([201, 404, 429]))
  t.equal((await verify()).requests_made, limit)
})

await t.test('a reused idempotency key costs a unit or gets 429; a retry is free', async (t) => {
  await reset()
  await setLimit(2)
  const body = employee()
  const post = (sent: unknown) =>
    service.call('POST', '/v1/employees', { body: sent, headers: { 'idempotency-key': 'quota-1' } })
  t.equal((await post(body)).status, 201)
  t.match(await post(employee()), { status: 422, body: { code: 'idempotency_key_reused' } })
  t.equal((await verify()).requests_made, 2)
  for (let at = 0; at < 3; at += 1) t.match(await post(employee()), { status: 429, body: { code: 'quota_exceeded' } })
  t.match(await post(body), { status: 201, headers: { 'idempotency-replayed': 'true' } })
  t.equal((await verify()).requests_made, 2)
})

await t.test('a read with bad parameters costs a unit, and gets 429 at an exhausted quota', async (t) => {
  await reset()
  await setLimit(3)
  t.equal((await service.call('GET', '/v1/employees?limit=0')).status, 400)
  t.equal((await service.call('GET', '/v1/employees?cursor=x')).status, 400)
  t.equal((await service.call('GET', '/v1/employees/x?unknown=1')).status, 400)
  t.equal((await verify()).requests_made, 3)
  for (const path of ['/v1/employees?limit=0', '/v1/employees/x?unknown=1', '/v1/employees?min_position=1']) {
    t.match(await service.call('GET', path), { status: 429, body: { code: 'quota_exceeded' } }, path)
  }
  t.equal((await verify()).requests_made, 3)
})

await t.test('a clock set back does not reset the quota, even if reads and writes alternate', async (t) => {
  await service.pool.query(`update heads set recorded_at = now() + interval '1 hour'`)
  await service.pool.query('update api_key_usage set requests_made = 0, window_start = to_timestamp(0)')
  await setLimit(5, 'hourly')
  const statuses: number[] = []
  for (let at = 0; at < 10; at += 1) {
    statuses.push((await service.call('GET', '/v1/employees/x')).status)
    statuses.push((await service.call('POST', '/v1/employees', { body: employee() })).status)
  }
  // The window moves once, to the company's own time, and stays there.
  t.ok(statuses.filter((status) => status !== 429).length <= 2 * 5)
  t.strictSame(
    statuses.slice(12),
    statuses.slice(12).map(() => 429),
  )
})
