import t from 'tap'
import { streamOf } from '../../support/ledger/company-events.ts'
import { csvRows } from '../../support/http/csv-rows.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { employee, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'

const service = await startService(t)
const { company } = service
const UNKNOWN = 'emp_01h455vb4pex5vsknk084sn02q'

const create = async (more: object = {}, headers: Record<string, string> = {}) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee({ ...more }), headers })
  return { logId: body.log_id as string, ...(body.employees[0] as { id: string; email: string }) }
}
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call('PATCH', `/v1/employees/${id}`, { body, headers })
const erase = (body: unknown, token?: string) => service.manage('POST', '/erasures', body, token)

await t.test('an erased employee is gone, and the ledger records it without personal data', async (t) => {
  const ana = await create({ external_id: 'E-1' })
  await patch(ana.id, { job_title: 'Dev' })
  await patch(ana.id, { status: 'inactive' })
  const answer = await erase({ employee_id: ana.id })
  t.match(answer, { status: 200, body: { erased: { employee_id: ana.id, positions: 3 } } })
  t.equal(answer.headers['x-ledger-position'], String(answer.body.position))

  t.match(await service.call('GET', `/v1/employees/${ana.id}`), { status: 404, body: { code: 'employee_not_found' } })
  await service.project()
  t.strictSame((await service.call('GET', '/v1/employees?external_id=E-1')).body.items, [])
  const stream = await streamOf(service, ana.id)
  const [created, updated, deactivated, erased] = stream
  t.strictSame(
    [created, updated, deactivated].map((event) => event!.data),
    [null, null, null],
  )
  t.match(erased, {
    type: 'EmployeeErased',
    version: 4,
    actor: company.admin.user_id,
    position: answer.body.position,
    call_id: null,
  })
  t.strictSame(erased!.data, { positions: [created, updated, deactivated].map((event) => event!.position) })
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('a second erasure finds nobody and changes nothing', async (t) => {
  const ana = await create({ external_id: 'twice' })
  t.equal((await erase({ external_id: 'twice' })).status, 200)
  const { rows: before } = await service.pool.query('select position from heads')
  for (const body of [{ employee_id: ana.id }, { email: ana.email }, { external_id: 'twice' }]) {
    t.match(await erase(body), { status: 404, body: { code: 'employee_not_found' } })
  }
  t.strictSame((await service.pool.query('select position from heads')).rows, before)
})

await t.test('e-mail and external id are free again for a new employee', async (t) => {
  const ana = await create({ email: 'free@example.com', external_id: 'free' })
  await erase({ email: 'FREE@example.com' })
  const again = await create({ email: 'free@example.com', external_id: 'free' })
  t.not(again.id, ana.id)
  await service.project()
  const { items } = (await service.call('GET', '/v1/employees?email=free@example.com')).body
  t.strictSame(
    items.map(({ id }: { id: string }) => id),
    [again.id],
  )
})

await t.test('records refused after an erasure can be erased by the same id', async (t) => {
  const ana = await create()
  await erase({ employee_id: ana.id })
  t.equal((await patch(ana.id, { first_name: 'Ana' })).status, 404)
  t.match(await erase({ employee_id: ana.id }), {
    status: 200,
    body: { erased: { employee_id: ana.id, positions: 1 } },
  })
  t.strictSame(
    (await streamOf(service, ana.id)).map(({ type, version }) => [type, version]),
    [
      ['EmployeeCreated', 1],
      ['EmployeeErased', 2],
      ['EmployeeErased', 3],
    ],
  )
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('the log keeps entries, counts and statuses, and shows the records as erased', async (t) => {
  const { body: made } = await service.call('POST', '/v1/employees', {
    body: [employee(), employee({ external_id: 'shown' })],
  })
  const { id } = made.employees[1]
  const calls = [
    made,
    (
      await service.call('PATCH', '/v1/employees', {
        body: [
          { id: made.employees[0].id, job_title: 'A' },
          { id, job_title: 'B', status: 'inactive' },
        ],
      })
    ).body,
    (await patch(id, { phone: 'none' })).body,
  ]
  const before = await Promise.all(calls.map(({ log_id: logId }) => service.logOf(logId)))
  t.ok(before.every(({ records }) => records.every(({ erased }) => erased === false)))
  await erase({ external_id: 'shown' })
  const after = await Promise.all(calls.map(({ log_id: logId }) => service.logOf(logId)))
  t.strictSame(
    after.map(({ entry }) => entry),
    before.map(({ entry }) => entry),
  )
  const gone = {
    attributes: null,
    changes: null,
    record: null,
    errors: null,
    truncated: false,
    errors_omitted: 0,
    left_out: [],
    erased: true,
  }
  t.strictSame(after[0]!.records, [before[0]!.records[0], { index: 1, employee_id: id, status: null, ...gone }])
  t.strictSame(after[1]!.records, [
    before[1]!.records[0],
    { index: 1, employee_id: id, status: 'Deactivated', ...gone },
  ])
  t.strictSame(after[2]!.records, [{ index: 0, employee_id: null, status: null, ...gone }])

  const { body: csv } = await service.admin(`/bulk-user-logs/${calls[1].log_id}/records.csv`)
  const [header, kept, erased] = csvRows(csv)
  t.equal(header!.at(-1), 'erased')
  t.strictSame([kept!.at(-1), erased!.at(-1)], ['', 'erased'])
  for (const filter of ['q=shown', 'employee=shown', `employee=${made.employees[1].email}`]) {
    t.strictSame((await service.admin(`/bulk-user-logs?${filter}`)).body.items, [], `${filter} finds nobody`)
  }
})

await t.test('an erasure deletes stored answers, and a retry gets 409 with the first log id', async (t) => {
  const ana = await create({}, { 'idempotency-key': 'create-ana' })
  const bo = await create({}, { 'idempotency-key': 'create-bo' })
  const unchanged = await patch(ana.id, { email: ana.email }, { 'idempotency-key': 'no-change' })
  t.equal(unchanged.body.result, 'no_updates')
  await erase({ employee_id: ana.id })
  const retries = [
    await service.call('POST', '/v1/employees', { body: employee(), headers: { 'idempotency-key': 'create-ana' } }),
    await patch(ana.id, { email: ana.email }, { 'idempotency-key': 'no-change' }),
  ]
  t.match(
    retries[0],
    { status: 409, body: { code: 'idempotency_response_expired' } },
    'a different request gets the same error',
  )
  t.match(retries[1], { status: 409, body: { code: 'idempotency_response_expired', log_id: unchanged.body.log_id } })
  const { rows } = await service.pool.query(`select body is null as gone from idempotency_keys order by position`)
  t.strictSame(
    rows.map(({ gone }) => gone),
    [true, false, true],
  )
  t.ok(bo.id)
})

await t.test('a former e-mail or external id erases nothing, and the error says whose it was', async (t) => {
  const ana = await create({ email: 'maiden@example.com', external_id: 'old-id' })
  await patch(ana.id, { email: 'married@example.com', external_id: 'new-id' })
  for (const body of [{ email: 'maiden@example.com' }, { external_id: 'old-id' }]) {
    const answer = await erase(body)
    t.match(answer, { status: 409, body: { code: 'former_name' } })
    t.match(answer.body.detail, ana.id)
  }
  t.equal((await service.call('GET', `/v1/employees/${ana.id}`)).status, 200)
  const taker = await create({ email: 'maiden@example.com' })
  t.match(await erase({ email: 'maiden@example.com' }), { status: 200, body: { erased: { employee_id: taker.id } } })
  t.equal((await service.call('GET', `/v1/employees/${ana.id}`)).status, 200, 'its former holder is not erased')
  await erase({ employee_id: ana.id })
  t.match(await erase({ email: 'maiden@example.com' }), { status: 404 })
})

await t.test('reports of an erased manager keep the id, and can be changed and moved', async (t) => {
  const [boss, next] = [await create(), await create()]
  const ana = await create({ manager_id: boss.id })
  await erase({ employee_id: boss.id })
  t.match(await service.call('GET', `/v1/employees/${ana.id}`), { status: 200, body: { manager_id: boss.id } })
  t.match(await patch(ana.id, { job_title: 'X' }), { status: 200 })
  t.match(
    await patch(ana.id, { manager_id: boss.id }),
    { status: 200, body: { changed: [] } },
    'what is read can be sent',
  )
  t.match(await patch(next.id, { manager_id: boss.id }), {
    status: 422,
    body: { errors: [{ code: 'manager_not_found' }] },
  })
  t.match(await patch(next.id, { manager_id: ana.id }), { status: 200 })
  t.match(await patch(ana.id, { manager_id: null }), { status: 200, body: { changed: ['manager_id'] } })
})

await t.test('a concurrent call and erasure run one after the other', async (t) => {
  for (const first of ['erasure', 'patch'] as const) {
    const ana = await create()
    const holder = await holdHead(service)
    const acts = { erasure: () => erase({ employee_id: ana.id }), patch: () => patch(ana.id, { job_title: 'X' }) }
    const one = acts[first]()
    await lockIsAwaited(service, 'heads', 1)
    const two = acts[first === 'patch' ? 'erasure' : 'patch']()
    await lockIsAwaited(service, 'heads', 2)
    await letGo(holder)
    const answers = first === 'erasure' ? [await one, await two] : [await two, await one]
    t.equal(answers[0]!.status, 200)
    t.ok([200, 404].includes(answers[1]!.status))
    t.equal((await service.call('GET', `/v1/employees/${ana.id}`)).status, 404)
    const { data } = (await streamOf(service, ana.id)).findLast(({ type }) => type === 'EmployeeUpdated') ?? {
      data: null,
    }
    t.equal(data, null, 'a concurrent change is erased too')
    t.strictSame(await ledgerFaults(service.db, company.id), [])
  }
})

await t.test('an erasure includes a concurrent change of e-mail', async (t) => {
  const ana = await create()
  const holder = await holdHead(service)
  const renamed = patch(ana.id, { email: 'meanwhile@example.com' })
  await lockIsAwaited(service, 'heads', 1)
  const erased = erase({ employee_id: ana.id })
  await lockIsAwaited(service, 'heads', 2)
  await letGo(holder)
  t.equal((await renamed).status, 200)
  t.match(await erased, { status: 200, body: { erased: { positions: 2 } } })
  t.strictSame(
    (await streamOf(service, ana.id)).map(({ data }) => data === null),
    [true, true, false],
  )
})

await t.test('an erasure names one person in exactly one way', async (t) => {
  for (const [body, pointer, code] of [
    [{}, '', 'required'],
    [{ email: 'a@example.com', external_id: 'x' }, '', 'invalid_value'],
    [{ email: '' }, '/email', 'too_short'],
    [{ email: 7 }, '/email', 'invalid_type'],
    [{ name: 'Ana' }, '/name', 'unknown_field'],
  ] as const) {
    t.match(await erase(body), { status: 422, body: { code: 'validation_failed', errors: [{ pointer, code }] } })
  }
})

await t.test("another company's employee gets the same answer as an unknown one, and stays", async (t) => {
  const other = await service.makeCompany('Other')
  const ana = await create({ external_id: 'ours' })
  const bytes = new Set<string>()
  for (const body of [
    { employee_id: ana.id },
    { employee_id: UNKNOWN },
    { employee_id: 'me' },
    { email: ana.email },
    { external_id: 'ours' },
  ]) {
    const answer = await erase(body, other.admin.token)
    t.equal(answer.status, 404)
    bytes.add(JSON.stringify({ ...answer.body, request_id: '' }))
  }
  t.equal(bytes.size, 1)
  t.equal((await service.call('GET', `/v1/employees/${ana.id}`)).status, 200)
})
