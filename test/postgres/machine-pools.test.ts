import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { UnavailableError } from '../../src/admission/batcher.ts'
import {
  lookUpMachine,
  openMachinePools,
  rememberMachines,
  type CompanyMachines,
} from '../../src/bootstrap/machine-pools.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { inCompany } from '../../src/postgres/company-scope.ts'
import { addressOf } from '../../src/postgres/machine-address.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { freePort } from '../support/processes/free-port.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/* The connections of a service on a cluster. Databases of one server stand for the machines. */

const [coordinator, machine] = [await createTestDatabase(t), await createTestDatabase(t)]
const [one, other] = [newId('com'), newId('com')]

function openPools(machines: CompanyMachines) {
  const openAt = (url: string) => openPool({ url, name: 'test', max: 2 })
  const pools = openMachinePools(coordinator.serviceUrl, openAt, machines)
  t.teardown(() => pools.end())
  const read = async () => (await pools.query<{ at: string }>('select current_database() as at')).rows[0]!.at
  return { pools, read }
}

const goneAddress = async () => Object.assign(new URL(machine.serviceUrl), { port: String(await freePort()) }).href

await t.test('what is done for a company is done on its machine, and anything else by the coordinator', async (t) => {
  const { pools, read } = openPools(rememberMachines(async (id) => (id === one ? machine : coordinator).serviceUrl))
  t.equal(await read(), coordinator.name)
  t.equal(await inCompany(one, read), machine.name)
  t.equal(await inCompany(other, read), coordinator.name)
  t.equal(pools.totalCount, 2, 'the coordinator has one pool, whoever needs it')
})

await t.test('a company whose machine was removed is served on its new one at once', async (t) => {
  const answers = [await goneAddress(), machine.serviceUrl]
  const { read } = openPools(rememberMachines(async () => answers.shift()!))
  t.equal(await inCompany(one, read), machine.name)
  t.strictSame(answers, [], 'each look-up was needed')
})

await t.test('a company whose machine cannot be reached, and which has no other, is looked up once more', async (t) => {
  const gone = await goneAddress()
  for (const then of [async () => gone, () => Promise.reject(new Error('no coordinator'))]) {
    const answers: (() => Promise<string>)[] = [async () => gone, then]
    const { read } = openPools(rememberMachines(() => answers.shift()!()))
    await t.rejects(inCompany(one, read), { code: 'ECONNREFUSED' })
    t.strictSame(answers, [])
  }
})

await t.test(
  'while the cluster names no machine of a company, as in a split of its shard, it is unavailable',
  CITUS_URL === undefined ? {} : { skip: 'on Citus, these tables are there already' },
  async (t) => {
    const { superUrl } = await createTestDatabase(t)
    await runSql(
      superUrl,
      'create table pg_dist_placement (shardid bigint, groupid integer)',
      'create table pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text)',
      `create function get_shard_id_for_distribution_column(regclass, uuid) returns bigint language sql return 7`,
      `insert into pg_dist_node values (1, 'worker', 5433, 'primary')`,
    )
    const pool = openPool({ url: superUrl, name: 'test', max: 1 })
    t.teardown(() => pool.end())
    const lookUp = () => lookUpMachine(pool, 'postgres://role@coordinator/ledger', one)
    await t.rejects(lookUp(), UnavailableError)
    await pool.query('insert into pg_dist_placement values (7, 1)')
    t.equal(await lookUp(), 'postgres://role@worker:5433/ledger')
  },
)

await t.test('a company whose machine is not found is looked up again', async (t) => {
  const answers = [Promise.reject(new Error('no coordinator')), Promise.resolve(machine.serviceUrl)]
  const { read } = openPools(rememberMachines(() => answers.shift()!))
  await t.rejects(inCompany(one, read), /no coordinator/)
  t.equal(await inCompany(one, read), machine.name)
})

await t.test(
  'a known machine stays in use while the coordinator does not answer, and is looked up again then',
  async (t) => {
    const answers: (string | null)[] = [machine.serviceUrl, null]
    const machines = rememberMachines(async () => answers.shift() ?? Promise.reject(new Error('no coordinator')), 1)
    const { read } = openPools(machines)
    const outdate = async () => {
      while (machines.has(one)) await setTimeout(1)
    }
    t.equal(await inCompany(one, read), machine.name)
    await outdate()
    t.equal(await inCompany(one, read), machine.name, 'while it is looked up')
    t.equal(await inCompany(one, read), machine.name, 'after the look-up failed')
    t.strictSame(answers, [])
    answers.push(coordinator.serviceUrl)
    await outdate()
    await inCompany(one, read)
    t.equal(await inCompany(one, read), coordinator.name, 'after a look-up that did not')
  },
)

await t.test('a machine is found at its own address, however the coordinator is named', async (t) => {
  const named = 'postgres://role:secret@coordinator/ledger?host=10.0.0.1&port=6432&sslmode=verify-full'
  const { url } = addressOf({ group: 1, host: 'worker', port: 5433 }, named)
  t.equal(url, 'postgres://role:secret@worker:5433/ledger?sslmode=verify-full')
  t.equal(addressOf({ group: 0, host: 'worker', port: 5433 }, named).url, named)
})

await t.test('a machine whose connections are all taken leaves those of the others free', async (t) => {
  const { pools, read } = openPools(rememberMachines(async () => machine.serviceUrl))
  const taken = await Promise.all([1, 2].map(() => inCompany(one, () => pools.connect())))
  const waiting = inCompany(one, read)
  t.equal(await read(), coordinator.name)
  for (const client of taken) client.release()
  t.equal(await waiting, machine.name)
})
