import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import { createKeyLookup } from '../../../src/accounts/api-keys/key-access.ts'
import { createEmployeeCache } from '../../../src/ledger/append/employee-cache.ts'
import { createLanes } from '../../../src/ledger/append/lanes.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { createCall } from '../../support/ledger/calls.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { employee, startService } from '../../support/service.ts'

/* Statements that a session was expected to have, or has already, and tables that move meanwhile. */

const service = await startService(t)
const setUp = (...statements: string[]) => asSuperuser(service.urls.superUrl, ...statements)
/** A statement for each machine. Citus tells the others of functions and triggers, and not of sequences. */
const everywhere = (statement: string) =>
  CITUS_URL === undefined ? statement : `select run_command_on_all_nodes('${statement}')`

/** A pool of one connection, and appends over it that resolve with their status. */
function openAppends(t: Test) {
  const appends = service.open({ name: `appends of ${t.name}`, max: 1 })
  t.teardown(() => appends.end())
  const lanes = createLanes({
    pool: appends,
    cache: createEmployeeCache(0),
    lanes: 1,
    maxRecordsPerCommit: 500,
    maxWaiting: 100,
    maxRecordsWaiting: 1000,
    maxWaitMs: 10_000,
    onCommitted: () => undefined,
    onUnstorable: (error) => t.fail(String(error)),
  })
  const create = async () => (await lanes.append(createCall(service.company, employee()))).answer!.status
  return { appends, create }
}

const backendOf = async (pool: Pool) => (await pool.query('select pg_backend_pid() as pid')).rows[0]!.pid as number

await t.test('a session that has lost its statements is replaced; appends and look-ups succeed', async (t) => {
  const { appends, create } = openAppends(t)
  const findKey = createKeyLookup(appends)
  const wanted = { companyId: service.company.id, apiId: service.company.key.api_id }
  for (const use of [async () => t.equal(await create(), 201), async () => t.ok(await findKey(wanted))]) {
    await use()
    const before = await backendOf(appends)
    await appends.query('deallocate all')
    await use()
    t.not(await backendOf(appends), before)
  }
})

await t.test('so is one that already has a statement of the name', async (t) => {
  const { appends: pool, create } = openAppends(t)
  await pool.query('prepare "pipeline begin" as select 1')
  t.equal(await create(), 201)
  t.strictSame((await pool.query(`select 1 from pg_prepared_statements where statement = 'select 1'`)).rows, [])
})

for (const code of ['XX000', '42P01', '40001']) {
  await t.test(`an append that fails with ${code} before its COMMIT is stored by a second try, once`, async (t) => {
    await setUp(
      everywhere('create sequence tries'),
      `create function fail_once() returns trigger language plpgsql security definer as $$
        begin if nextval('public.tries') = 1 then raise 'moved' using errcode = '${code}'; end if; return new; end $$`,
      `create trigger fail_once before insert on employee_directory for each row execute function fail_once()`,
    )
    const { create } = openAppends(t)
    const count = async () => (await service.pool.query('select 1 from employee_directory')).rows.length
    const before = await count()
    t.equal(await create(), 201)
    t.equal(await count(), before + 1)
    await setUp(
      'drop trigger fail_once on employee_directory',
      'drop function fail_once()',
      everywhere('drop sequence tries'),
    )
    t.strictSame(await ledgerFaults(service.db, service.company.id), [])
  })
}
