import t from 'tap'
import { employee, startService } from '../../support/service.ts'

/* How a copy of the employees learns whom it must erase. */

const service = await startService(t)
const create = async () =>
  (await service.call('POST', '/v1/employees', { body: employee() })).body.employees[0].id as string
const erase = (id: string) => service.manage('POST', '/erasures', { employee_id: id })
const read = async (query = '') => (await service.call('GET', `/v1/employees/erased${query}`)).body

await t.test('a mirror that goes on from the last position learns of each erasure once, in order', async (t) => {
  t.match(await read(), { employees: [], is_complete: true })
  const ids = [await create(), await create(), await create()]
  const erased: string[] = []
  let { position } = await read()
  for (const id of ids) await erase(id)
  for (let isComplete = false; !isComplete;) {
    const page = await read(`?after=${position}&limit=2`)
    erased.push(...page.employees.map((one: { id: string }) => one.id))
    t.ok(page.position > position)
    position = page.position
    isComplete = page.is_complete
  }
  t.strictSame(erased, ids)
  t.match(await read(`?after=${position}`), { employees: [], position, is_complete: true })
  t.strictSame(Object.keys((await read()).employees[0]).toSorted(), ['id', 'position'], 'nothing else is left of them')
})

await t.test('other companies, and positions that are no numbers, lead to nothing', async (t) => {
  const { key } = await service.makeCompany('Other')
  t.match((await service.call('GET', '/v1/employees/erased', { key })).body, { employees: [] })
  t.match(await read('?after=-1'), { code: 'invalid_query', detail: /after must be at least 0/ })
})
