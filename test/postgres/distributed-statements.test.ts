import t from 'tap'
import { readSources } from '../support/rules/source-files.ts'
import { chosenTimeFaults, lockFaults, volatileChangeFaults } from '../support/rules/statements.ts'

/* What Citus refuses and PostgreSQL runs, so that no test on PostgreSQL alone meets it. */

const THIS = 'test/postgres/distributed-statements.test.ts'
const sources = readSources('src', 'projections', 'test').filter(({ path }) => path !== THIS)
const inFile = (sql: string) => [{ path: 'any.ts', text: `query(\`${sql}\`)` }]

await t.test('no row is changed by a volatile function', async (t) => {
  t.equal(volatileChangeFaults(inFile('update users set removed_at = clock_timestamp()')).length, 1)
  t.equal(volatileChangeFaults(inFile('delete from users where removed_at < clock_timestamp()')).length, 1)
  t.strictSame(volatileChangeFaults(inFile('update users set removed_at = statement_timestamp()')), [])
  t.strictSame(volatileChangeFaults(sources), [])
})

await t.test('no change chooses between the time and something else', async (t) => {
  t.equal(chosenTimeFaults(inFile('update users set at = case when a then now() else at end')).length, 1)
  t.equal(chosenTimeFaults(inFile('update users set at = coalesce(at, statement_timestamp())')).length, 1)
  t.strictSame(chosenTimeFaults(inFile('update users set b = case when a then 1 end, at = now()')), [])
  t.strictSame(chosenTimeFaults(sources), [])
})

await t.test('only rows of one company are locked', async (t) => {
  t.equal(lockFaults(inFile('select from users where user_id = $1 for update')).length, 1)
  t.equal(lockFaults(inFile('select from users where company_id = any($1) for update')).length, 1)
  t.strictSame(lockFaults(inFile('select from users where company_id = $1 for update')), [])
  t.strictSame(lockFaults(sources), [])
})
