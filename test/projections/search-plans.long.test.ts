import t from 'tap'
import { countBlocks } from '../support/postgres/count-blocks.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { employee, startService } from '../support/service.ts'

/*
 * What a search reads does not depend on what the planner knows of the tables: a new company's are never analyzed until it
 * has thousands of calls. Blocks are counted, not time.
 */

const onePlan = CITUS_URL === undefined ? {} : { skip: 'on Citus, EXPLAIN does not say what the shards read' }
const FAILED = 1_000
const CHANGED = 200
/** What a page takes, with the look-ups, and a text that most of these people have. */
const MAX_BLOCKS = 2_500

const statements = watchStatements(t)
const service = await startService(t)
const { urls } = service

/** Runs a statement for each table. */
const onTables = (change: string) =>
  runSql(
    urls.superUrl,
    `do $$ declare t regclass; begin
      for t in select oid from pg_class where relkind = 'r' and relnamespace::regnamespace::text ~ '^(public|.*_v[0-9]+)$'
      loop execute format('${change}', t); end loop;
    end $$`,
  )

await onTables('alter table %s set (autovacuum_enabled = off)')
const people = Array.from({ length: 150 }, (_, at) => employee({ last_name: at < 20 ? 'Pérez' : 'Li' }))
const { body: made } = await service.call('POST', '/v1/employees', { body: people })
const ids: string[] = made.employees.map(({ id }: { id: string }) => id)
const refused = (at: number) => [0, 1, 2, 3, 4].map((nth) => ({ email: `ghost.${at}.${nth}@example.com`, phone: 'x' }))
for (let at = 0; at < FAILED; at += 25)
  await Promise.all(
    Array.from({ length: 25 }, (_, nth) => service.call('PATCH', '/v1/employees', { body: refused(at + nth) })),
  )
for (let at = 0; at < CHANGED; at += 1)
  await service.call('PATCH', '/v1/employees', {
    body: [{ id: ids[at % 150], job_title: `t${at}` }, { id: ids[(at + 1) % 150] }],
  })
await service.call('POST', '/v1/employees', { body: [employee({ phone: 'x', first_name: '', last_name: '' })] })
await service.project()

const SEARCHES = {
  'a code that every call has': 'q=invalid_format',
  'a code that one call has': 'q=required',
  'a code that no call has': 'q=already_exists',
  'the code of a call': 'q=validation_failed',
  'an address': 'q=127.0.0.1',
  'another address': 'q=192.0.2.1',
  'the name of a key': 'q=HR+sync',
  'a name': 'q=p%C3%A9rez',
  'a name in failed calls': 'q=p%C3%A9rez&status=Failed',
  'a common name': 'q=ana',
  'one person': `employee=${ids[0]}`,
  'one person since a day': `employee=${ids[0]}&from=2026-01-01T00:00:00Z`,
  'a refused person': 'employee=ghost.7.1%40example.com',
  nobody: 'q=nobody',
}

/** What each search reads now. */
async function measure(): Promise<Map<string, number>> {
  const read = new Map<string, number>()
  for (const [name, query] of Object.entries(SEARCHES)) {
    statements.length = 0
    const { status } = await service.admin(`/bulk-user-logs?${query}`)
    if (status !== 200) throw new Error(`${query} got ${status}`)
    read.set(name, await countBlocks(service.pool, [...statements]))
  }
  return read
}

await t.test('a search reads as few blocks on a database that was never analyzed', onePlan, async (t) => {
  const never = await measure()
  await runSql(urls.superUrl, 'analyze')
  const analyzed = await measure()
  for (const name of Object.keys(SEARCHES)) {
    const [before, after] = [never.get(name)!, analyzed.get(name)!]
    t.ok(before <= MAX_BLOCKS && after <= MAX_BLOCKS, `${name}: ${before} blocks, and then ${after}`)
    t.ok(before <= 2 * after + 100, `${name}: ${before} blocks, and then ${after}`)
  }
})
