import { pino } from 'pino'
import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import type { Projection } from '../../projections/projection.ts'
import { openFolding } from '../../src/workers/open-folding.ts'
import { insertJobs, openQueues, queueOf } from '../../src/workers/queues.ts'
import { startWorker } from '../../src/workers/worker.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { employee, startService } from '../support/service.ts'

/** More events than a worker folds at once, several times. */
const BACKLOG = { calls: 9, records: 1_000 }

await t.test('a company that is announced later does not wait for the long backlog of another one', async (t) => {
  const service = await startService(t)
  const { company: busy } = service
  const small = await service.makeCompany('Small')
  await service.project(small.id)
  for (let at = 0; at < BACKLOG.calls; at += 1) {
    const body = Array.from({ length: BACKLOG.records }, () => employee())
    await service.call('POST', '/v1/employees', { key: busy.key, body })
  }
  const boss = await openQueues(service.urls.serviceUrl, { works: true, connections: 2, onError: () => undefined })
  const announce = ({ id }: { id: string }) => insertJobs(boss, queueOf(bulkUserLogs), [{ data: { companies: [id] } }])
  const folded: string[] = []
  const watched: Projection = {
    ...bulkUserLogs,
    async fold(transaction, schema, batches) {
      if (folded.length === 0) {
        await service.call('POST', '/v1/employees', { key: small.key, body: employee() })
        await announce(small)
      }
      for (const { companyId } of batches) folded.push(companyId)
      await bulkUserLogs.fold(transaction, schema, batches)
    },
  }
  const worker = await startWorker({
    ...{ db: service.db, pool: service.pool, boss, projections: [watched], turnMs: 0 },
    foldingDbOf: openFolding(service.pool),
    log: pino({ level: 'silent' }),
    sweepIntervalMs: 600_000,
    answersKeptHours: 72,
    retireRecords: async () => 0,
    expireSessions: async () => 0,
  })
  t.teardown(async () => {
    await worker.stop()
    await boss.stop({ graceful: false })
  })
  await announce(busy)
  await eventually('all is folded', () => isCaughtUp(service.pool, [bulkUserLogs]))
  t.ok(folded.filter((id) => id === busy.id).length > 2, 'the backlog takes several batches')
  t.equal(folded[0], busy.id)
  t.ok(folded.indexOf(small.id) < folded.lastIndexOf(busy.id), 'the other company is folded in between')
})
