import t from 'tap'
import { employee, startService } from '../../support/service.ts'

await t.test(
  'a key that exceeds its rate gets 429 with Retry-After, no entry and no charge; other keys are unaffected',
  async (t) => {
    const service = await startService(t, { BURST_LIMIT: '5' })
    const other = await service.makeCompany('Other')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', '/v1/employees', { body: employee() })),
    )
    const limited = answers.filter(({ status }) => status === 429)
    t.ok(limited.length > 0)
    for (const { body, headers } of limited) {
      t.equal(body.code, 'rate_limited')
      t.notOk(body.log_id)
      t.equal(headers['retry-after'], '1')
    }
    const admitted = answers.filter(({ status }) => status === 201)
    t.equal(admitted.length + limited.length, 20)
    await service.project()
    t.equal((await service.admin('/bulk-user-logs')).body.items.length, admitted.length)
    const { rows } = await service.pool.query('select max(requests_made) as used from api_key_usage')
    t.equal(rows[0].used, admitted.length)
    t.equal((await service.call('GET', '/v1/auth/verify', { key: other.key })).status, 200)
  },
)

await t.test('calls from outside the networks of a key do not use up its rate', async (t) => {
  const service = await startService(t, { BURST_LIMIT: '3', TRUST_PROXY: '127.0.0.1' })
  const { body } = await service.manage('POST', '/api-keys', { name: 'Office', allowed_networks: ['192.0.2.1'] })
  const key = { api_id: body.id, api_key: body.api_key }
  const verify = (address: string) =>
    service.call('GET', '/v1/auth/verify', { key, headers: { 'x-forwarded-for': address } })
  const outside = await Promise.all(Array.from({ length: 9 }, () => verify('192.0.2.9')))
  t.ok(outside.some(({ status }) => status === 429))
  t.equal((await verify('192.0.2.1')).status, 200)
})

await t.test('an address that keeps failing gets 429, on the public API and the admin endpoint', async (t) => {
  const service = await startService(t, { FAILURE_LIMIT: '3' })
  for (const path of ['/v1/auth/verify', '/admin/v1/bulk-user-logs']) {
    const statuses: number[] = []
    for (let at = 0; at < 5; at += 1) statuses.push((await service.call('GET', path, { key: null })).status)
    t.strictSame(statuses, [401, 401, 401, 429, 429])
  }
  t.equal((await service.call('GET', '/v1/auth/verify')).status, 200, 'good credentials are not held up')
})
