import t from 'tap'
import { employees } from '../../../projections/employees/fold.ts'
import { openMaintenance } from '../../../src/bootstrap/store.ts'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import { type Basis, createEmployeeCache } from '../../../src/ledger/append/employee-cache.ts'
import { rebuild } from '../../../src/workers/rebuild.ts'
import { rebuildCompany } from '../../../src/workers/scratch.ts'
import { appendLeaves, EMPTY_FRONTIER, leafHash } from '../../../src/ledger/integrity/merkle.ts'
import { BEFORE, emp, fold, hired } from '../../support/domain/given-when-then.ts'
import type { Service } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'
import { EMPLOYEES } from '../../support/postgres/projection-tables.ts'

type Maintenance = Awaited<ReturnType<typeof openMaintenance>>
const QUIET = { signal: new AbortController().signal, onBegun: () => undefined, onFolded: () => undefined }

const MANY_BYTES = 100_000
const NOTHING: Basis = { frontier: EMPTY_FRONTIER, generation: null }
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((size) => {
  const leaves = Array.from({ length: size }, (_, at) => leafHash(`leaf ${at}`))
  return { frontier: appendLeaves(EMPTY_FRONTIER, leaves), generation: null }
}) as [Basis, Basis, Basis]

function makeState(number: number, more: Partial<Employee> = {}): Employee {
  return { ...fold([hired(number)], BEFORE).get(emp(number))!, ...more }
}

const naming = (...numbers: number[]) => ({
  employeeIds: numbers.map(emp),
  emails: [],
  externalIds: [],
  userNames: [],
  directoryIds: [],
})

await t.test('employees stay while each commit follows the one before', async (t) => {
  const cache = createEmployeeCache(MANY_BYTES)
  cache.keep('one', { before: NOTHING, after: FIRST }, [makeState(1), makeState(2)])
  const changed = makeState(2, { email: 'new@example.com', version: 2 })
  cache.keep('one', { before: FIRST, after: SECOND }, [changed])
  const found = cache.find('one', {
    employeeIds: [emp(1), emp(3)],
    emails: ['new@example.com', 'p2@example.com'],
    externalIds: [],
    userNames: [],
    directoryIds: [],
  })
  t.strictSame([...found.employees], [makeState(1), changed])
  t.strictSame([FIRST, SECOND].map(found.areCurrent), [false, true])
  t.strictSame(found.missing, {
    employeeIds: [emp(3)],
    emails: ['p2@example.com'],
    externalIds: [],
    userNames: [],
    directoryIds: [],
  })
  t.equal(cache.find('other', naming(1)).employees.size, 0, 'of another company')
})

await t.test('a commit that does not follow the previous one empties the cache of its company', async (t) => {
  const cache = createEmployeeCache(MANY_BYTES)
  cache.keep('one', { before: NOTHING, after: FIRST }, [makeState(1)])
  cache.keep('one', { before: SECOND, after: THIRD }, [makeState(2)])
  t.strictSame([...cache.find('one', naming(1, 2)).employees], [makeState(2)])
})

await t.test('a rebuild empties the cache of its company', async (t) => {
  const cache = createEmployeeCache(MANY_BYTES)
  cache.keep('one', { before: NOTHING, after: FIRST }, [makeState(1)])
  const rebuilt = { ...FIRST, generation: '01930000-0000-7000-8000-000000000000' }
  cache.keep('one', { before: rebuilt, after: rebuilt }, [makeState(2)])
  t.strictSame([...cache.find('one', naming(1, 2)).employees], [makeState(2)])
})

await t.test('a company fills at most a quarter, and what it has there stays current', async (t) => {
  const cache = createEmployeeCache(8_000)
  const numbers = [1, 2, 3, 4, 5]
  cache.keep(
    'one',
    { before: NOTHING, after: FIRST },
    numbers.map((number) => makeState(number)),
  )
  t.strictSame([...cache.find('one', naming(...numbers)).employees], [makeState(1), makeState(2)])
  const changed = makeState(1, { job_title: 'Engineer', version: 2 })
  cache.keep('one', { before: FIRST, after: SECOND }, [makeState(3), changed])
  t.strictSame([...cache.find('one', naming(...numbers)).employees], [changed, makeState(2)])
})

