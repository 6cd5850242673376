import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { employee, send, startService } from '../../support/service.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'

await t.test('a retry that waits too long for another process gets 409, and a new call 503', async (t) => {
  const service = await startService(t, { CALL_WAIT_MS: '60000' })
  const { key } = service.company
  const other = addressOf(await startProcess(t, 'serve', service.urls, { CALL_WAIT_MS: '2000' }))
  const body = employee()
  const post = (address: string, idempotencyKey: string) =>
    send(address, 'POST', '/v1/employees', { key, body, headers: { 'idempotency-key': idempotencyKey } })
  const holder = await holdHead(service)
  // The first call waits in its process, behind one that waits in the database.
  const before = send(service.address, 'POST', '/v1/employees', { key, body: employee() })
  await lockIsAwaited(service, 'heads')
  const first = post(service.address, 'slow')
  await eventually('the first call is in long_calls', async () => {
    return (await service.pool.query('select 1 from long_calls')).rows.length === 1
  })
  const retries = await Promise.all([post(other, 'slow'), post(other, 'another')])
  t.match(retries[0], { status: 409, body: { code: 'idempotency_in_progress', log_id: undefined } })
  t.match(retries[1], { status: 503, body: { code: 'unavailable' } })
  await letGo(holder)
  await before
  const { status, body: made } = await first
  t.equal(status, 201)
  t.match(await post(other, 'slow'), { status: 201, headers: { 'idempotency-replayed': 'true' }, body: made })
  await eventually('long_calls is empty', async () => {
    return (await service.pool.query('select 1 from long_calls')).rows.length === 0
  })
})
