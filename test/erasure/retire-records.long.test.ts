import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { retireRecords } from '../../src/workers/retire-records.ts'
import { RETIRE_RECORDS } from '../../src/workers/queues.ts'
import { streamOf } from '../support/ledger/company-events.ts'
import { eventually } from '../support/eventually.ts'
import { openAppends } from '../support/ledger/appends.ts'
import { appendRefusalsAt, openOldLedger } from '../support/ledger/old-refusals.ts'
import { sendJob } from '../support/send-job.ts'
import type { Service } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { uploadCall } from '../support/ledger/calls.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import { REJECTED_NAMES } from '../support/postgres/projection-tables.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
/** An age in days that even the records of today exceed. */
const TOMORROW = -1

const rejectedWithData = async (service: Service, companyId: string) => {
  const { rows } = await service.pool.query(
    `select 1 from events where company_id = $1 and data is not null and type = 'EmployeeRecordRejected'`,
    [toUuid(companyId)],
  )
  return rows.length
}

await t.test('only refused records that are old enough are erased', async (t) => {
  const service = await startService(t)
  const companyId = await openOldLedger(service, daysAgo(20))
  for (const days of [20, 11, 9, 1]) await appendRefusalsAt(service, companyId, daysAgo(days), 2)
  t.equal(await retireRecords(service.pool, 0), 0, '0 keeps them for ever')
  t.equal(await retireRecords(service.pool, 10), 4)
  const [marker] = await streamOf(service, companyId, companyId)
  t.match(marker, {
    type: 'RecordsRetired',
    version: 1,
    actor: 'schedule',
    call_id: null,
    data: { positions: [1, 2, 4, 5] },
  })
  t.equal(await rejectedWithData(service, companyId), 4)
  t.equal(await retireRecords(service.pool, 10), 0, 'the second time, there is nothing to do')
  t.strictSame(await ledgerFaults(service.db, companyId), [])
  t.equal(await retireRecords(service.pool, 5), 2)
  t.strictSame(
    (await streamOf(service, companyId, companyId)).map(({ version, data }) => [version, data]),
    [
      [1, { positions: [1, 2, 4, 5] }],
      [2, { positions: [7, 8] }],
    ],
  )
})

await t.test('retiring records keeps the entry, its counts and error, and all employees', async (t) => {
  const service = await startService(t)
  const { company } = service
  const { body: made } = await service.call('POST', '/v1/employees', { body: employee({ external_id: 'kept' }) })
  const { id } = made.employees[0]
  const { body: failed } = await service.call('PATCH', '/v1/employees', {
    body: [{ id, phone: '1' }, { email: 'nobody@example.com' }],
  })
  const before = await service.logOf(failed.log_id)
  t.equal((await service.admin('/bulk-user-logs?employee=nobody@example.com')).body.items.length, 1)
  t.equal(await retireRecords(service.pool, TOMORROW), 2)
  const after = await service.logOf(failed.log_id)
  t.strictSame(after.entry, before.entry)
  const gone = {
    employee_id: null,
    status: null,
    attributes: null,
    changes: null,
    record: null,
    errors: null,
    truncated: false,
    errors_omitted: 0,
    left_out: [],
    erased: true,
  }
  t.strictSame(after.records, [
    { index: 0, ...gone },
    { index: 1, ...gone },
  ])
  t.strictSame((await service.admin('/bulk-user-logs?employee=nobody@example.com')).body.items, [])
  t.strictSame((await service.call('GET', `/v1/employees/${id}`)).body, made.employees[0])
  t.strictSame((await service.logOf(made.log_id)).records[0].erased, false)
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('the names of uploaded files are erased, too, and their entries stay', async (t) => {
  const service = await startService(t)
  const { commit } = openAppends(t, service)
  const names = ['staff of May.csv', 'staff of June.csv']
  const calls = names.map((fileName) => uploadCall(service.company, [employee()], { fileName }))
  await commit(calls)
  t.equal(await retireRecords(service.pool, 1), 0, 'not before their time')
  t.equal(await retireRecords(service.pool, TOMORROW), 2)
  t.equal(await retireRecords(service.pool, TOMORROW), 0)
  for (const { callId } of calls)
    t.match(await service.logOf(callId), { entry: { name: 'File upload', file: { name: null, rows: 1 } } })
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('two processes retire many records in batches, each record once', async (t) => {
  const service = await startService(t)
  const companies = [await openOldLedger(service, daysAgo(9)), await openOldLedger(service, daysAgo(9))]
  const calls = 3
  for (const companyId of companies) {
    for (let at = 0; at < calls; at += 1) await appendRefusalsAt(service, companyId, daysAgo(9), 700)
  }
  const counts = await Promise.all([1, 2].map(() => retireRecords(service.pool, 7)))
  t.equal(counts[0]! + counts[1]!, 2 * 700 * calls)
  for (const companyId of companies) {
    t.equal(await rejectedWithData(service, companyId), 0)
    t.equal((await streamOf(service, companyId, companyId)).length, calls, 'at most a thousand at once')
    t.strictSame(await ledgerFaults(service.db, companyId), [])
  }
})

await t.test('a concurrent erasure and retirement erase a record once', async (t) => {
  const service = await startService(t)
  for (let round = 0; round < 5; round += 1) {
    const email = `round.${round}@example.com`
    await service.call('PATCH', '/v1/employees', { body: [{ email }] })
    const [erased, retired] = await Promise.all([
      service.manage('POST', '/erasures', { email }),
      retireRecords(service.pool, TOMORROW),
    ])
    t.equal((erased.status === 200 ? 1 : 0) + retired, 1, `${erased.status} and ${retired}`)
  }
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('workers retire records as configured, and the read models follow', async (t) => {
  const service = await startService(
    t,
    { REJECTED_RECORDS_KEPT_DAYS: '7', SWEEP_INTERVAL_MS: '60000' },
    { workers: true },
  )
  const companyId = await openOldLedger(service, daysAgo(9))
  await appendRefusalsAt(service, companyId, daysAgo(9), 2)
  await service.project(companyId)
  const names = async () => (await service.pool.query(`select 1 from ${REJECTED_NAMES}`)).rows.length
  t.equal(await names(), 4, 'a name and a code of each')
  await sendJob(service.urls.serviceUrl, RETIRE_RECORDS)
  await eventually('the hashes of the records are gone', async () => (await names()) === 0)
  t.equal(await rejectedWithData(service, companyId), 0)
})
