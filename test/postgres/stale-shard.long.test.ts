import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { createEmployeeLookup } from '../../src/ledger/read/read-employees.ts'
import type { LedgerTables } from '../../src/ledger/tables.ts'
import { clusterOf, isMoved, poolOfShard } from '../../src/postgres/cluster/company-connections.ts'
import { openReads } from '../../src/postgres/cluster/company-reads.ts'
import { inCompany } from '../../src/postgres/cluster/company-scope.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { testServerUrls } from '../support/postgres/test-server.ts'
import { employee, startService } from '../support/service.ts'

/* A process may look for a company in a shard that was split a moment ago. */

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

await t.test('a connection still works after its shard has moved away', onCitus, async (t) => {
  const service = await startService(t)
  const { id } = service.company
  const cluster = clusterOf(service.pool)!
  const before = cluster.find(id)
  const db = openDatabase<LedgerTables>(poolOfShard(service.pool, before))
  const superUrl = Object.assign(new URL(CITUS_URL!), { pathname: `/${service.urls.name}` }).href
  await runSql(
    superUrl,
    `select isolate_tenant_to_new_shard('heads', '${toUuid(id)}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
  )
  const read = db.selectFrom('heads').select('position').where('company_id', '=', toUuid(id))
  const attempt = () =>
    db
      .transaction()
      .execute((transaction) => transaction.executeQuery(read))
      .catch((error: unknown) => (isMoved(error) ? 'moved' : error))
  t.equal(await attempt(), 'moved')
  t.equal(await attempt(), 'moved', 'the transaction that did not begin has ended')

  await cluster.refresh()
  const after = openDatabase<LedgerTables>(poolOfShard(service.pool, cluster.find(id)))
  t.equal((await after.transaction().execute((transaction) => transaction.executeQuery(read))).rows.length, 1)
})

await t.test(
  'a read finds what was written after its company has moved, not what the move left behind',
  onCitus,
  async (t) => {
    const service = await startService(t)
    const { id } = service.company
    const cluster = clusterOf(service.pool)!
    const superUrl = Object.assign(new URL(CITUS_URL!), { pathname: `/${service.urls.name}` }).href
    const { body } = await service.call('POST', '/v1/employees', { body: employee() })
    const employeeId: string = body.employees[0].id
    const { shard, machine } = cluster.find(id)
    const [from, to] = testServerUrls()
      .machines.slice(1)
      .map((url) => new URL(url))
      .toSorted((url) => (url.host === machine.name ? -1 : 1)) as [URL, URL]
    await runSql(
      superUrl,
      `select citus_move_shard_placement(${shard.id}, '${from.hostname}', ${from.port}, '${to.hostname}', ${to.port}, 'block_writes')`,
      `update companies set name = 'Moved' where company_id = '${toUuid(id)}'`,
    )
    t.equal(cluster.find(id).machine, machine, 'this process has not noticed')
    const db = openDatabase<LedgerTables>(openReads(service.pool))
    const read = db.selectFrom('companies').select('name').where('company_id', '=', toUuid(id))
    t.strictSame(await inCompany(id, () => read.execute()), [{ name: 'Moved' }])
    t.not(cluster.find(id).machine, machine)
    t.ok(await createEmployeeLookup(service.pool)({ companyId: id, id: employeeId }))
  },
)
