import type { Test } from 'tap'
import t from 'tap'
import { quarterOf } from '../../src/admission/budget.ts'
import { alsoHold } from '../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import type { TestCompany } from '../support/service.ts'
import { startService } from '../support/service.ts'

/* Changes of a company don't take the connections of other companies. */

const CHANGES = 60
const service = await startService(t)
const SHARE = quarterOf(service.config.POOL_SIZE)

/** Locks the heads of companies, as a slow transaction of another process would, until the returned function is called. */
async function holdHeads(t: Test, companies: TestCompany[]): Promise<() => Promise<unknown>> {
  const holder = await service.open({ name: 'test holder', max: 1 }).connect()
  t.teardown(() => holder.release(true))
  await holder.query('begin')
  for (const company of companies) await alsoHold(holder, 'heads', company)
  return () => holder.query('rollback')
}

const inUse = () => service.pool.totalCount - service.pool.idleCount
const change = ({ admin }: TestCompany) =>
  service.manage('POST', '/api-keys', { name: 'spare', quota_limit: 1, refresh_period: 'daily' }, admin.token)

await t.test('the changes of a company wait for one another without a connection', async (t) => {
  const [busy, other] = [await service.makeCompany('Busy'), await service.makeCompany('Other')]
  const release = await holdHeads(t, [busy])
  const changes = Array.from({ length: CHANGES }, () => change(busy))
  await lockIsAwaited(service, 'heads')
  t.equal(inUse(), 1)
  t.equal((await change(other)).status, 201, 'another company changes meanwhile')
  t.equal((await service.admin('/bulk-user-logs', other.admin.token)).status, 200, 'and reads')
  t.equal(service.pool.waitingCount, 0)
  await release()
  for (const { status } of await Promise.all(changes)) t.equal(status, 201)
})

await t.test('companies whose heads are held leave three quarters of the connections to others', async (t) => {
  const held = await Promise.all(Array.from({ length: 2 * SHARE }, (_, at) => service.makeCompany(`Held ${at}`)))
  const other = await service.makeCompany('Free')
  const release = await holdHeads(t, held)
  const changes = held.flatMap((company) => [change(company), change(company)])
  await lockIsAwaited(service, 'heads', SHARE)
  t.ok(inUse() <= SHARE, `${inUse()} connections are in use`)
  t.equal((await service.admin('/bulk-user-logs', other.admin.token)).status, 200)
  await release()
  for (const { status } of await Promise.all(changes)) t.equal(status, 201)
})
