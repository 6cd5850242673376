import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)

await t.test('a read that ends in 503 costs nothing, and its header says so', async (t) => {
  await service.pool.query('update api_keys set quota_limit = 100')
  const verify = async () => (await service.call('GET', '/v1/auth/verify')).body
  await service.call('POST', '/v1/employees', { body: employee() })
  const before = (await verify()).requests_made
  const { headers } = await service.call('POST', '/v1/employees', { body: employee() })
  const late = await service.call('GET', `/v1/employees?min_position=${headers['x-ledger-position']}`)
  t.match(late, { status: 503, headers: { 'retry-after': '1', ratelimit: /r=98/ } })
  t.equal((await verify()).requests_made, before + 1)
})
