import t from 'tap'
import { employee, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

const service = await startService(t)
const create = (body: unknown) => service.call('POST', '/v1/employees', { body })
const patch = (body: unknown) => service.call('PATCH', '/v1/employees', { body })
const people = async (...more: Record<string, unknown>[]) =>
  (await create(more.map((one) => employee(one)))).body.employees
const faults = ({ body }: { body: { errors: { index: number; pointer: string; code: string }[] } }) =>
  body.errors.map(({ index, pointer, code }) => [index, pointer, code])

await t.test('a manager is named by id, external id, or e-mail in any case', async (t) => {
  const [boss] = await people({ external_id: 'BOSS', email: 'boss@example.com' })
  const named = [{ manager_id: boss.id }, { manager_external_id: 'BOSS' }, { manager_email: 'BOSS@example.com' }]
  const { status, body } = await create(named.map((name) => employee(name)))
  t.equal(status, 201)
  for (const made of body.employees) t.equal(made.manager_id, boss.id)
  const { records } = await service.logOf(body.log_id)
  for (const { attributes } of records) t.equal(attributes.manager_id, boss.id)
  const cleared = await patch([
    { id: body.employees[0].id, manager_id: null },
    { id: body.employees[1].id, manager_email: null },
  ])
  t.match(cleared.body.results, [
    { result: 'synced', changed: ['manager_id'] },
    { result: 'synced', changed: ['manager_id'] },
  ])
  const same = await patch([{ id: body.employees[2].id, manager_external_id: 'BOSS' }])
  t.equal(same.body.results[0].result, 'no_updates')
})

await t.test('a manager can come later in the same call', async (t) => {
  const { status, body } = await create([
    employee({ manager_email: 'late@example.com' }),
    employee({ email: 'late@example.com', manager_external_id: 'TOP' }),
    employee({ external_id: 'TOP' }),
  ])
  t.equal(status, 201)
  const [a, b, c] = body.employees
  t.strictSame([a.manager_id, b.manager_id, c.manager_id], [b.id, c.id, null])
  const moved = await patch([
    { id: a.id, manager_external_id: 'NEW-TOP' },
    { id: b.id, external_id: 'NEW-TOP' },
  ])
  t.equal(moved.status, 200)
})

await t.test("an unknown employee or another company's cannot be a manager", async (t) => {
  const other = await service.makeCompany('Other')
  const theirs = await service.call('POST', '/v1/employees', {
    body: employee({ external_id: 'FOREIGN' }),
    key: other.key,
  })
  const answer = await create([
    employee({ manager_id: theirs.body.employees[0].id }),
    employee({ manager_id: 'emp_01h455vb4pex5vsknk084sn02q' }),
    employee({ manager_id: 'nobody' }),
    employee({ manager_external_id: 'FOREIGN' }),
    employee({ manager_email: 'nobody@example.com' }),
    employee({ manager_id: 7 }),
    employee({ manager_external_id: 'A', manager_email: 'a@example.com' }),
  ])
  t.equal(answer.status, 422)
  t.strictSame(faults(answer), [
    [0, '/0/manager_id', 'manager_not_found'],
    [1, '/1/manager_id', 'manager_not_found'],
    [2, '/2/manager_id', 'manager_not_found'],
    [3, '/3/manager_external_id', 'manager_not_found'],
    [4, '/4/manager_email', 'manager_not_found'],
    [5, '/5/manager_id', 'invalid_type'],
    [6, '/6/manager_external_id', 'manager_not_found'],
    [6, '/6/manager_email', 'manager_not_found'],
  ])
})

await t.test('several fields may name the same manager, or none, and no two', async (t) => {
  const [a, b] = await people({ external_id: 'SAME-1' }, {})
  const { status, body } = await create([
    employee({ manager_id: a.id, manager_email: a.email, manager_external_id: 'SAME-1' }),
    employee({ manager_id: null, manager_email: '', manager_external_id: null }),
  ])
  t.equal(status, 201)
  t.strictSame(
    body.employees.map(({ manager_id: id }: { manager_id: string | null }) => id),
    [a.id, null],
  )
  t.strictSame(
    faults(
      await create([
        employee({ manager_id: a.id, manager_email: b.email }),
        employee({ manager_email: a.email, manager_id: null }),
      ]),
    ),
    [
      [0, '/0/manager_email', 'invalid_value'],
      [1, '/1/manager_id', 'invalid_value'],
    ],
  )
})

await t.test('a cycle is refused, whether through oneself, existing managers or the same call', async (t) => {
  const [a, b, c] = await people({}, {}, {})
  t.equal(
    (
      await patch([
        { id: b.id, manager_id: a.id },
        { id: c.id, manager_id: b.id },
      ])
    ).status,
    200,
  )
  t.strictSame(faults(await patch([{ id: a.id, manager_id: a.id }])), [[0, '/0/manager_id', 'manager_cycle']])
  t.strictSame(faults(await patch([{ id: a.id, manager_id: c.id }])), [[0, '/0/manager_id', 'manager_cycle']])
  const [d, e] = await people({}, {})
  t.strictSame(
    faults(
      await patch([
        { id: d.id, manager_email: e.email },
        { id: e.id, manager_email: d.email },
      ]),
    ),
    [
      [0, '/0/manager_email', 'manager_cycle'],
      [1, '/1/manager_email', 'manager_cycle'],
    ],
  )
  const inCall = [
    employee({ external_id: 'P', manager_external_id: 'Q' }),
    employee({ external_id: 'Q', manager_external_id: 'P' }),
  ]
  t.strictSame(faults(await create(inCall)), [
    [0, '/0/manager_external_id', 'manager_cycle'],
    [1, '/1/manager_external_id', 'manager_cycle'],
  ])
})

await t.test('a manager and a report can swap places in one call', async (t) => {
  const [top, under] = await people({}, {})
  await patch([{ id: under.id, manager_id: top.id }])
  const { status } = await patch([
    { id: top.id, manager_id: under.id },
    { id: under.id, manager_id: null },
  ])
  t.equal(status, 200)
})

await t.test('two concurrent calls cannot close a cycle, even within one commit', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const [a, b] = await people({}, {})
    const answers = await Promise.all([
      patch([{ id: a.id, manager_id: b.id }]),
      patch([{ id: b.id, manager_id: a.id }]),
    ])
    t.strictSame(
      answers.map(({ status }) => status).sort((x, y) => x - y),
      [200, 422],
    )
  }
})

