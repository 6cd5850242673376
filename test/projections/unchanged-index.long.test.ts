import { sql } from 'kysely'
import type { KyselyPlugin } from 'kysely'
import t from 'tap'
import { countLogEntries, listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { addBlocks } from '../../projections/bulk-user-logs/unchanged-index.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { employee, startService } from '../support/service.ts'
import { ENTRIES } from '../support/postgres/projection-tables.ts'

/*
 * What a search costs, and that the index is complete. `people-search.long.test.ts` compares what a search finds with a scan of
 * all calls.
 */

const service = await startService(t)
const PEOPLE = 50
const BLOCKS = 5
const SIZE = { entries: 2_000, records: 10_000 }
const CALLS = BLOCKS * SIZE.entries + 50
/** Every hundredth call has a record of the first person, and all others one of somebody else. */
const EVERY = 100
/** The positions of the calls begin after this one. */
const BEFORE = 1_000

const { body } = await service.call('POST', '/v1/employees', {
  body: Array.from({ length: PEOPLE }, (_, at) => employee({ email: `${at}@example.com`, external_id: `X-${at}` })),
})
const ids = (body.employees as { id: string }[]).map(({ id }) => id)
const [person, ...others] = ids as [string, ...string[]]
await service.project()
await writeCalls(service.company.id)

/** Writes calls of one record that changed nothing, as a ledger and the log have them. */
async function writeCalls(companyId: string, { count, every } = { count: CALLS, every: EVERY }): Promise<void> {
  const company = toUuid(companyId)
  await sql`insert into events (company_id, position, recorded_at, stream_id, call_id, stream_version, schema_version, type,
      actor, leaf_hash, salt, data)
    select ${company}::uuid, ${BEFORE}::integer + n, now(), id, id, 1, 2, 'ApiCallCompleted', 'key', sha256(''), substr(sha256(''), 1, 16),
      '{"operation":"update_one","unchanged":["' || case when n % ${every}::integer = 0 then ${person}
        else (${others}::text[])[1 + n % ${others.length}::integer] end || '"]}'
    from (select n, gen_random_uuid() as id from generate_series(1, ${count}::integer) n) calls`.execute(service.db)
  await sql`insert into ${sql.raw(ENTRIES)}
    select ${company}::uuid, position, call_id, 'Completed', 'update_one', 'Public API', recorded_at, 1, 200, null, null, call_id, 'Key',
      position::text, 1, 0, 0, 0, 1, position, '\\x00'
    from events where company_id = ${company} and position > ${BEFORE}`.execute(service.db)
}

const find = { employee: person }

/** Runs a search in a transaction. Returns its result, its statements, and the rows that they read. */
async function measure<Result>(search: (db: typeof service.db) => Promise<Result>) {
  let statements = 0
  const counter: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return service.db.transaction().execute(async (transaction) => {
    const countRows = async () => {
      const { rows } = await sql<{
        count: number
      }>`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count
        from pg_stat_xact_user_tables`.execute(transaction)
      return rows[0]!.count
    }
    // The counts may include earlier transactions of the connection.
    const before = await countRows()
    const result = await search(transaction.withPlugin(counter))
    return { result, statements, rowsRead: (await countRows()) - before }
  })
}

await t.test('workers that index at once add each block once, and only complete blocks', async (t) => {
  const counts = await Promise.all([addBlocks(service.db, SIZE), addBlocks(service.db, SIZE)])
  // On the coordinator of a cluster, blocks that were there already count, too.
  t.ok(counts[0] + counts[1] >= BLOCKS)
  const { rows } =
    await sql`select count(distinct last_position)::integer as blocks, sum(cardinality(people))::integer as records
    from unchanged_records`.execute(service.db)
  t.strictSame(rows, [{ blocks: BLOCKS, records: BLOCKS * SIZE.entries }])
  t.equal(await addBlocks(service.db, SIZE), 0)
})

await t.test('a search for a person with few of many entries reads few rows', async (t) => {
  await sql`analyze`.execute(service.db)
  for (const search of [
    (db: typeof service.db) => listLogEntries(db, service.company.id, find, { limit: 200, before: null }),
    (db: typeof service.db) => listLogEntries(db, service.company.id, find, { limit: 200, after: 0 }),
  ]) {
    const { result, statements, rowsRead } = await measure(search)
    // The person's creation is one more.
    t.equal(result.entries.length, CALLS / EVERY + 1 - (CALLS % EVERY) / EVERY)
    t.equal(result.isUnfinished, false)
    t.ok(statements <= 12, `${statements} statements`)
    t.ok(rowsRead < 1_500, `${rowsRead} rows`)
  }
  const { result, rowsRead } = await measure((db) => countLogEntries(db, service.company.id, find, null))
  t.strictSame(result, { count: Math.floor(CALLS / EVERY) + 1, isMore: false })
  t.ok(rowsRead < 1_500, `${rowsRead} rows`)
})

await t.test('a search finds the entries at both ends of each block, and those next to it', async (t) => {
  const { id } = await service.makeCompany('Ends of blocks')
  const count = 25
  await writeCalls(id, { count, every: 1 })
  while ((await addBlocks(service.db, { entries: 7, records: 10_000 })) > 0);
  const all = Array.from({ length: count }, (_, at) => BEFORE + 1 + at)
  const positionsOf = ({ entries }: Awaited<ReturnType<typeof listLogEntries>>) =>
    entries.map(({ position }) => position)
  for (let at = 0; at <= count; at += 1) {
    const [before, after] = [BEFORE + 1 + at, BEFORE + at]
    const older = await listLogEntries(service.db, id, find, { limit: 200, before })
    t.strictSame(positionsOf(older), all.slice(0, at).toReversed(), `before ${before}`)
    const newer = await listLogEntries(service.db, id, find, { limit: 200, after })
    t.strictSame(positionsOf(newer), all.slice(at), `after ${after}`)
  }
})

await t.test('a search through very many blocks can be continued in both directions', async (t) => {
  const { id } = await service.makeCompany('Many blocks')
  await writeCalls(id)
  // A run adds some, and leaves the rest to the next one.
  while ((await addBlocks(service.db, { entries: 20, records: 10_000 })) > 0);
  const expected = Array.from({ length: Math.floor(CALLS / EVERY) }, (_, at) => BEFORE + (at + 1) * EVERY)
  for (const [list, order] of [
    [(beyond: number | null) => listLogEntries(service.db, id, find, { limit: 200, before: beyond }), 'newest'],
    [(beyond: number | null) => listLogEntries(service.db, id, find, { limit: 200, after: beyond ?? 0 }), 'oldest'],
  ] as const) {
    const first = await list(null)
    t.ok(first.isUnfinished)
    const second = await list(first.next)
    t.notOk(second.isUnfinished)
    const positions = [...first.entries, ...second.entries].map(({ position }) => position)
    t.strictSame(positions, order === 'newest' ? expected.toReversed() : expected)
  }
})

await t.test('a search for somebody whom no call names reads few rows, too', async (t) => {
  const { result, rowsRead } = await measure((db) =>
    listLogEntries(db, service.company.id, { employee: 'nobody@example.com' }, { limit: 200, before: null }),
  )
  t.strictSame(result, { entries: [], next: null, isUnfinished: false, count: null })
  t.ok(rowsRead < 1_500, `${rowsRead} rows`)
})
