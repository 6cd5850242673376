import t from 'tap'
import { countActivePeople } from '../../../src/ledger/read/read-employees.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const { company } = service
const count = () => countActivePeople(service.pool, company.id)

await t.test('erased people are not counted, whether or not the read model knows of them', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: Array.from({ length: 6 }, () => employee()) })
  const [first, second, third, fourth] = body.employees.map(({ id }: { id: string }) => id)
  const leave = (id: string) => service.call('PATCH', `/v1/employees/${id}`, { body: { status: 'inactive' } })
  const erase = (id: string) => service.manage('POST', '/erasures', { employee_id: id })
  await leave(first)
  t.equal((await erase(first)).status, 200)
  t.equal((await erase(second)).status, 200)
  t.equal(await count(), 4, 'none is in the read model')
  await service.project()
  t.equal(await count(), 4)
  await leave(third)
  t.equal((await erase(third)).status, 200)
  t.equal((await erase(fourth)).status, 200)
  t.equal(await count(), 2, 'all are, and their last events are not')
  await service.project()
  t.equal(await count(), 2)
})
