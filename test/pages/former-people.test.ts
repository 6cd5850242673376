import t from 'tap'
import { countBlocks } from '../support/postgres/count-blocks.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { FORMER_NAMES } from '../support/postgres/projection-tables.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

/* A person is found by a former name, email or ID, with the words that it is a former one, until they are erased. */

const statements = watchStatements(t)
const service = await startService(t)
const { company, call, manage } = service
const cookie = await cookieOf(service, company.admin)
const [LOG, EMPLOYEES, SEARCH] = ['/settings/bulk-user-logs', '/settings/employees', '/settings/search']

const { body: made } = await call('POST', '/v1/employees', {
  body: [
    employee({ first_name: 'Ana', last_name: 'Perez', email: 'ana.perez@example.com', external_id: 'old-1' }),
    employee({ first_name: 'Bo', last_name: 'Perez' }),
  ],
})
const [ana, bo] = made.employees
const changes = { last_name: 'Ruiz', email: 'ana.ruiz@example.com', external_id: 'new-1', employee_number: null }
await call('PATCH', `/v1/employees/${ana.id}`, { body: changes })
await service.project()

const open = async (path: string, q: string) =>
  (await browse(service, `${path}?q=${encodeURIComponent(q)}`, { cookie })).text
const entriesOf = async (query: string) => {
  const { body } = await manage('GET', `/bulk-user-logs?${query}`)
  return body.items.map(({ operation }: { operation: string }) => operation)
}
const search = async (q: string) => (await browse(service, SEARCH, { cookie, form: { q } })).text

const FORMER: [text: string, kind: string][] = [
  ['perez', 'former name'],
  ['Ana Perez', 'former name'],
  ['Perez  Ana', 'former name'],
  ['ANA.perez@example.com', 'former email'],
  ['old-1', 'former external ID'],
]

await t.test('the log, the employees and the search find a person by each, and say what it is', async (t) => {
  for (const [text, kind] of FORMER) {
    t.match(await open(LOG, text), new RegExp(`is a ${kind} of[^]*${ana.id}[^]*Ana Ruiz`), `log: ${text}`)
    t.match(await open(EMPLOYEES, text), new RegExp(`${ana.id}[^]*Ana Ruiz[^]*${kind}`), `employees: ${text}`)
    t.match(await search(text), new RegExp(`${ana.id}[^]*Ana Ruiz[^]*is a ${kind}`), `search: ${text}`)
  }
  t.strictSame(await entriesOf('q=old-1'), ['update_one', 'create'])
  t.strictSame(await entriesOf('employee=ana.perez@example.com'), ['update_one', 'create'])
})

await t.test('what somebody has now, or nobody ever had, finds nobody as former', async (t) => {
  for (const text of ['Ana', 'ana.ruiz@example.com', 'new-1', 'pere', 'Bo Ruiz', ' ', 'x y z'])
    for (const page of [await open(LOG, text), await open(EMPLOYEES, text), await search(text)])
      t.notMatch(page, /former (name|email|external|employee)/, text)
})

await t.test(
  'an email that passed to somebody else finds the entries of that person alone, by `employee`',
  async (t) => {
    await call('PATCH', `/v1/employees/${bo.id}`, { body: { email: 'ana.perez@example.com' } })
    await service.project()
    t.equal((await entriesOf('employee=ana.perez@example.com')).length, 2)
    t.match(await open(EMPLOYEES, 'ana.perez@example.com'), new RegExp(`${bo.id}[^]*${ana.id}[^]*former email`))
  },
)

await t.test('a former ID finds its holder by `employee`, also if their current ID contains it', async (t) => {
  const { body } = await call('POST', '/v1/employees', { body: employee({ external_id: '12' }) })
  await call('PATCH', `/v1/employees/${body.employees[0].id}`, { body: { external_id: '0012' } })
  await service.project()
  t.strictSame(await entriesOf('employee=12'), ['update_one', 'create'])
  t.strictSame(await entriesOf('employee=0012'), ['update_one', 'create'])
})

await t.test('many who had a name before cost few blocks', async (t) => {
  const crowd = Array.from({ length: 900 }, () => employee({ last_name: 'Olden' }))
  const { body } = await call('POST', '/v1/employees', { body: crowd })
  const renamed = body.employees.map(({ id }: { id: string }) => ({ id, last_name: 'Newer' }))
  await call('PATCH', '/v1/employees', { body: renamed })
  await service.project()
  await open(EMPLOYEES, 'no one olden')
  statements.length = 0
  await open(EMPLOYEES, 'no one olden')
  t.ok(statements.length <= 10)
  t.ok((await countBlocks(service.pool, [...statements])) < 2_500)
})

await t.test('as many as are listed have a name now: those who had it before are found, too', async (t) => {
  await call('POST', '/v1/employees', { body: Array.from({ length: 1_000 }, () => employee({ last_name: 'Olden' })) })
  await service.project()
  t.strictSame(await entriesOf('q=olden'), ['create', 'update_many', 'create'])
})

await t.test('nothing finds an erased person, and no hash of theirs is left', async (t) => {
  t.equal((await manage('POST', '/erasures', { employee_id: ana.id })).status, 200)
  await service.project()
  for (const [text] of FORMER)
    for (const page of [await open(LOG, text), await open(EMPLOYEES, text), await search(text)])
      t.notMatch(page, /is a former|Ana Ruiz/, text)
  const { rows } = await service.pool.query(`select from ${FORMER_NAMES} where employee_id in
    (select stream_id from events where type = 'EmployeeErased')`)
  t.equal(rows.length, 0)
})
