import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const list = (query: string) => service.call('GET', `/v1/employees?${query}`)
const emails = (body: { items: { email: string }[] }) => body.items.map(({ email }) => email)

const sent = Array.from({ length: 12 }, (_, at) =>
  employee({ email: `e${at}@example.com`, external_id: `X-${at}`, last_name: at === 7 ? 'Ångström' : 'Pérez' }),
)
const { body: made } = await service.call('POST', '/v1/employees', { body: sent })
await service.call('PATCH', '/v1/employees', { body: [{ email: 'e3@example.com', status: 'inactive' }] })
await service.project()

const allPages = async (query: string, between: () => Promise<unknown> = async () => undefined) => {
  const found: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, body } = await list(`${query}${cursor && `&cursor=${cursor}`}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    found.push(...emails(body))
    cursor = body.next_cursor
    await between()
  }
  return found
}

await t.test('employees are listed in full, in order of creation', async (t) => {
  const { status, body } = await list('limit=200')
  t.equal(status, 200)
  t.strictSame(
    emails(body),
    sent.map(({ email }) => email),
  )
  const single = await service.call('GET', `/v1/employees/${made.employees[3].id}`)
  t.strictSame(body.items[3], single.body)
  t.equal(body.next_cursor, null)
})

await t.test('a cursor belongs to its filters, and one of the previous version has none', async (t) => {
  const { next_cursor: cursor } = (await list('limit=2&status=active')).body
  t.equal((await list(`limit=5&status=active&cursor=${cursor}`)).status, 200, 'the limit is no filter')
  for (const other of ['', '&status=inactive', '&status=active&q=e'])
    t.match(await list(`cursor=${cursor}${other}`), { status: 400, body: { detail: /belongs to other filters/ } })
  t.equal((await list(`status=active&cursor=${cursor.split('.')[0]}`)).status, 200)
})

await t.test('the latest changes come first where that is asked for, page by page', async (t) => {
  const latest = await allPages('order=updated_desc&limit=5')
  t.equal(latest[0], 'e3@example.com')
  t.strictSame(latest.toSorted(), emails((await list('limit=200')).body).toSorted(), 'each once')
  t.strictSame((await allPages('order=updated_desc&status=active&limit=200'))[0], 'e11@example.com')
  const { updated_at: since } = (await list('email=e3@example.com')).body.items[0]
  t.strictSame(await allPages(`order=updated_desc&updated_since=${since}`), ['e3@example.com'])
})

await t.test('changes between pages neither skip nor repeat an employee', async (t) => {
  let turn = 0
  const change = async () => {
    turn += 1
    await service.call('PATCH', '/v1/employees', {
      body: [{ external_id: `X-${turn}`, job_title: `T${turn}`, first_name: `Z${turn}` }],
    })
    await service.project()
  }
  t.strictSame(
    await allPages('limit=5', change),
    sent.map(({ email }) => email),
  )
})

await t.test('the list filters by status, e-mail in any case, external id and words of a name', async (t) => {
  t.strictSame(await allPages('status=inactive'), ['e3@example.com'])
  t.equal((await allPages('status=active&limit=4')).length, 11)
  t.strictSame(await allPages('email=E5%40EXAMPLE.com'), ['e5@example.com'])
  t.strictSame(await allPages('external_id=X-9'), ['e9@example.com'])
  t.strictSame(await allPages('external_id=x-9'), [], 'external ids are case-sensitive')
  t.strictSame(await allPages(`q=${encodeURIComponent('ÅNGSTRÖM')}`), ['e7@example.com'])
  t.strictSame(await allPages('q=100%25_'), [], 'no character of q is a wildcard')
})

await t.test('an e-mail that moves between two employees finds exactly one of them at any time', async (t) => {
  const swap = (one: string, two: string) =>
    service.call('PATCH', '/v1/employees', {
      body: [
        { id: made.employees[4].id, email: one },
        { id: made.employees[5].id, email: two },
      ],
    })
  const found = async (query: string) => (await list(query)).body.items.map(({ id }: { id: string }) => id)
  await swap('e5@example.com', 'e4@example.com')
  t.strictSame(await found('email=e4@example.com'), [made.employees[5].id], 'before the projection catches up')
  await service.project()
  t.strictSame(await found('email=e4@example.com'), [made.employees[5].id], 'and afterwards')
  for (let turn = 0; turn < 20; turn += 1) {
    const swapped = turn % 2 ? swap('e5@example.com', 'e4@example.com') : swap('e4@example.com', 'e5@example.com')
    const meanwhile = await Promise.all(Array.from({ length: 5 }, () => found('email=e4@example.com')))
    t.ok(meanwhile.every(({ length }) => length === 1))
    await swapped
    if (turn % 5 === 4) await service.project()
  }
  await swap('e4@example.com', 'e5@example.com')
  await service.project()
})

await t.test('the other filters and the cursor also apply to a search by e-mail', async (t) => {
  const {
    items: [one],
    next_cursor: none,
  } = (await list('email=e6@example.com')).body
  t.equal(none, null)
  const find = async (query: string) => emails((await list(`email=e6@example.com&${query}`)).body)
  // As an earlier version returned it: a later one belongs to its filters.
  const cursorAt = async (index: number) => (await list(`limit=${index + 1}`)).body.next_cursor.split('.')[0]
  for (const query of [
    'status=active',
    'q=E6',
    'external_id=X-6',
    `updated_since=${one.updated_at}`,
    `cursor=${await cursorAt(5)}`,
  ]) {
    t.strictSame(await find(query), ['e6@example.com'], query)
  }
  for (const query of [
    'status=inactive',
    'q=nobody',
    'external_id=X-7',
    'updated_since=2999-01-01T00:00:00Z',
    `cursor=${await cursorAt(6)}`,
  ]) {
    t.strictSame(await find(query), [], query)
  }
})

await t.test('a new e-mail finds the employee at once, and the old one finds nobody', async (t) => {
  const change = (email: string) => service.call('PATCH', '/v1/employees', { body: [{ external_id: 'X-8', email }] })
  await change('new8@example.com')
  t.strictSame(await allPages('email=e8@example.com'), [])
  t.strictSame(await allPages('email=new8@example.com'), ['new8@example.com'])
  t.strictSame(await allPages('email=new8@example.com&status=inactive'), [])
  await change('e8@example.com')
  await service.project()
})

await t.test('updated_since lists the changed employees in order of change', async (t) => {
  const { body: before } = await service.call('PATCH', '/v1/employees', {
    body: [{ external_id: 'X-2', location: 'Porto' }],
  })
  t.ok(before.log_id)
  const { body: second } = await service.call('GET', `/v1/employees/${made.employees[2].id}`)
  await service.call('PATCH', '/v1/employees', {
    body: [
      { external_id: 'X-0', location: 'Faro' },
      { external_id: 'X-11', location: 'Faro' },
    ],
  })
  await service.project()
  const since = `updated_since=${second.updated_at}`
  t.strictSame(await allPages(`${since}&limit=1`), ['e2@example.com', 'e0@example.com', 'e11@example.com'])
})

await t.test('min_position lets a client read its own write, and is refused beyond the head', async (t) => {
  const { headers } = await service.call('POST', '/v1/employees', { body: employee({ email: 'own@example.com' }) })
  const position = Number(headers['x-ledger-position'])
  const pending = list(`email=own@example.com&min_position=${position}`)
  await service.project()
  t.strictSame(emails((await pending).body), ['own@example.com'])
  t.match(await list(`min_position=${position + 1}`), { status: 400, body: { code: 'invalid_query' } })
})

await t.test('an address in which + became a space is refused with the way to write it', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee({ email: 'a+b@example.com' }) })
  t.match(await service.call('GET', '/v1/employees?email=a+b@example.com'), {
    status: 400,
    body: { code: 'invalid_query', detail: /%2B/ },
  })
  const found = await service.call('GET', '/v1/employees?email=a%2Bb@example.com')
  t.strictSame(found.body.items, body.employees)
})

await t.test(
  'an external id is found with the blanks around it, and with those that an older ledger holds',
  async (t) => {
    const { body } = await service.call('POST', '/v1/employees', { body: employee({ external_id: 'BLANK-1' }) })
    const find = async (id: string) =>
      (await service.call('GET', `/v1/employees?external_id=${encodeURIComponent(id)}`)).body.items
    t.strictSame(await find(' BLANK-1\u00a0'), body.employees)
  },
)

await t.test("another company's list is empty", async (t) => {
  const other = await service.makeCompany('Other')
  const { body } = await service.call('GET', '/v1/employees', { key: other.key })
  t.strictSame(body, { items: [], next_cursor: null })
})

await t.test('a bad query parameter gets 400 and costs one unit', async (t) => {
  const used = async () => (await service.call('GET', '/v1/auth/verify')).body.requests_made
  const before = await used()
  const refused = {
    'limit=0': 'limit must be at least 1',
    'status=gone': 'status must be one of active, inactive',
    'updated_since=yesterday': 'updated_since',
    'updated_since=0000-01-01T00:00:00Z': 'updated_since',
    'updated_since=2016-12-31T23:59:60Z': 'updated_since',
    'q=%00': 'q',
    'min_position=-1': 'min_position must be at least 0',
  }
  for (const [query, rule] of Object.entries(refused)) {
    const { status, body } = await list(query)
    t.equal(status, 400, query)
    t.match(body, { code: 'invalid_query', detail: new RegExp(`^The query parameter ${rule}`) })
  }
  t.match((await list('color=red')).body, { code: 'invalid_query', detail: /query parameter does not exist/ })
  t.equal(await used(), before + Object.keys(refused).length + 1)
})

await t.test(
  'department, location, manager, and what is missing narrow the list, alone and with each other',
  async (t) => {
    const boss = made.employees[0].id as string
    await service.call('PATCH', '/v1/employees', {
      body: [
        { email: 'e1@example.com', department: 'Sales', location: 'Berlin', manager_id: boss },
        { email: 'e2@example.com', department: 'sales', location: 'Bonn', manager_id: boss },
        { email: 'e4@example.com', termination_date: '2020-01-31', department: 'Sales' },
        { external_id: 'X-5', department: 'Legal' },
      ],
    })
    await service.call('PATCH', `/v1/employees/${made.employees[5].id}`, { body: { external_id: null } })
    await service.project()
    const found: Record<string, string[]> = {
      'department=SALES': ['e1', 'e2', 'e4'],
      'department=sales&location=bonn': ['e2'],
      [`manager_id=${boss}`]: ['e1', 'e2'],
      [`manager_id=${boss}&location=Berlin&updated_since=2020-01-01T00:00:00Z`]: ['e1'],
      'only=no_external_id': ['e5', 'own', 'a+b'],
      'only=ended': ['e4'],
      'only=ended&department=Legal': [],
    }
    for (const [query, names] of Object.entries(found))
      t.strictSame(
        await allPages(`limit=1&${query}`),
        names.map((name) => `${name}@example.com`),
        query,
      )
    t.match(await list('manager_id=emp_1'), { status: 400, body: { detail: /manager_id must be the id/ } })
    for (const name of ['department=x', 'location=x', `manager_id=${boss}`, 'only=ended'])
      t.match(await list(`email=e1@example.com&${name}`), { status: 400, body: { code: 'invalid_query' } })
  },
)
