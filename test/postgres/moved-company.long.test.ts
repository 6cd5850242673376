import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { appendCompanyEvents, OPERATOR } from '../../src/ledger/append/append-company-events.ts'
import { inCompany } from '../../src/postgres/company-scope.ts'
import { inTransaction } from '../../src/postgres/pipeline.ts'
import { eventually } from '../support/eventually.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { machineOfCompany } from '../support/postgres/machine-of-company.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { testServerUrls } from '../support/postgres/test-server.ts'
import { employee, startService } from '../support/service.ts'

/* On a cluster, whoever has locked something of a company keeps it where it is: others find the lock there. */

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

await t.test('a company is moved when its transactions have ended', onCitus, async (t) => {
  const service = await startService(t)
  const { pool, company } = service
  const { id } = company

  /** Moves the company to the other worker. */
  async function move(): Promise<void> {
    const from = await machineOfCompany(pool, id)
    const to = testServerUrls()
      .machines.slice(1)
      .map((machine) => new URL(machine).host)
      .find((machine) => machine !== from)!
    const places = [from, to].map((machine) => `'${machine.replace(':', "', ")}`).join(', ')
    const shard = `get_shard_id_for_distribution_column('heads', '${toUuid(id)}'::uuid)`
    await runSql(service.urls.superUrl, `select citus_move_shard_placement(${shard}, ${places}, 'block_writes')`)
    await runSql(service.urls.superUrl, 'call citus_cleanup_orphaned_resources()')
  }

  const ways: Record<string, (task: () => Promise<void>) => Promise<unknown>> = {
    'an append': (task) =>
      inCompany(id, () =>
        appendCompanyEvents(pool, { companyId: id, actor: OPERATOR }, async () => {
          await task()
          return { events: [], result: null }
        }),
      ),
    'any other transaction': (task) => inCompany(id, () => inTransaction(pool, task)),
  }
  for (const [name, run] of Object.entries(ways))
    await t.test(`${name} keeps it`, async (t) => {
      let isMoved = false
      const from = await machineOfCompany(pool, id)
      let moving: Promise<unknown> = Promise.resolve()
      await run(async () => {
        moving = move().finally(() => (isMoved = true))
        await eventually('the move waits', async () => isMoved || (await isWaiting()))
        t.equal(isMoved, false)
      })
      await moving
      t.not(await machineOfCompany(pool, id), from)
      t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201)
    })

  /** Whether anything waits for a lock of Citus on any machine. */
  async function isWaiting(): Promise<boolean> {
    const { rows } = await pool.query<{ result: string }>(
      `select result from run_command_on_workers($$
         select count(*) from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database()) $$)`,
    )
    return rows.some(({ result }) => result !== '0')
  }
})
