import t, { type Test } from 'tap'
import { PROJECTIONS } from '../../projections/index.ts'
import type { LedgerDb, LedgerTables } from '../../src/ledger/tables.ts'
import { currentCompany } from '../../src/postgres/company-scope.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { LendingPool } from '../../src/postgres/lending-pool.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { employee, startService } from '../support/service.ts'
import { startTestWorker } from '../support/start-test-worker.ts'
import { unreachableQueue } from '../support/unreachable-queue.ts'

const service = await startService(t)

/** Starts a worker that sweeps often and has no queue. */
const work = (t: Test, foldingDb: LedgerDb, companiesTogether = Infinity) =>
  startTestWorker(t, service, {
    boss: unreachableQueue,
    projections: PROJECTIONS,
    foldingDb,
    companiesTogether,
    sweepIntervalMs: 50,
  })

await t.test('without the job queue, the sweep folds every projection by itself', async (t) => {
  await service.call('POST', '/v1/employees', { body: employee() })
  await work(t, service.db)
  await eventually('all is folded', () => isCaughtUp(service.db))
})

await t.test('companies that cannot be reached do not keep the others from being folded', async (t) => {
  const companies = [service.company]
  for (const name of ['One', 'Two', 'Three']) companies.push(await service.makeCompany(name))
  for (const { key } of companies) await service.call('POST', '/v1/employees', { key, body: employee() })
  const ids = companies.map(({ id }) => id)
  const [there, away] = [ids.slice(0, 2), ids.slice(2)]
  let isAway = true
  const connect = async () => {
    if (isAway && away.includes(currentCompany() ?? '')) throw new Error('Connection terminated unexpectedly')
    return service.pool.connect()
  }
  const folding = new LendingPool(service.pool.options, connect, () => [service.pool])
  await work(t, openDatabase<LedgerTables>(folding), 1)
  await eventually('those that can be reached are folded', () => isCaughtUp(service.db, { companyIds: there }))
  t.notOk(await isCaughtUp(service.db, { companyIds: away }))
  isAway = false
  await eventually('all are folded once they can be reached again', () => isCaughtUp(service.db))
})
