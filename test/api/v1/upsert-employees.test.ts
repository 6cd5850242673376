import t from 'tap'
import { employee, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

const service = await startService(t)
const upsert = (body: unknown, options: { query?: string; headers?: Record<string, string> } = {}) =>
  service.call('PUT', `/v1/employees${options.query ?? ''}`, {
    body,
    ...(options.headers ? { headers: options.headers } : {}),
  })

await t.test('an upsert creates and updates in one call with one entry', async (t) => {
  const known = employee({ external_id: 'U-1', job_title: 'Dev' })
  const { body: created } = await service.call('POST', '/v1/employees', { body: known })
  const joiner = employee({ external_id: 'U-2' })
  const { status, body } = await upsert({
    employees: [{ ...known, job_title: 'Lead' }, joiner, { email: joiner.email }],
  })
  t.equal(status, 422, 'the last record names the employee that the second would create')
  t.match(body.errors, [{ index: 1, code: 'duplicate_in_batch' }, { index: 2 }])

  const { status: again, body: answer } = await upsert({ employees: [{ ...known, job_title: 'Lead' }, joiner] })
  t.equal(again, 200)
  t.strictSame(answer.counts, { total: 2, updated: 1, deactivated: 0, failed: 0, no_updates: 0 })
  const [updated, made] = answer.results
  const { id } = created.employees[0]
  t.strictSame(updated, { index: 0, id, status: 'active', result: 'synced', changed: ['job_title'] })
  t.strictSame(made, { index: 1, id: made.id, status: 'active', result: 'created', changed: [] })
  t.match((await service.call('GET', `/v1/employees/${made.id}`)).body, { ...joiner, version: 1 })

  const { entry, records } = await service.logOf(answer.log_id)
  t.match(entry, { status: 'Completed', operation: 'upsert', counts: answer.counts })
  t.match(records, [
    { index: 0, status: 'Synced', changes: { job_title: { from: 'Dev', to: 'Lead' } } },
    { index: 1, status: null, employee_id: made.id, attributes: { external_id: 'U-2' } },
  ])
  t.strictSame((await upsert([{ ...known, job_title: 'Lead' }, joiner])).body.counts.no_updates, 2, 'the second time')
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('validate_only tells which records would create an employee, and stores nothing', async (t) => {
  const sent = employee({ external_id: 'V-1' })
  const { status, body } = await upsert([sent], { query: '?validate_only=true' })
  t.equal(status, 200)
  t.strictSame(body.results, [{ index: 0, id: null, status: 'active', result: 'created', changed: [] }])
  t.notOk('log_id' in body)
  t.strictSame((await service.call('GET', '/v1/employees?external_id=V-1')).body.items, [])
})

await t.test('a retry with the same Idempotency-Key creates nobody again', async (t) => {
  const headers = { 'idempotency-key': 'upsert-1' }
  const sent = [employee({ external_id: 'W-1' })]
  const [first, second] = [await upsert(sent, { headers }), await upsert(sent, { headers })]
  t.equal(second.headers['idempotency-replayed'], 'true')
  t.strictSame(second.body, first.body)
})

await t.test('link_by_email gives hand-made people their external_ids, and its refusal says how', async (t) => {
  const sent = [employee(), employee()]
  const { body: made } = await service.call('POST', '/v1/employees', { body: sent })
  const ids = made.employees.map(({ id }: { id: string }) => id)
  const exported = sent.map((one, at) => ({
    ...one,
    external_id: `L-${at}`,
    manager_external_id: at > 0 ? 'L-0' : null,
  }))
  const headers = { 'idempotency-key': 'link-1' }
  const refused = await upsert(exported, { headers })
  t.match(refused, { status: 409, body: { errors: [{ id: ids[0], message: /link_by_email=true/ }, { id: ids[1] }] } })
  const query = '?link_by_email=true'
  t.match(await upsert(exported, { query, headers }), { status: 422, body: { code: 'idempotency_key_reused' } })
  const preview = await upsert(exported, { query: `${query}&validate_only=true` })
  t.match(preview.body, { counts: { updated: 2 }, results: [{ id: ids[0] }, { id: ids[1] }] })
  const [one, other] = await Promise.all([upsert(exported, { query }), upsert(exported, { query })])
  t.strictSame(
    [one.body.counts.updated, other.body.counts.updated].toSorted((a, b) => a - b),
    [0, 2],
    'once, by two calls at once',
  )
  const { body } = await service.call('GET', `/v1/employees/${ids[1]}`)
  t.match(body, { external_id: 'L-1', manager_id: ids[0] })
  for (const method of ['POST', 'PATCH'] as const)
    t.match(await service.call(method, `/v1/employees${query}`, { body: [] }), { status: 400 })
})

await t.test('link_by_email works in large calls, and beside records that are refused', async (t) => {
  const sent = Array.from({ length: 60 }, () => employee())
  await service.call('POST', '/v1/employees', { body: sent })
  const exported = sent.map((one, at) => ({ ...one, external_id: `M-${at}`, ...(at === 7 ? { phone: 'x' } : {}) }))
  const query = '?link_by_email=true&all_or_none=false'
  t.match((await upsert(exported, { query })).body.counts, { total: 60, updated: 59, failed: 1 })
  t.match((await upsert(exported, { query })).body.counts, { no_updates: 59, failed: 1 })
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('an upsert that is refused as a whole has one entry that counts its records', async (t) => {
  const { status, body } = await upsert({ employees: [employee(), employee()], dry_run: true })
  t.equal(status, 400)
  const { entry } = await service.logOf(body.log_id)
  t.match(entry, {
    status: 'Failed',
    operation: 'upsert',
    counts: { total: 2, failed: 2 },
    error: { code: 'invalid_body' },
  })
})
