import t from 'tap'
import { readSources } from '../support/rules/source-files.ts'
import { changeFaults, lockFaults } from '../support/rules/statements.ts'

/* What Citus refuses and PostgreSQL runs, so that no test on PostgreSQL alone meets it. */

const THIS = 'test/postgres/distributed-statements.test.ts'
const sources = readSources('src', 'projections', 'test').filter(({ path }) => path !== THIS)
const inFile = (sql: string) => [{ path: 'any.ts', text: `query(\`${sql}\`)` }]

await t.test('no change uses a function where Citus refuses it', async (t) => {
  const refused = [
    'update users set removed_at = clock_timestamp()',
    'delete from users where removed_at < clock_timestamp()',
    'update users set at = case when a then now() else at end',
    'update users set at = coalesce(at, statement_timestamp())',
    "update users set at = at + interval '1 hour'",
    'insert into users values ($1) on conflict do update set at = now()',
    'insert into users values ($1) on conflict do update set a = 1 where at < statement_timestamp()',
    'update users set a = 1 returning at < statement_timestamp()',
    "delete from users returning user_id, date_trunc('hour', at, 'UTC')",
  ]
  for (const statement of refused) t.equal(changeFaults(inFile(statement)).length, 1, statement)
  const allowed = [
    'update users set removed_at = statement_timestamp()',
    'update users set b = case when a then 1 end, at = now()',
    'insert into users values ($1, now()) on conflict do update set at = excluded.at',
  ]
  for (const statement of allowed) t.strictSame(changeFaults(inFile(statement)), [], statement)
  t.strictSame(changeFaults(sources), [])
})

await t.test('only rows of one company are locked', async (t) => {
  t.equal(lockFaults(inFile('select from users where user_id = $1 for update')).length, 1)
  t.equal(lockFaults(inFile('select from users where company_id = any($1) for update')).length, 1)
  t.strictSame(lockFaults(inFile('select from users where company_id = $1 for update')), [])
  t.strictSame(lockFaults(sources), [])
})
