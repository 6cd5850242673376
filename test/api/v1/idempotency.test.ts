import t from 'tap'
import { expireAnswers } from '../../../src/ledger/append/expire-answers.ts'
import { openDatabaseLine } from '../../support/lines/database-line.ts'
import { eventually } from '../../support/eventually.ts'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { isQuick } from '../../support/quick.ts'
import { employee, send, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { moveBack } from '../../support/postgres/move-back.ts'

const service = await startService(t)
const { key } = service.company
const create = (idempotencyKey: string, body: unknown, address = service.address) =>
  send(address, 'POST', '/v1/employees', { key, body, headers: { 'idempotency-key': idempotencyKey } })
const used = async () => (await service.call('GET', '/v1/auth/verify')).body.requests_made
const entries = async () => {
  await service.project()
  return (await service.admin('/bulk-user-logs?limit=200')).body.items.length
}

await t.test('a retry gets the stored answer, with no second effect, entry or cost', async (t) => {
  const body = employee()
  const first = await create('retry-1', body)
  t.equal(first.status, 201)
  t.notOk(first.headers['idempotency-replayed'])
  const [costBefore, entriesBefore] = [await used(), await entries()]
  const again = await create('retry-1', body)
  t.equal(again.headers['idempotency-replayed'], 'true')
  t.equal(again.status, 201)
  t.strictSame(again.body, first.body)
  for (const name of ['location', 'x-ledger-position']) t.equal(again.headers[name], first.headers[name])
  t.strictSame([await used(), await entries()], [costBefore, entriesBefore])
})

await t.test('the entity tag and a decided refusal are replayed too', async (t) => {
  const { body } = await create('for-patch', employee())
  const path = `/v1/employees/${body.employees[0].id}`
  const patch = () =>
    service.call('PATCH', path, { body: { job_title: 'X' }, headers: { 'idempotency-key': 'patch-1' } })
  const first = await patch()
  await service.call('PATCH', path, { body: { job_title: 'Y' } })
  const again = await patch()
  t.equal(again.headers['etag'], first.headers['etag'])
  t.strictSame(again.body, first.body)
  const bad = employee({ email: 'nonsense' })
  const refused = await create('bad-1', bad)
  const refusedAgain = await create('bad-1', bad)
  t.equal(refusedAgain.status, 422)
  t.equal(refusedAgain.headers['idempotency-replayed'], 'true')
  t.strictSame(refusedAgain.body, refused.body)
})

await t.test('a call refused before it is decided leaves its idempotency key free', async (t) => {
  const body = employee()
  const malformed = await create('undecided', '{')
  t.equal(malformed.status, 400)
  const empty = await create('undecided', [])
  t.equal(empty.status, 422)
  t.equal((await create('undecided', body)).status, 201)
})

await t.test('the same key on another request gets 422 and a Failed entry', async (t) => {
  await create('reused', employee())
  const other = await create('reused', [employee(), employee()])
  t.match(other, { status: 422, body: { code: 'idempotency_key_reused', errors: [] } })
  t.match((await service.logOf(other.body.log_id)).entry, { status: 'Failed', counts: { total: 2, failed: 2 } })
  const elsewhere = await service.call('PATCH', '/v1/employees', {
    body: [{ email: 'x@example.com' }],
    headers: { 'idempotency-key': 'reused' },
  })
  t.equal(elsewhere.body.code, 'idempotency_key_reused')
})

await t.test('another If-Match makes another request', async (t) => {
  const { body } = await create('for-conditions', employee())
  const patch = (ifMatch?: string) =>
    service.call('PATCH', `/v1/employees/${body.employees[0].id}`, {
      body: { job_title: 'Lead' },
      headers: { 'idempotency-key': 'conditional', ...(ifMatch && { 'if-match': ifMatch }) },
    })
  t.match(await patch('"1"'), { status: 200, body: { result: 'synced' } })
  t.equal((await patch('"1"')).headers['idempotency-replayed'], 'true')
  for (const other of [undefined, '"2"', '*'])
    t.match(await patch(other), { status: 422, body: { code: 'idempotency_key_reused' } })
})

await t.test('two companies can use the same idempotency key', async (t) => {
  const other = await service.makeCompany('Other')
  const body = employee()
  await create('shared', body)
  const theirs = await send(service.address, 'POST', '/v1/employees', {
    key: other.key,
    body,
    headers: { 'idempotency-key': 'shared' },
  })
  t.equal(theirs.status, 201)
  t.notOk(theirs.headers['idempotency-replayed'])
})

await t.test('20 simultaneous retries on two processes run the call once and log it once', async (t) => {
  const second = isQuick
    ? (await startService(t, {}, { urls: service.urls })).address
    : addressOf(await startProcess(t, 'serve', service.urls))
  const before = await entries()
  const body = employee()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => create('stampede', body, at % 2 ? second : service.address)),
  )
  t.strictSame([...new Set(answers.map(({ status }) => status))], [201])
  t.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1)
  t.equal(answers.filter(({ headers }) => !headers['idempotency-replayed']).length, 1)
  t.equal(await entries(), before + 1)
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('after a crash between commit and answer, another process replays the stored answer', async (t) => {
  const line = await openDatabaseLine(t, () => Number(new URL(service.urls.serviceUrl).port))
  const crashing = await startProcess(t, 'serve', {
    ...service.urls,
    serviceUrl: line.through(service.urls.serviceUrl),
  })
  const [before, body] = [await entries(), employee()]
  line.loseNext('swallow the answer to COMMIT')
  // No answer arrives: the process is killed as soon as the call is committed.
  void create('crash', body, addressOf(crashing)).catch(() => undefined)
  await eventually('it is committed', async () => {
    const { rows } = await service.pool.query('select 1 from employee_directory where email = $1', [body['email']])
    return rows.length > 0
  })
  await crashing.end('SIGKILL')
  const retry = await create('crash', body)
  t.match(retry, {
    status: 201,
    headers: { 'idempotency-replayed': 'true' },
    body: { employees: [{ email: body['email'] }] },
  })
  t.equal(await entries(), before + 1)
})

await t.test('an invalid key gets 400 and an entry', async (t) => {
  for (const bad of ['', 'with space', 'x'.repeat(256), 'é']) {
    const answer = await create(Buffer.from(bad).toString('latin1'), [employee()])
    t.match(answer, { status: 400, body: { code: 'idempotency_key_invalid' } })
    t.match((await service.logOf(answer.body.log_id)).entry.counts, { total: 1, failed: 1 })
  }
})

await t.test('a retry after the expiry gets 409 with the id of the first call, and has no effect', async (t) => {
  const body = employee()
  const first = await create('expiring', body)
  await moveBack(service, 'idempotency_keys', 'answered_at', 73 * 3_600)
  t.ok((await expireAnswers(service.pool, 72)) > 0)
  t.equal(await expireAnswers(service.pool, 72), 0)
  const before = await entries()
  const late = await create('expiring', body)
  t.match(late, { status: 409, body: { code: 'idempotency_response_expired', log_id: first.body.log_id } })
  t.equal(await entries(), before)
})

await t.test('a retry succeeds at an exhausted quota, but not with a disabled key', async (t) => {
  const body = employee()
  const first = await create('exhausted', body)
  await service.pool.query('update api_keys set quota_limit = 1')
  t.teardown(() => service.pool.query('update api_keys set quota_limit = 1000000, is_enabled = true'))
  t.strictSame((await create('exhausted', body)).body, first.body)
  t.equal((await create('exhausted-other', body)).status, 429)
  await service.pool.query('update api_keys set is_enabled = false')
  t.equal((await create('exhausted', body)).status, 403)
})
