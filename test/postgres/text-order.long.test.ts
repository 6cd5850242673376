import type { Kysely } from 'kysely'
import t from 'tap'
import { up as prepareIndexes } from '../../migrations/0003-index-by-bytes.ts'
import { up as orderByBytes } from '../../migrations/0004-order-by-bytes.ts'
import { onOwnerConnection } from '../../src/migration/owner.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { employee, startService } from '../support/service.ts'

/* The order of text in unique indexes depends on no operating system. */

const service = await startService(t)
const { pool, urls } = service

await t.test('every unique index of text is in the order of its bytes', async (t) => {
  const { rows } = await pool.query<{ place: string }>(`
    select indrelid::regclass || '.' || attname as place from pg_index join pg_class c on c.oid = indrelid
      cross join unnest(indkey::int[], indcollation::oid[]) as i (number, ordered_by)
      join pg_attribute on attrelid = indrelid and attnum = number
    where indisunique and relnamespace::regnamespace::text !~ '^(pg_|pgboss)' and relname !~ '^kysely_'
      and ordered_by not in (0, '"C"'::regcollation)`)
  t.strictSame(rows, [])
})

/** As version 1.0.0 made the directory. */
const AS_BEFORE = `alter table employee_directory alter column email type text collate "default",
  alter column external_id type text collate "default"`
const one = employee({ external_id: 'HR-1' })

await t.test('a directory of 1.0.0 gets indexes in this order, and is as unique and as fast as before', async (t) => {
  t.equal((await service.call('POST', '/v1/employees', { body: one })).status, 201)
  await asSuperuser(urls.superUrl, AS_BEFORE)
  const files = async () =>
    (await pool.query<{ file: string }>(`select pg_relation_filenode('employee_directory') as file`)).rows
  const before = await files()
  await onOwnerConnection(urls, { name: 'migrate' }, async (owner) => {
    await prepareIndexes(owner as unknown as Kysely<never>)
    await owner.transaction().execute((transaction) => orderByBytes(transaction as unknown as Kysely<never>))
  })
  t.strictSame(await files(), before, 'the table is not written again')

  const { rows } = await pool.query<{ name: string; is_deferrable: boolean; definition: string }>(`
    select conname as name, condeferrable as is_deferrable, pg_get_indexdef(conindid) as definition from pg_constraint
    where conrelid = 'employee_directory'::regclass and contype = 'u' order by conname`)
  t.match(rows, [
    { name: 'employee_directory_email', is_deferrable: true, definition: / \(company_id, email\)$/ },
    { name: 'employee_directory_external_id', is_deferrable: true, definition: / \(company_id, external_id\)$/ },
  ])
  const taken = await service.call('POST', '/v1/employees', { body: employee({ email: one['email'] }) })
  t.equal(taken.status, 409)

  // On Citus, a setting of the session does not reach the shards.
  if (CITUS_URL !== undefined) return
  const client = await pool.connect()
  t.teardown(() => client.release(true))
  await client.query('set enable_seqscan = off')
  for (const column of ['email', 'external_id']) {
    const { rows: plan } = await client.query<Record<string, string>>(`explain
      select employee_id from unnest(array['x']) as wanted (value)
      join employee_directory on company_id = '00000000-0000-4000-8000-000000000000' and ${column} = value`)
    t.match(plan.map((row) => row['QUERY PLAN']).join('\n'), `employee_directory_${column}`)
  }
})
