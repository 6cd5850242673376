import t from 'tap'
import { listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { readEmployeePage } from '../../projections/employees/queries.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { employee, startService } from '../support/service.ts'

const onOneServer = CITUS_URL === undefined ? {} : { skip: 'each machine of a cluster has connections of its own' }
const service = await startService(t)
await service.call('POST', '/v1/employees', { body: [employee()] })
await service.project()

await t.test('a connection parses a list once, and plans it for the company and the page', onOneServer, async (t) => {
  for (let limit = 1; limit <= 10; limit += 1) {
    await readEmployeePage(service.db, service.company.id, {}, { after: null, limit })
    await listLogEntries(service.db, service.company.id, {}, { before: null, limit })
  }
  const { rows } = await service.pool.query<{ custom: number; generic: number }>(
    `select custom_plans::integer as custom, generic_plans::integer as generic from pg_prepared_statements
      where name like 'read %'`,
  )
  t.strictSame(rows, [
    { custom: 10, generic: 0 },
    { custom: 10, generic: 0 },
  ])
})