await t.test('an employee who outgrows the quarter of a company leaves the cache', async (t) => {
  const cache = createEmployeeCache(8_000)
  cache.keep('one', { before: NOTHING, after: FIRST }, [makeState(1), makeState(2)])
  const grown = makeState(1, { custom_attributes: { notes: 'x'.repeat(1_000) } })
  cache.keep('one', { before: FIRST, after: SECOND }, [grown])
  const { employees: found, missing } = cache.find('one', { ...naming(1, 2), emails: [grown.email!] })
  t.strictSame([...found], [makeState(2)])
  t.strictSame(missing, { ...naming(1), emails: [grown.email!] })
})

await t.test('the company that called longest ago goes first', async (t) => {
  const cache = createEmployeeCache(8_000)
  const companies = ['one', 'two', 'three', 'four', 'five', 'six']
  for (const company of companies) cache.keep(company, { before: NOTHING, after: FIRST }, [makeState(1), makeState(2)])
  const sizes = companies.map((company) => cache.find(company, naming(1, 2)).employees.size)
  t.strictSame([sizes.at(0), sizes.at(-1)], [0, 2])
})

await t.test('a cache of 0 bytes keeps nobody', async (t) => {
  const cache = createEmployeeCache(0)
  cache.keep('one', { before: NOTHING, after: FIRST }, [makeState(1)])
  t.equal(cache.find('one', naming(1)).employees.size, 0)
})

await t.test('a call sees what another process has changed since', async (t) => {
  const service = await startService(t)
  const sibling = await startService(t, {}, { urls: service.urls })
  const { key } = service.company
  const created = await service.call('POST', '/v1/employees', { key, body: employee({ email: 'ana@x.com' }) })
  const [{ id }] = created.body.employees
  const patch = async (by: typeof service, body: object) => by.call('PATCH', `/v1/employees/${id}`, { key, body })
  t.strictSame((await patch(service, { department: 'Finance' })).body.changed, ['department'])
  t.strictSame((await patch(sibling, { department: 'Sales', email: 'ada@x.com' })).body.changed, [
    'email',
    'department',
  ])
  t.strictSame((await patch(service, { department: 'Sales' })).body.changed, [])
  const again = await service.call('POST', '/v1/employees', { key, body: employee({ email: 'ana@x.com' }) })
  t.equal(again.status, 201, 'the email address is free')
})

await t.test('a call after an erasure does not find the person', async (t) => {
  const service = await startService(t)
  const created = await service.call('POST', '/v1/employees', { body: employee({ email: 'ana@x.com' }) })
  const [{ id }] = created.body.employees
  t.equal((await service.call('PATCH', `/v1/employees/${id}`, { body: { department: 'Sales' } })).status, 200)
  await service.manage('POST', '/erasures', { employee_id: id })
  t.equal((await service.call('PATCH', `/v1/employees/${id}`, { body: { department: 'Finance' } })).status, 404)
})

const REBUILDS: [string, (service: Service, owner: Maintenance) => Promise<unknown>][] = [
  ['of the company', (service, { db }) => rebuildCompany(db, employees, service.company.id, QUIET)],
  ['of all companies', (_, owner) => rebuild(employees, { ...owner, ...QUIET, restart: false })],
]
for (const [which, rebuildRows] of REBUILDS) {
  await t.test(`a rebuild ${which} repairs what a running process decides on`, async (t) => {
    const service = await startService(t)
    const sibling = await startService(t, {}, { urls: service.urls })
    const owner = await openMaintenance(service.urls)
    t.teardown(owner.close)
    const { key } = service.company
    const created = await service.call('POST', '/v1/employees', { body: employee({ department: 'Sales' }) })
    const [{ id }] = created.body.employees
    const patch = (by: Service, body: object) => by.call('PATCH', `/v1/employees/${id}`, { key, body })
    await service.project()
    await service.pool.query(`update ${EMPLOYEES} set attributes = replace(attributes::text, 'Sales', 'Damaged')::json`)
    t.strictSame((await patch(sibling, { department: 'Damaged' })).body.changed, [], 'the damaged state is loaded')
    // Its state, which follows from the damaged row, waits for a fold.
    t.strictSame((await patch(sibling, { location: 'Madrid' })).body.changed, ['location'])
    await rebuildRows(service, owner)
    t.strictSame((await patch(sibling, { department: 'Sales' })).body.changed, [])
    await sibling.project()
    t.match((await service.call('GET', `/v1/employees/${id}`)).body, { department: 'Sales', location: 'Madrid' })
    const { body } = await service.call('GET', '/v1/employees')
    t.match(body.items, [{ department: 'Sales', location: 'Madrid' }])
  })
}