await t.test('in a long chain, the middle can move, but the top cannot report to the bottom', async (t) => {
  const length = 900
  const chain = Array.from({ length }, (_, at) =>
    employee({ external_id: `C-${at}`, ...(at > 0 ? { manager_external_id: `C-${at - 1}` } : {}) }),
  )
  t.equal((await create(chain)).status, 201)
  t.equal((await create(employee({ manager_external_id: `C-${length - 1}` }))).status, 201)
  const closing = await patch([{ external_id: 'C-0', manager_external_id: `C-${length - 1}` }])
  t.strictSame(faults(closing), [[0, '/0/manager_external_id', 'manager_cycle']])
  const middle = await patch([{ external_id: 'C-450', manager_external_id: `C-3` }])
  t.equal(middle.status, 200)
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('a cycle is refused even if the call moves the value that names the manager', async (t) => {
  for (const name of ['external_id', 'email'] as const) {
    const [top, middle, bottom] = await people({}, {}, {})
    await patch([
      { id: middle.id, manager_id: top.id },
      { id: bottom.id, manager_id: middle.id },
    ])
    const value = name === 'email' ? 'moved@example.com' : 'MOVED'
    // The bottom employee takes the value, and the top one names its manager by it.
    const answer = await patch([
      { id: bottom.id, [name]: value },
      { id: top.id, [`manager_${name}`]: value },
    ])
    t.strictSame(faults(answer), [[1, `/1/manager_${name}`, 'manager_cycle']])
  }
})

await t.test('a cycle is refused even if a call in the same commit moved the locating e-mail', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const [top, middle, bottom] = await people({}, {}, {})
    await patch([
      { id: middle.id, manager_id: top.id },
      { id: bottom.id, manager_id: middle.id },
    ])
    const email = `moving.${round}@example.com`
    const [moved, closing] = await Promise.all([
      patch([{ id: top.id, email }]),
      patch([{ email, manager_id: bottom.id }]),
    ])
    t.equal(moved.status, 200)
    // Either call may come first; neither order may close the cycle.
    t.equal(closing.status, 422)
  }
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('in a chain longer than the search from the top covers, a cycle is found from the bottom', async (t) => {
  const makeLinks = (from: number, count: number) =>
    create(
      Array.from({ length: count }, (_, at) => {
        const level = from + at
        return employee({ external_id: `L-${level}`, ...(level > 0 && { manager_external_id: `L-${level - 1}` }) })
      }),
    )
  const close = (level: number) => patch([{ external_id: 'L-0', manager_external_id: `L-${level}` }])
  t.equal((await makeLinks(0, 505)).status, 201)
  t.equal((await makeLinks(505, 505)).status, 201)
  t.strictSame(faults(await close(1_009)), [[0, '/0/manager_external_id', 'manager_cycle']])

  t.equal((await makeLinks(1_010, 100)).status, 201)
  const tooLong = await close(1_109)
  t.strictSame(faults(tooLong), [[0, '/0/manager_external_id', 'invalid_value']])
  t.match(tooLong.body.errors[0].message, /too long/)
  t.strictSame(faults(await close(500)), [[0, '/0/manager_external_id', 'manager_cycle']])
  t.equal((await patch([{ external_id: 'L-0', manager_external_id: 'BOSS' }])).status, 200)
})
