import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import type { LedgerTables } from '../../src/ledger/tables.ts'
import { clusterOf, isMoved, poolOfShard } from '../../src/postgres/cluster/company-connections.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { startService } from '../support/service.ts'

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
