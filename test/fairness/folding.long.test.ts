import t, { type Test } from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import type { Projection } from '../../projections/projection.ts'
import { largeCalls } from '../../src/workers/fold-together.ts'
import type { LedgerTables } from '../../src/ledger/tables.ts'
import { openPreparedDatabase } from '../../src/postgres/kysely.ts'
import { announceCompanies } from '../../src/workers/announce.ts'
import { openQueues, queueOf } from '../../src/workers/queues.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import type { Service, TestCompany } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { startTestWorker } from '../support/start-test-worker.ts'

/** More events than a worker folds at once, several times. */
const BACKLOG = { calls: 9, records: 1_000 }
/** More records than a company may have folded together with 63 others. */
const LARGE = 60
/** For how many turns the busy companies go on. */
const TURNS = 8

/**
 * Starts a worker whose turns end after one fold. It folds the log, and calls `onFold` before it does, with its number
 * and the companies.
 */
async function startFolding(
  t: Test,
  service: Service,
  onFold: (nth: number, companyIds: string[]) => Promise<void>,
  maxRecords = BACKLOG.records,
) {
  const boss = await openQueues(service.urls.serviceUrl, { works: true, connections: 2, onError: () => undefined })
  let folds = 0
  const watched: Projection = {
    ...bulkUserLogs,
    async fold(transaction, schema, batches, doPieces) {
      const companyIds = batches.map(({ companyId }) => companyId)
      await onFold((folds += 1), companyIds)
      await bulkUserLogs.fold(transaction, schema, batches, doPieces)
    },
  }
  t.teardown(() => boss.stop({ graceful: false }))
  const foldingDb = openPreparedDatabase<LedgerTables>(service.pool)
  const rare = { turnMs: 0, sweepIntervalMs: 600_000 }
  await startTestWorker(t, service, { boss, foldingDb, projections: [watched], maxRecords, ...rare })
  /** Sends one job. */
  return (companies: TestCompany[]) =>
    announceCompanies(
      boss,
      queueOf(bulkUserLogs),
      companies.map(({ id }) => id),
    )
}

async function create(service: Service, { key }: TestCompany, records: number): Promise<void> {
  const body = Array.from({ length: records }, () => employee())
  await service.call('POST', '/v1/employees', { key, body })
}

await t.test('a company that is announced later does not wait for the long backlog of another one', async (t) => {
  const service = await startService(t)
  const { company: busy } = service
  const small = await service.makeCompany('Small')
  await service.project(small.id)
  for (let at = 0; at < BACKLOG.calls; at += 1) await create(service, busy, BACKLOG.records)
  const folded: string[] = []
  const announce = await startFolding(t, service, async (nth, companyIds) => {
    if (nth === 1) {
      await create(service, small, 1)
      await announce([small])
    }
    for (const id of companyIds) folded.push(id)
  })
  await announce([busy])
  await eventually('all is folded', () => isCaughtUp(service.db, { projections: [bulkUserLogs] }))
  t.ok(folded.filter((id) => id === busy.id).length > 2, 'the backlog takes several batches')
  t.equal(folded[0], busy.id)
  t.ok(folded.includes(small.id))
  t.ok(folded.indexOf(small.id) < folded.lastIndexOf(busy.id), 'the other company is folded in between')
})

await t.test('a company that a turn leaves out is first in the next one, however busy the others are', async (t) => {
  const service = await startService(t)
  const busy = [service.company]
  while (busy.length < largeCalls(BACKLOG.records).companies)
    busy.push(await service.makeCompany(`Busy ${busy.length}`))
  const patient = await service.makeCompany('Patient')
  for (const { id } of [...busy, patient]) await service.project(id)
  for (const company of [...busy, patient]) await create(service, company, LARGE)
  const folded: string[] = []
  const announce = await startFolding(t, service, async (nth, companyIds) => {
    if (nth <= TURNS) {
      for (const company of busy) await create(service, company, LARGE)
      await announce(busy)
    }
    for (const id of companyIds) folded.push(id)
  })
  await announce([...busy, patient])
  await eventually('all is folded', () => isCaughtUp(service.db, { projections: [bulkUserLogs] }))
  t.equal(folded.filter((id) => id === patient.id).length, 1)
  t.ok(folded.indexOf(patient.id) < 3 * largeCalls(BACKLOG.records).companies, 'it is folded while the others go on')
})

const together = CITUS_URL === undefined ? {} : { skip: 'on Citus each company is folded alone' }

await t.test('the largest calls that MAX_RECORDS allows share a transaction', together, async (t) => {
  const records = 1_500
  const service = await startService(t, { MAX_RECORDS: String(records) })
  const companies = [service.company, await service.makeCompany('Other')]
  for (const { id } of companies) await service.project(id)
  for (const company of companies) await create(service, company, records)
  const folds: string[][] = []
  const announce = await startFolding(t, service, async (_, companyIds) => void folds.push(companyIds), records)
  await announce(companies)
  await eventually('all is folded', () => isCaughtUp(service.db, { projections: [bulkUserLogs] }))
  t.strictSame(
    folds.map((companyIds) => companyIds.toSorted()),
    [companies.map(({ id }) => id).toSorted()],
  )
})
