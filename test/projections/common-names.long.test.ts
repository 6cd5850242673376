import t from 'tap'
import { listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { countBlocks } from '../support/postgres/count-blocks.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { employee, startService } from '../support/service.ts'

/*
 * Many people have the same name, and each was changed a dozen times. A search reads a few changes of each person and
 * still finds the newest entries. The test counts blocks (8 KiB), not time.
 */

const onePlan = CITUS_URL === undefined ? {} : { skip: 'on Citus, EXPLAIN does not say what the shards read' }
const PEOPLE = 1_000
const CHANGES = 12
const OFTEN = 60
const LIMIT = 20
/** Ten for each person: the row of the person and a few changes. Reading all changes would take fifteen. */
const MAX_BLOCKS = 10 * PEOPLE

const statements = watchStatements(t)
const service = await startService(t)
const { call, company, db, pool, urls } = service

await runSql(
  urls.superUrl,
  `do $$ declare t regclass; begin
    for t in select oid from pg_class where relkind = 'r' and relnamespace::regnamespace::text ~ '^(public|.*_v[0-9]+)$'
    loop execute format('alter table %s set (autovacuum_enabled = off)', t); end loop;
  end $$`,
)
const people = Array.from({ length: PEOPLE }, () => employee({ last_name: 'Haddad' }))
const { body: made } = await call('POST', '/v1/employees', { body: people })
const ids: string[] = made.employees.map(({ id }: { id: string }) => id)
const newestFirst: string[] = [made.log_id]
const change = async (changed: string[], to: string) => {
  const { body } = await call('PATCH', '/v1/employees', { body: changed.map((id) => ({ id, job_title: to })) })
  newestFirst.unshift(body.log_id)
}
for (let nth = 0; nth < CHANGES; nth += 1)
  for (let at = 0; at < PEOPLE; at += PEOPLE / 4) await change(ids.slice(at, at + PEOPLE / 4), `Engineer ${nth}`)
for (let nth = 0; nth < OFTEN; nth += 1) await change([ids[nth % 2]!], `Manager ${nth}`)
await service.project()

await t.test('a search by a common name reads some changes of each person, analyzed or not', onePlan, async (t) => {
  for (const path of ['/bulk-user-logs?q=haddad', '/bulk-user-logs?q=haddad&operation=update_many']) {
    for (const state of ['never analyzed', 'analyzed']) {
      if (state === 'analyzed') await runSql(urls.superUrl, 'analyze')
      statements.length = 0
      t.equal((await service.admin(path)).status, 200)
      const sent = [...statements]
      t.ok(sent.length <= 10, `${path}: ${sent.length} statements`)
      const blocks = await countBlocks(pool, sent)
      t.ok(blocks <= MAX_BLOCKS, `${path}, ${state}: ${blocks} blocks, of at most ${MAX_BLOCKS}`)
    }
  }
})

await t.test('people who change more often than all others do not end a page early', async (t) => {
  const pages: string[] = []
  for (let before: number | null = null; pages.length < OFTEN;) {
    const page = await listLogEntries(db, company.id, { q: 'haddad' }, { before, limit: LIMIT })
    t.equal(page.entries.length, LIMIT)
    pages.push(...page.entries.map(({ entry }) => entry.id))
    before = page.next
  }
  t.strictSame(pages, newestFirst.slice(0, pages.length))
})
