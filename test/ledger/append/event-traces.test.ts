import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { forgetTraces, readTraces } from '../../../src/ledger/append/actor-clients.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t)
const { id } = service.company
const TRACEPARENT = (at: number) => `00-0af7651916cd43dd8448eb211c80319c-b7ad6b71692033${at}-01`

await t.test('traces are found by position, after one and up to another', async (t) => {
  const recordedAt = new Date().toISOString()
  const rows = [11, 14, 20].map((position) => ({
    company_id: toUuid(id),
    position,
    traceparent: TRACEPARENT(position),
    recorded_at: recordedAt,
  }))
  await service.db.insertInto('event_traces').values(rows).execute()
  const find = (after: number, upTo: number, limit = 100) => readTraces(service.db, id, { after, upTo, limit })
  t.strictSame(await find(10, 20), [TRACEPARENT(11), TRACEPARENT(14), TRACEPARENT(20)])
  t.strictSame(await find(11, 19), [TRACEPARENT(14)])
  t.strictSame(await find(0, 100, 2), [TRACEPARENT(11), TRACEPARENT(14)])
  t.strictSame(
    await readTraces(service.db, (await service.makeCompany('Other')).id, { after: 0, upTo: 100, limit: 9 }),
    [],
  )
})

await t.test('all traces older than a day are deleted, and no others', async (t) => {
  await service.pool.query(
    `insert into event_traces (company_id, position, traceparent, recorded_at)
     select $1, 1000 + n, $2, statement_timestamp() - interval '25 hours' from generate_series(1, 2500) n`,
    [toUuid(id), TRACEPARENT(99)],
  )
  const [one, other] = await Promise.all([forgetTraces(service.pool), forgetTraces(service.pool)])
  t.equal(one + other, 2500, 'two at once delete each trace once')
  t.equal(await forgetTraces(service.pool), 0)
  t.strictSame(await readTraces(service.db, id, { after: 0, upTo: 9_999, limit: 9 }), [
    TRACEPARENT(11),
    TRACEPARENT(14),
    TRACEPARENT(20),
  ])
})
