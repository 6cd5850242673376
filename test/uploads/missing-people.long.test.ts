import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { eventually } from '../support/eventually.ts'
import { send, startService } from '../support/service.ts'

/* Who is no longer in an uploaded file: the list, the confirmation, and the calls that deactivate them. */

const service = await startService(t, { MAX_RECORDS: '4' }, { workers: true })

type TestCompany = Awaited<ReturnType<typeof service.makeCompany>>

const HEADER = 'external_id,first_name,last_name,email'
const person = (id: string) => `${id},Ana,${id},${id.toLowerCase()}@example.com`
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => `P-${first + at}`)
const fileOf = (ids: string[]) => [HEADER, ...ids.map(person)].join('\n')

const upload = async (company: TestCompany, body: string, query = '') => {
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` }
  const answer = await send(service.address, 'POST', `/admin/v1/uploads?file_name=staff.csv${query}`, {
    key: null,
    body,
    headers,
  })
  t.equal(answer.status, 201)
  return `/uploads/${answer.body.id}`
}
const get = (company: TestCompany, path: string) => service.admin(path, company.admin.token)
const act = (company: TestCompany, method: 'DELETE' | 'GET' | 'POST' | 'PUT', path: string) =>
  service.manage(method, path, undefined, company.admin.token)
const settle = (company: TestCompany, path: string, state: string) =>
  eventually(`the upload is ${state}`, async () => {
    const { body } = await get(company, path)
    return body.state === state ? body : null
  })

async function makeCompany(name: string, count: number): Promise<TestCompany> {
  const company = await service.makeCompany(name)
  for (let at = 0; at < count; at += 4) {
    const body = idsFrom(at, Math.min(4, count - at)).map((id) => {
      const [external_id, first_name, last_name, email] = person(id).split(',')
      return { external_id, first_name, last_name, email }
    })
    t.equal((await service.call('PUT', '/v1/employees', { key: company.key, body })).status, 200)
  }
  await service.project(company.id)
  return company
}

async function listActive({ id, key }: TestCompany): Promise<string[]> {
  await service.project(id)
  const { items } = (await service.call('GET', '/v1/employees?status=active&limit=200', { key })).body
  return (items as { external_id: string }[]).map(({ external_id: externalId }) => externalId)
}

await t.test('nobody is deactivated unless that is asked for, and their number is confirmed', async (t) => {
  const company = await makeCompany('Asked', 12)
  const path = await upload(company, fileOf(idsFrom(1, 12)))
  await settle(company, path, 'previewed')
  t.match((await get(company, `${path}/missing`)).body, { count: 0, items: [], next_cursor: null })
  t.match(await act(company, 'PUT', `${path}/missing`), { status: 200, body: { count: 1, active: 12 } })
  const { body: list } = await get(company, `${path}/missing`)
  t.match(list, { count: 1, active: 12, items: [{ external_id: 'P-0', first_name: 'Ana', last_name: 'P-0' }] })
  const detail = '1 person who is not in the file would be deactivated, not 0. Look at the list again'
  t.match(await act(company, 'POST', `${path}/apply`), { status: 409, body: { detail } })
  t.match(await act(company, 'POST', `${path}/apply?deactivate=2`), { status: 409 })
  t.equal((await act(company, 'DELETE', `${path}/missing`)).status, 204)
  t.match(await act(company, 'POST', `${path}/apply?deactivate=1`), { status: 409 })
  t.match(await act(company, 'POST', `${path}/apply`), { status: 200 })
  t.match((await settle(company, path, 'ended')).parts, [{ state: 'applied' }, {}, {}])
  for (const method of ['PUT', 'DELETE'] as const) t.equal((await act(company, method, `${path}/missing`)).status, 409)
  t.equal((await listActive(company)).length, 13)
})

await t.test('they are listed in pages, and deactivated after the rows, in updates of their own', async (t) => {
  const company = await makeCompany('Pages', 12)
  const path = await upload(company, fileOf(idsFrom(10, 3)))
  await act(company, 'GET', `${path}/parts/1/preview`)
  t.match((await act(company, 'PUT', `${path}/missing`)).body, { count: 10, active: 12 })
  t.match((await act(company, 'PUT', `${path}/missing`)).body, { count: 10, active: 12 }, 'listed again')
  const listed: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await get(company, `${path}/missing?limit=3${cursor}`)
    listed.push(...(body.items as { external_id: string }[]).map(({ external_id: id }) => id))
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  t.strictSame(listed, idsFrom(0, 10))
  const { body: before } = await get(company, path)
  t.match(before, { rows: 3, parts: [{ kind: 'rows' }, { kind: 'missing_people' }, {}, {}] })
  t.match((await get(company, `${path}/parts/4/preview`)).body, { counts: { changed: 2 }, errors: [] })
  const { rows } = await service.pool.query(
    'select content from upload_parts where company_id = $1 and missing_of is not null',
    [toUuid(company.id)],
  )
  t.notMatch(JSON.stringify(rows), /Ana|example\.com|P-\d/, 'only ids are stored')
  t.equal((await act(company, 'POST', `${path}/apply?deactivate=10`)).status, 200)
  const { parts } = await settle(company, path, 'ended')
  t.strictSame(await listActive(company), idsFrom(10, 3))
  const { items } = (await get(company, '/bulk-user-logs?limit=4')).body
  t.match((items as object[]).toReversed(), [
    { id: parts[0].log_id, counts: { total: 3 } },
    ...[4, 4, 2].map((total, at) => ({ id: parts[at + 1].log_id, operation: 'update_many', counts: { total } })),
  ])
})

await t.test('who is named in any way, or becomes active meanwhile, stays active', async (t) => {
  const company = await makeCompany('Named', 8)
  const people = (await service.call('GET', '/v1/employees', { key: company.key })).body.items
  const lines = [
    `${people[0].id},,,,`,
    ',,P-1@EXAMPLE.COM,,',
    ',P-2,,p-3@example.com,',
    `,P-4,,,${people[5].id}`,
    ',P-6,,,',
  ]
  const path = await upload(
    company,
    ['id,external_id,email,manager_email,manager_id', ...lines].join('\n'),
    '&operation=update_many',
  )
  await settle(company, path, 'previewed')
  t.match((await act(company, 'PUT', `${path}/missing`)).body, { count: 1, active: 8 })
  const added = { external_id: 'P-9', first_name: 'New', last_name: 'Hire', email: 'new@example.com' }
  t.equal((await service.call('PUT', '/v1/employees', { key: company.key, body: [added] })).status, 200)
  await act(company, 'POST', `${path}/apply?deactivate=1`)
  await settle(company, path, 'ended')
  t.strictSame(await listActive(company), [...idsFrom(0, 7), 'P-9'])
})

await t.test('managers stay active whom the file names only by employee number or full name', async (t) => {
  const company = await service.makeCompany('Managers')
  const people = ['Ana Perez', 'Bo de la Cruz', 'Łukasz  Żak', 'Di Fox', 'Ed Gone'].map((name, at) => {
    const [first_name, ...last] = name.split(/ +/)
    return { external_id: `P-${at}`, employee_number: `00${at}`, first_name, last_name: last.join(' ') }
  })
  for (const body of [people.slice(0, 4), people.slice(4)])
    t.equal((await service.call('PUT', '/v1/employees', { key: company.key, body })).status, 200)
  await service.project(company.id)
  const list = async (rows: string[]) => {
    const names = 'Employee ID,First Name,Last Name,Manager'
    const path = await upload(company, [names, ...rows].join('\n'))
    const { body: mapping } = await get(company, `${path}/mapping`)
    const way = { ...mapping, unreadable_values: 'leave_out', past_end_dates: 'keep' }
    t.match((await service.manage('PUT', `${path}/mapping`, way, company.admin.token)).body.questions, [])
    await settle(company, path, 'previewed')
    await act(company, 'GET', `${path}/parts/1/preview`)
    t.match(await act(company, 'PUT', `${path}/missing`), { status: 200 })
    const { items } = (await get(company, `${path}/missing`)).body
    return (items as { external_id: string }[]).map(({ external_id: id }) => id).toSorted()
  }
  t.strictSame(await list(['P-3,Di,Fox,ana perez', 'P-8,Ida,Lee,"De la Cruz, Bo"', 'P-9,Al,Lee,ŻAK ŁUKASZ']), ['P-4'])
  t.strictSame(await list(['P-3,Di,Fox,000', 'P-8,Ida,Lee,002']), ['P-1', 'P-4'])
  t.strictSame(await list(['P-3,Di,Fox,Ana Perez (001)', 'P-8,Ida,Lee,']), ['P-2', 'P-4'], 'in doubt both are named')
})

await t.test('a file that may not show who is missing deactivates nobody', async (t) => {
  const company = await makeCompany('Unsure', 4)
  const refuse = async (body: string, query: string, detail: RegExp) => {
    const path = await upload(company, body, query)
    for (const { number } of (await get(company, path)).body.parts)
      await get(company, `${path}/parts/${number}/preview`)
    t.match(await act(company, 'PUT', `${path}/missing`), { status: 409, body: { detail } }, String(detail))
  }
  await refuse(fileOf(idsFrom(0, 3)), '&operation=create', /only creates people/)
  await refuse(`${fileOf(idsFrom(0, 3))}\n,Ana,P-3,p-3@@example.com`, '', /rows that are refused or cannot be read/)
  await refuse(`${fileOf(idsFrom(0, 3))}\n,Ana,P-3,`, '', /rows that are refused or cannot be read/)
  await refuse('{"totalResults":40,"Resources":[{"externalId":"P-0"}]}', '', /1 of 40 records/)
  const applied = await upload(company, fileOf(idsFrom(0, 3)))
  await act(company, 'POST', `${applied}/apply`)
  t.match(await act(company, 'PUT', `${applied}/missing`), { status: 409 })
  const erased = await upload(company, fileOf(idsFrom(0, 4)))
  await service.manage('POST', '/erasures', { external_id: 'P-1' }, company.admin.token)
  t.match(await act(company, 'PUT', `${erased}/missing`), { status: 409, body: { detail: /Upload the file again/ } })
  t.strictSame(await listActive(company), ['P-0', 'P-2', 'P-3'])
})

await t.test('nobody is deactivated if a row was refused after all', async (t) => {
  const company = await makeCompany('Refused', 6)
  const path = await upload(company, `${fileOf(idsFrom(0, 4))}\nP-9,Ana,Nine,nine@example.com`)
  await settle(company, path, 'previewed')
  t.match((await act(company, 'PUT', `${path}/missing`)).body, { count: 2 })
  const taken = { external_id: 'P-10', first_name: 'A', last_name: 'B', email: 'nine@example.com' }
  t.equal((await service.call('PUT', '/v1/employees', { key: company.key, body: [taken] })).status, 200)
  await act(company, 'POST', `${path}/apply?deactivate=2`)
  const states = ['applied', 'refused', 'canceled']
  t.match(
    (await settle(company, path, 'ended')).parts,
    states.map((state) => ({ state })),
  )
  t.equal((await listActive(company)).length, 7)
  const { body: csv } = await get(company, `${path}/not-applied.csv`)
  const [header, ...rows] = csv.trimEnd().split('\r\n')
  t.equal(header, `log_id,index,errors,${HEADER}`)
  t.equal(rows.length, 1, 'people who are not in the file are no rows of it')
  t.match(rows[0], /,0,"email: The employee emp_[^"]+",P-9,Ana,Nine,nine@example\.com$/)
})

await t.test('the erasure of somebody in the file leaves the list as it is', async (t) => {
  const company = await makeCompany('Gone', 6)
  const path = await upload(company, fileOf(idsFrom(0, 4)))
  await act(company, 'GET', `${path}/parts/1/preview`)
  t.match((await act(company, 'PUT', `${path}/missing`)).body, { count: 2 })
  t.equal((await service.manage('POST', '/erasures', { external_id: 'P-1' }, company.admin.token)).status, 200)
  await act(company, 'POST', `${path}/apply?deactivate=2`)
  t.match((await settle(company, path, 'ended')).parts, [{ state: 'applied' }, { state: 'applied' }])
  t.strictSame(await listActive(company), ['P-0', 'P-2', 'P-3'])
})

await t.test('an erased person leaves the list, and other columns forget it', async (t) => {
  const company = await makeCompany('Erased', 6)
  const path = await upload(company, fileOf(idsFrom(0, 3)))
  await act(company, 'GET', `${path}/parts/1/preview`)
  t.match((await act(company, 'PUT', `${path}/missing`)).body, { count: 3 })
  const { items } = (await get(company, `${path}/missing`)).body
  t.equal((await service.manage('POST', '/erasures', { external_id: 'P-5' }, company.admin.token)).status, 200)
  t.match((await get(company, `${path}/missing`)).body, { count: 2, items: [{}, {}] })
  const { rows } = await service.pool.query('select content from upload_parts where company_id = $1', [
    toUuid(company.id),
  ])
  t.notMatch(JSON.stringify(rows), items[2].id)
  t.match(await act(company, 'POST', `${path}/apply?deactivate=3`), { status: 409 })
  await act(company, 'POST', `${path}/apply?deactivate=2`)
  await settle(company, path, 'ended')
  t.strictSame(await listActive(company), idsFrom(0, 3))
  const { body: mapping } = await get(company, `${await upload(company, fileOf(idsFrom(0, 1)))}/mapping`)
  const again = await upload(company, fileOf(idsFrom(0, 2)))
  await act(company, 'GET', `${again}/parts/1/preview`)
  t.match((await act(company, 'PUT', `${again}/missing`)).body, { count: 1 })
  const set = await service.manage('PUT', `${again}/mapping`, mapping, company.admin.token)
  t.match(set.body.parts, [{ kind: 'rows' }])
})

await t.test(
  'files and keys of one day share a tenth of the people; beyond it, both numbers are confirmed',
  async (t) => {
    const company = await makeCompany('Shared', 60)
    const miss = async (first: number) => {
      const path = await upload(company, fileOf(idsFrom(first, 60 - first)))
      await settle(company, path, 'previewed')
      for (const { number } of (await get(company, path)).body.parts)
        await act(company, 'GET', `${path}/parts/${number}/preview`)
      return { path, listed: (await act(company, 'PUT', `${path}/missing`)).body }
    }
    const apply = ({ path }: { path: string }, query: string) => act(company, 'POST', `${path}/apply?${query}`)
    const body = [{ external_id: 'P-59', status: 'inactive' }]
    t.equal((await service.call('PATCH', '/v1/employees', { key: company.key, body })).status, 200)
    await service.project(company.id)
    const [one, other] = [await miss(3), await miss(3)]
    for (const { listed } of [one, other]) t.match(listed, { count: 3, active: 59, beside: 1 })
    const both = await Promise.all([one, other].map((file) => apply(file, 'deactivate=3')))
    t.strictSame(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
      'of two at once, the second knows of the first',
    )
    const [left, refused] = both[0]!.status === 409 ? [one, both[0]!] : [other, both[1]!]
    t.match(refused.body.detail, /3 who are not in the file and 4 who were deactivated otherwise/)
    t.match((await get(company, `${left.path}/missing`)).body, { beside: 4 })
    t.equal((await apply(left, 'deactivate=3&beside=3')).status, 409)
    t.equal((await apply(left, 'deactivate=3&beside=4')).status, 200)
  },
)
