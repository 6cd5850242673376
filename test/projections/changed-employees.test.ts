import t from 'tap'
import { employees } from '../../projections/employees/fold.ts'
import { listChangedEmployees } from '../../projections/employees/queries.ts'
import { catchUp } from '../../src/workers/project.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const companyId = service.company.id
const { body } = await service.call('POST', '/v1/employees', { body: Array.from({ length: 6 }, () => employee()) })
const ids: string[] = body.employees.map(({ id }: { id: string }) => id)
const change = (at: number, job: string) =>
  service.call('PATCH', `/v1/employees/${ids[at]}`, { body: { job_title: job } })

/** The ids of all pages, and how many pages there were. */
async function readAll(after: number, limit: number, searched: number): Promise<{ found: string[]; pages: number }> {
  const found: string[] = []
  for (let [from, pages]: [number | null, number] = [after, 1]; ; pages += 1) {
    const page = await listChangedEmployees(service.db, companyId, {}, { after: from, limit, searched })
    found.push(...page.employees.map(({ id }) => id))
    if (page.next === null) return { found, pages }
    t.ok(page.next > from, 'each page advances')
    from = page.next
  }
}

for (const [turn, at] of [2, 0, 2, 4, 0].entries()) await change(at, `Job ${turn}`)
await catchUp(service.db, employees, companyId)
const inOrder = [1, 3, 5, 2, 4, 0].map((at) => ids[at]!)

await t.test('employees come once, in order of their last change, whatever the page size', async (t) => {
  for (const limit of [1, 2, 100]) {
    for (const searched of [1, 3, 1_000]) t.strictSame((await readAll(0, limit, searched)).found, inOrder)
  }
})

await t.test('a page searches no more positions than allowed, and says where the next one starts', async (t) => {
  const { pages } = await readAll(0, 100, 1)
  const { rows } = await service.pool.query<{ position: number }>('select position from heads order by 1 desc limit 1')
  t.equal(pages, rows[0]!.position)
})

await t.test('a change that is not folded yet is not skipped', async (t) => {
  const { next } = await listChangedEmployees(service.db, companyId, {}, { after: 0, limit: 5 })
  await change(1, 'Not folded')
  const rest = await listChangedEmployees(service.db, companyId, {}, { after: next!, limit: 5 })
  t.strictSame(
    rest.employees.map(({ id }) => id),
    [ids[0]],
  )
  t.equal(rest.next, null, 'all folded changes are listed')
  await catchUp(service.db, employees, companyId)
  t.strictSame((await readAll(next!, 5, 1_000)).found, [ids[0], ids[1]])
})
