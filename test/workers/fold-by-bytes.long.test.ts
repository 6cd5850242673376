import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../projections/employees/fold.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { findCheckpoint } from '../../src/workers/checkpoints.ts'
import { foldTogether } from '../../src/workers/fold-together.ts'
import { catchUp, foldNext } from '../../src/workers/project.ts'
import { verifyProjection } from '../../src/workers/verify.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { beyond, countedReads } from '../support/postgres/counted-reads.ts'
import { meddledDatabase } from '../support/postgres/meddled-database.ts'
import { appendRefusalsAt, openOldLedger } from '../support/ledger/old-refusals.ts'
import { openRebuilding } from '../support/rebuilding.ts'
import { employee, startService } from '../support/service.ts'
import { EMPLOYEES, ENTRIES, REJECTED_NAMES } from '../support/postgres/projection-tables.ts'

const MEBIBYTE = 1024 * 1024
/** The most that is folded at once. */
const BATCH_BYTES = 4 * MEBIBYTE
const AT = '2026-01-01T00:00:00.000Z'
const HOOKS = {
  signal: new AbortController().signal,
  onBegun: () => undefined,
  onFolded: () => undefined,
  showValues: false,
}

const service = await startService(t)
const rebuilding = await openRebuilding(t, service)

async function ledgerOf(calls: { count: number; padding: number }[]): Promise<string> {
  const companyId = await openOldLedger(service, AT)
  for (const { count, padding } of calls) await appendRefusalsAt(service, companyId, AT, count, { padding })
  return companyId
}

/** The entries of a company's log, without their ids. */
async function entriesOf(companyId: string) {
  const { rows } = await service.pool.query(
    `select e.position, e.first_position as first, encode(e.outcomes, 'hex') as outcomes,
      (select count(distinct n.position)::integer from ${REJECTED_NAMES} n
        where n.company_id = e.company_id and n.entry_position = e.position) as names
     from ${ENTRIES} e where e.company_id = $1 order by 1`,
    [toUuid(companyId)],
  )
  return rows
}

// First, because it reads the ledgers of all companies.
await t.test('a rebuild and a verification read at most a batch of bytes at once', async (t) => {
  await ledgerOf([
    ...Array.from({ length: 4 }, () => ({ count: 1, padding: 3 * MEBIBYTE })),
    { count: 10, padding: MEBIBYTE },
  ])
  for (const projection of PROJECTIONS) {
    const rebuilt = countedReads(rebuilding.db)
    t.match(await rebuilding.rebuild(projection, { db: rebuilt.db }), { isSwitched: true })
    const verified = countedReads(rebuilding.db)
    t.strictSame((await verifyProjection(verified.db, projection, HOOKS)).faults, [])
    t.strictSame([...beyond(rebuilt.reads, BATCH_BYTES), ...beyond(verified.reads, BATCH_BYTES)], [])
  }
})

await t.test('a worker reads at most a batch of bytes at once', async (t) => {
  const companyId = await ledgerOf(Array.from({ length: 6 }, () => ({ count: 1, padding: 3 * MEBIBYTE })))
  for (const projection of PROJECTIONS) {
    const { db, reads } = countedReads(service.db)
    t.equal(await catchUp(db, projection, companyId), 12)
    t.strictSame(beyond(reads, BATCH_BYTES), [])
  }
  t.equal((await entriesOf(companyId)).length, 6)
})

await t.test('one transaction folds a call larger than a batch in parts, with the same rows', async (t) => {
  const companyId = await ledgerOf([
    { count: 12, padding: MEBIBYTE },
    { count: 1, padding: 0 },
  ])
  const { db, reads } = countedReads(service.db)
  t.match(await foldNext(db, bulkUserLogs, companyId), { after: 0, position: 13, isDone: false })
  t.strictSame(beyond(reads, BATCH_BYTES), [])
  const { rows } = await service.pool.query(
    `select count(distinct xmin::text)::integer as transactions from (
      select xmin, company_id from ${REJECTED_NAMES} union all select xmin, company_id from ${ENTRIES}
      union all select xmin, company_id from checkpoints) written where company_id = $1`,
    [toUuid(companyId)],
  )
  t.equal(rows[0].transactions, 1)
  t.strictSame(await entriesOf(companyId), [{ position: 13, first: 1, outcomes: '10'.repeat(12), names: 12 }])
  t.match(await foldNext(db, bulkUserLogs, companyId), { after: 13, position: 15 })
})

await t.test('a worker that dies between two parts of a call leaves no part of it', async (t) => {
  const companyId = await ledgerOf([{ count: 12, padding: MEBIBYTE }])
  let left = 3
  const dying = meddledDatabase(service.db, async ({ rows }) => {
    if (rows.some((row) => 'stream_id' in row) && (left -= 1) === 0) throw new Error('died')
  })
  await t.rejects(foldNext(dying, bulkUserLogs, companyId), /died/)
  t.strictSame(await entriesOf(companyId), [])
  t.equal(await catchUp(service.db, bulkUserLogs, companyId), 13)
  t.match(await entriesOf(companyId), [{ outcomes: '10'.repeat(12) }])
})

await t.test('a large call without its closing event stops the projection', async (t) => {
  const companyId = await ledgerOf([{ count: 12, padding: MEBIBYTE }])
  const headless = meddledDatabase(service.db, async ({ rows }) => {
    if (rows.length === 1 && rows[0]!['type'] === 'ApiCallFailed') rows.pop()
  })
  await t.rejects(foldNext(headless, bulkUserLogs, companyId), {
    name: 'UnfoldableError',
    message: /position 1 of .* is not closed/,
  })
})

const MANY = 2_400

await t.test('a worker loads at most 1,000 employees at once', async (t) => {
  const large = await startService(t, { MAX_RECORDS: '10000' })
  const made = await large.call('POST', '/v1/employees', { body: Array.from({ length: MANY }, () => employee()) })
  await large.project()
  const body = made.body.employees.map(({ id }: { id: string }) => ({ id, status: 'inactive' }))
  await large.call('PATCH', '/v1/employees', { body })
  const states: number[] = []
  const counted = meddledDatabase(
    large.db,
    async ({ rows }) => void states.push(rows.filter((row) => 'attributes' in row).length),
  )
  await catchUp(counted, employees, large.company.id)
  t.equal(
    states.reduce((sum, count) => sum + count, 0),
    MANY,
  )
  t.ok(Math.max(...states) <= 1_000, JSON.stringify(states))
  const { rows } = await large.pool.query(
    `select count(*)::integer as inactive from ${EMPLOYEES} where deactivated_at is not null`,
  )
  t.equal(rows[0].inactive, MANY)
})

const together = CITUS_URL === undefined ? {} : { skip: 'on Citus each company is folded alone' }

await t.test(
  'companies folded together share the bytes; one with a larger event is folded alone',
  together,
  async (t) => {
    const many = await ledgerOf([
      { count: 1, padding: 30_000 },
      { count: 1, padding: 30_000 },
      { count: 1, padding: 30_000 },
    ])
    const large = await ledgerOf([{ count: 1, padding: 100_000 }])
    for (const id of [many, large]) await findCheckpoint(service.db, employees, id)
    const { db, reads } = countedReads(service.db)
    const folded = await foldTogether(db, employees, [many, large])
    t.strictSame(folded, [{ companyId: many, after: 0, upTo: 4, isEnd: false }])
    t.ok(
      reads.every(({ bytes }) => bytes <= 64 * 1024),
      JSON.stringify(reads),
    )
  },
)
