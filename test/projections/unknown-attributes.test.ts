import { sql } from 'kysely'
import t from 'tap'
import { employees } from '../../projections/employees/fold.ts'
import { schemaOf } from '../../projections/projection.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { catchUp } from '../../src/workers/project.ts'
import { employee, startService } from '../support/service.ts'

/* After a rollback, rows have attributes that only the later version knows. */

const service = await startService(t)
const companyId = service.company.id
const table = sql.id(schemaOf(employees), 'employees')

await t.test('a worker keeps the attributes of a row that only a later version knows', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const { id } = body.employees[0]
  await catchUp(service.db, employees, companyId)
  await sql`update ${table} set attributes = (attributes::jsonb || '{"pronouns": "she/her"}')::json
    where company_id = ${toUuid(companyId)} and employee_id = ${toUuid(id)}`.execute(service.db)

  const answer = await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Engineer' } })
  t.equal(answer.status, 200)
  await catchUp(service.db, employees, companyId)
  const { rows } = await sql<{ attributes: Record<string, unknown> }>`
    select attributes from ${table} where employee_id = ${toUuid(id)}`.execute(service.db)
  t.match(rows[0]?.attributes, { job_title: 'Engineer', pronouns: 'she/her' })
  t.match(await service.call('GET', `/v1/employees/${id}`), { status: 200, body: { job_title: 'Engineer' } })
})
