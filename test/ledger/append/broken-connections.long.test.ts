import t from 'tap'
import { openPool } from '../../../src/postgres/pool.ts'
import { createEmployeeCache } from '../../../src/ledger/append/employee-cache.ts'
import { createLanes } from '../../../src/ledger/append/lanes.ts'
import { openDatabaseLine } from '../../support/lines/database-line.ts'
import { eventually } from '../../support/eventually.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { employee, send, startService } from '../../support/service.ts'
import { createCall } from '../../support/ledger/calls.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'

const service = await startService(t)
const { key, id: companyId } = service.company
const line = await openDatabaseLine(t, () => Number(new URL(service.urls.serviceUrl).port))
const throughLine = line.through(service.urls.serviceUrl)
const stored = async () => {
  const { rows } = await service.pool.query<{ n: number }>('select count(*)::integer as n from employee_directory')
  return rows[0]!.n
}

await t.test('an API process survives cut connections: current calls get 503, and the next work', async (t) => {
  const api = await startProcess(t, 'serve', { ...service.urls, serviceUrl: throughLine }, { LOG_LEVEL: 'silent' })
  const create = () => send(addressOf(api), 'POST', '/v1/employees', { key, body: employee() })
  t.equal((await create()).status, 201)
  const holder = await holdHead(service)
  const cut = create()
  await lockIsAwaited(service, 'heads')
  line.reset()
  t.equal((await cut).status, 503)
  await letGo(holder)
  await eventually('the next call works', async () => (await create()).status === 201)
  t.equal(api.child.exitCode, null)
})

await t.test('a worker survives cut connections', async (t) => {
  const worker = await startProcess(
    t,
    'work',
    { ...service.urls, serviceUrl: throughLine },
    { LOG_LEVEL: 'silent', SWEEP_INTERVAL_MS: '100' },
  )
  line.reset()
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  await eventually(
    'the entry is there',
    async () => (await service.admin(`/bulk-user-logs/${body.log_id}`)).status === 200,
  )
  t.equal(worker.child.exitCode, null)
})

await t.test('when the answer to a COMMIT is lost, stored calls still get 201, and others 503', async (t) => {
  const line = await openDatabaseLine(t, () => Number(new URL(service.urls.serviceUrl).port))
  const pool = openPool({ url: line.through(service.urls.serviceUrl), name: 'test appends', max: 4 })
  t.teardown(() => pool.end())
  const bounds = {
    cache: createEmployeeCache(0),
    lanes: 1,
    maxRecordsPerCommit: 500,
    maxWaiting: 100,
    maxRecordsWaiting: 1000,
    maxWaitMs: 10_000,
  }
  const confirmed: string[] = []
  const onStored = (calls: { companyId: string }[]) => confirmed.push(...calls.map((call) => call.companyId))
  const lanes = createLanes({
    pool,
    ...bounds,
    onCommitted: () => undefined,
    onStored,
    onUnstorable: (error) => t.fail(String(error)),
  })
  const create = (): Promise<number | string> =>
    lanes.append(createCall(service.company, employee())).then(
      ({ answer }) => answer!.status,
      (error: Error) => error.name,
    )
  t.equal(await create(), 201)
  for (const [fault, answer, more] of [
    ['swallow the answer to COMMIT', 201, 2],
    ['swallow COMMIT', 'UnavailableError', 0],
  ] as const) {
    const before = await stored()
    line.loseNext(fault)
    t.strictSame(await Promise.all([create(), create()]), [answer, answer], fault)
    t.equal(await stored(), before + more, fault)
  }
  t.strictSame(confirmed, [companyId], 'only the call whose COMMIT was answered')
  t.strictSame(await ledgerFaults(service.db, companyId), [])
})
