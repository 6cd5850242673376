import type { Test } from 'tap'
import t from 'tap'
import { catchUp } from '../../../src/workers/project.ts'
import { employees } from '../../../projections/employees/fold.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import type { Naming } from '../../../src/domain/calls/uniqueness.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { pipeline } from '../../../src/postgres/pipeline.ts'
import { withClient } from '../../../src/postgres/pool.ts'
import { createEmployeeLookup, loadEmployees } from '../../../src/ledger/read/read-employees.ts'
import { foldEmployees, ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { readEvents } from '../../support/ledger/company-events.ts'
import { employee, startService } from '../../support/service.ts'
import { EMPLOYEES } from '../../support/postgres/projection-tables.ts'

/* Calls are decided on the read model and the events after it, however much the workers have folded. */

const service = await startService(t)
const companyId = service.company.id
const findEmployee = createEmployeeLookup(service.pool)
const patch = (id: string, body: unknown) => service.call('PATCH', `/v1/employees/${id}`, { body })

async function hire(more = {}): Promise<string> {
  const { body } = await service.call('POST', '/v1/employees', { body: employee(more) })
  return body.employees[0].id
}

async function expectFolded(t: Test, id: string) {
  const expected = foldEmployees(await readEvents(service.db, companyId)).get(id)
  t.strictSame(await findEmployee({ companyId, id }), expected ?? null)
  t.strictSame(await ledgerFaults(service.db, companyId), [])
}

await t.test('calls in one transaction find an employee by any name, with unfolded changes', async (t) => {
  const id = await hire({ external_id: 'HR-7', email: 'shared@example.com' })
  await patch(id, { job_title: 'Engineer' })
  const locators = [{ id }, { external_id: 'HR-7' }, { email: 'shared@example.com' }, { id }]
  const answers = await Promise.all(
    locators.map((locator, at) =>
      service.call('PATCH', '/v1/employees', { body: [{ ...locator, department: `Department ${at}` }] }),
    ),
  )
  t.strictSame(
    answers.map(({ body }) => body.results[0].id),
    locators.map(() => id),
  )
  await expectFolded(t, id)
})

await t.test('an erased person is gone before the read model folds the erasure', async (t) => {
  const id = await hire()
  await catchUp(service.db, employees, companyId)
  const erased = await service.manage('POST', '/erasures', { employee_id: id })
  t.equal(erased.status, 200)
  t.equal(await findEmployee({ companyId, id }), null)
  t.equal((await patch(id, { job_title: 'Engineer' })).status, 404)
})

await t.test('the id of another stream finds no employee', async (t) => {
  const { rows } = await service.pool.query<{ stream_id: string }>(
    'select distinct stream_id from events where stream_id not in (select employee_id from employee_directory)',
  )
  t.ok(rows.length > 3)
  for (const { stream_id: stream } of rows) {
    t.equal(await findEmployee({ companyId, id: fromUuid('emp', stream) }), null)
  }
})

// Last, because the read model then lacks an employee.
const STANDINGS: Record<string, (id: string) => Promise<unknown>> = {
  'has folded nothing': async () => undefined,
  'has folded everything': () => catchUp(service.db, employees, companyId),
  'has folded all but the last change': async (id) => {
    await catchUp(service.db, employees, companyId)
    await patch(id, { location: 'Lima', status: 'inactive' })
  },
  'has lost the employee': async (id) => {
    await catchUp(service.db, employees, companyId)
    await service.pool.query(`delete from ${EMPLOYEES} where employee_id = $1`, [toUuid(id)])
  },
}

for (const [standing, arrange] of Object.entries(STANDINGS)) {
  await t.test(`a call is decided on the last commit when the read model ${standing}`, async (t) => {
    const id = await hire({ job_title: 'Analyst', custom_attributes: { grade: 'C2' } })
    await patch(id, { job_title: 'Engineer' })
    await arrange(id)
    await expectFolded(t, id)

    const { body } = await patch(id, { job_title: 'Director', custom_attributes: { grade: null }, status: 'active' })
    t.ok(body.changed.includes('job_title'))
    const events = await readEvents(service.db, companyId)
    const last = events.findLast(({ stream, type }) => stream === id && type === 'EmployeeUpdated')!
    t.match(last.data, {
      changes: { job_title: { from: 'Engineer' }, 'custom_attributes.grade': { from: 'C2', to: null } },
    })
    t.match(await patch(id, { job_title: 'Director' }), { status: 200, body: { result: 'no_updates', changed: [] } })
    await expectFolded(t, id)
  })
}

await t.test('any combination of names is looked up on one connection', async (t) => {
  const names = { emails: ['nobody@example.com'], externalIds: ['N-1'], userNames: ['nobody'], directoryIds: ['n-1'] }
  const all: Naming = { employeeIds: [newId('emp')], ...names }
  const kinds = Object.keys(all) as (keyof Naming)[]
  await withClient(service.pool, async (client) => {
    for (let chosen = 1; chosen < 2 ** kinds.length; chosen += 1) {
      const of = kinds.map((kind, at) => [kind, (chosen >> at) % 2 === 1 ? all[kind] : []])
      const naming = Object.fromEntries(of) as Naming
      const found = pipeline(client, (pipe) => loadEmployees(pipe, [{ companyId: service.company.id, naming }]))
      t.strictSame(await found, [])
    }
  })
})
