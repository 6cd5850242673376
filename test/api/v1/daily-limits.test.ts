import t from 'tap'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { isQuick } from '../../support/quick.ts'
import { employee, send, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

const service = await startService(t)
const { key } = service.company
const path = `/api-keys/${key.api_id}`

/** New people. */
async function hire(count: number): Promise<string[]> {
  const { body } = await service.call('POST', '/v1/employees', {
    body: Array.from({ length: count }, () => employee()),
  })
  return body.employees.map(({ id }: { id: string }) => id)
}

const leave = (ids: string[], query = '', more: Record<string, unknown> = {}) =>
  service.call('PATCH', `/v1/employees${query}`, { body: ids.map((id) => ({ id, status: 'inactive', ...more })) })
const limit = (limits: object) => service.manage('PATCH', path, limits)
/** Nothing was done yet. */
const forget = () => service.pool.query('update api_key_usage set people_use = null')
const problems = async (kind: string) => {
  const { items } = (await service.admin('/attention')).body
  return (items as { kind: string }[]).filter((item) => item.kind === kind)
}

await t.test('a call beyond the limit of its key applies nothing, and has an entry', async (t) => {
  const ids = await hire(8)
  t.match(await limit({ max_deactivations: 5 }), { status: 200, body: { max_deactivations: 5, max_changes: null } })
  t.equal((await leave(ids.slice(0, 3))).status, 200)
  const { status, body } = await leave(ids.slice(3))
  t.equal(status, 409)
  t.match(body, {
    code: 'limit_reached',
    detail: /may deactivate 5 people a day, has deactivated 3 .*deactivate 5 more/,
  })
  t.match((await service.logOf(body.log_id)).entry, {
    status: 'Failed',
    http_status: 409,
    counts: { total: 5, failed: 5, deactivated: 0 },
    error: { code: 'limit_reached', detail: body.detail },
  })
  t.match(await leave([ids[7]!, 'emp_x'], '?all_or_none=false'), { body: { counts: { deactivated: 1, failed: 1 } } })
  const partly = await leave([...ids.slice(3, 7), 'emp_x'], '?all_or_none=false')
  t.match(partly, { status: 409, body: { code: 'limit_reached' } }, 'refused whole')
  t.match((await service.call('GET', `/v1/employees/${ids[3]}`)).body, { status: 'active' })
  const one = await service.call('PATCH', `/v1/employees/${ids[3]}`, { body: { status: 'inactive' } })
  t.equal(one.status, 200, 'the last one of five')
  const other = await service.call('PATCH', `/v1/employees/${ids[4]}`, { body: { status: 'inactive' } })
  t.match(await service.logOf(other.body.log_id), {
    records: [{ employee_id: ids[4], errors: [{ code: 'limit_reached' }] }],
  })
})

await t.test('what changes nobody, and a call that only validates, is not counted', async (t) => {
  await forget()
  const ids = await hire(4)
  await limit({ max_deactivations: 2 })
  t.match(await leave(ids, '?validate_only=true'), { status: 409, body: { code: 'limit_reached' } })
  for (let at = 0; at < 3; at += 1) t.equal((await leave(ids.slice(0, 2), '?validate_only=true')).status, 200)
  t.strictSame(await problems('key_limit_reached'), [])
  t.equal((await leave(ids.slice(0, 2))).status, 200)
  t.match((await leave(ids.slice(0, 2))).body, { counts: { no_updates: 2 } })
})

await t.test('an administrator allows it once, and the same call passes, with its idempotency key', async (t) => {
  await forget()
  const ids = await hire(6)
  await limit({ max_deactivations: 1 })
  const headers = { 'idempotency-key': 'leave-1' }
  const body = ids.map((id) => ({ id, status: 'inactive' }))
  const leaveAll = () => service.call('PATCH', '/v1/employees', { body, headers })
  const refused = await leaveAll()
  t.equal(refused.status, 409)
  const [problem] = await problems('key_limit_reached')
  const details = { limited: 'max_deactivations', wanted: 6, done: 0, limit: 1, last_log_id: refused.body.log_id }
  t.match(problem, { subject: { id: key.api_id }, details: { ...details, active: Number } })
  t.strictSame(await problems('calls_failed'), [], 'each cause once')
  t.match(await service.manage('POST', `${path}/allow`, {}), { status: 422 })
  const allowed = await service.manage('POST', `${path}/allow`, { max_deactivations: 6 })
  t.match(allowed, { status: 200, body: { excess: { max_deactivations: 6, max_changes: null, until: String } } })
  t.strictSame(await problems('key_limit_reached'), [])
  t.match(await leaveAll(), { status: 200, body: { counts: { deactivated: 6 } } })
  t.equal((await leaveAll()).headers['idempotency-replayed'], 'true')
  t.equal((await leave(await hire(1))).status, 409, 'up to that number')
  const { rows } = await service.pool.query(`select actor, data from events where type = 'ApiKeyExcessAllowed'`)
  t.match(rows, [{ actor: service.company.admin.user_id, data: /"max_deactivations":6/ }])
})

await t.test('two processes at once deactivate no more than the limit', async (t) => {
  await forget()
  const ids = await hire(40)
  await limit({ max_deactivations: 25 })
  const second = isQuick
    ? (await startService(t, {}, { urls: service.urls })).address
    : addressOf(await startProcess(t, 'serve', service.urls))
  const answers = await Promise.all(
    ids.map((id, at) =>
      send(at % 2 ? second : service.address, 'PATCH', `/v1/employees/${id}`, { key, body: { status: 'inactive' } }),
    ),
  )
  t.strictSame(
    [200, 409].map((status) => answers.filter((answer) => answer.status === status).length),
    [25, 15],
  )
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('a share follows the number of active people, also of those who were not folded yet', async (t) => {
  await forget()
  t.equal((await limit({ max_deactivations: '50%', max_changes: '0%' })).status, 200)
  const [id = ''] = await hire(1)
  const refused = await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Dev' } })
  const [, counted] = /of (\d+) active people/.exec(refused.body.detail) ?? []
  await service.project()
  const { body } = await service.call('GET', '/v1/employees?status=active&limit=200')
  t.equal(Number(counted), body.items.length)
  await limit({ max_changes: null })
  t.equal((await leave([id])).status, 200)
})

await t.test('unusually many deactivations need attention without a limit', async (t) => {
  await forget()
  await limit({ max_deactivations: null })
  const ids = await hire(30)
  t.equal((await leave(ids.slice(0, 25))).status, 200)
  t.strictSame(await problems('key_deactivated_many'), [])
  t.equal((await leave(ids.slice(25))).status, 200)
  t.match(await problems('key_deactivated_many'), [{ details: { deactivations: 30, active: Number } }])
})

await t.test('a limit that is neither a number nor a share is refused by name', async (t) => {
  for (const max_deactivations of ['10', '101%', '1.5%', -1, 1.5, 'x'])
    t.match(await limit({ max_deactivations }), { status: 422, body: { errors: [{ pointer: '/max_deactivations' }] } })
  const limits = { max_deactivations: '10%', max_changes: 7 }
  t.match(await service.manage('POST', '/api-keys', { name: 'Limited', ...limits }), { status: 201, body: limits })
})
