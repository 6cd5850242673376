import { sql } from 'kysely'
import t from 'tap'
import { employees } from '../../../projections/employees/fold.ts'
import { schemaOf } from '../../../projections/projection.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { startService } from '../../support/service.ts'

/*
 * Each created person is entered in these indexes, which takes more write-ahead log than their rows. Whoever adds one
 * says here why that is worth it; one of few people names them in its condition.
 */
const OF_EVERYBODY = [
  'events_by_stream',
  'events_pkey',
  'employee_directory_email',
  'employee_directory_external_id',
  'employee_directory_pkey',
  'employees_by_status',
  'employees_pkey',
]

const onePostgres = CITUS_URL === undefined ? {} : { skip: 'a cluster has indexes on its other machines' }
const service = await startService(t)

await t.test('few indexes have an entry of every created person', onePostgres, async (t) => {
  const tables = ['events', 'employee_directory', `${schemaOf(employees)}.employees`]
  const { rows } = await sql<{ name: string }>`
    select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid = any(${tables}::regclass[]) and x.indpred is null`.execute(service.db)
  t.strictSame(rows.map(({ name }) => name).toSorted(), OF_EVERYBODY.toSorted())
})

await t.test('two people of one call can swap their user names', async (t) => {
  const people = ['ada', 'bob'].map((user_name) => ({ first_name: user_name, last_name: 'X', user_name }))
  const { body } = await service.call('POST', '/v1/employees', { body: people })
  const [ada, bob] = body.employees
  const swapped = [
    { id: ada.id, user_name: 'bob' },
    { id: bob.id, user_name: 'ada' },
  ]
  t.equal((await service.call('PATCH', '/v1/employees', { body: swapped })).status, 200)
  const taken = await service.call('POST', '/v1/employees', { body: { last_name: 'Y', user_name: 'ADA' } })
  t.equal(taken.body.errors[0].code, 'already_exists')
})
