import { LRUCache } from 'lru-cache'
import t from 'tap'
import { openMachinePools } from '../../src/bootstrap/machine-pools.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { inCompany } from '../../src/postgres/company-scope.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { freePort } from '../support/processes/free-port.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/* The connections of a service on a cluster. Databases of one server stand for the machines. */

const [coordinator, machine] = [await createTestDatabase(t), await createTestDatabase(t)]
const [one, other] = [newId('com'), newId('com')]

function openPools(lookUp: (companyId: string) => Promise<string>) {
  const machines = new LRUCache<string, string>({ max: 10, fetchMethod: lookUp })
  const openAt = (url: string) => openPool({ url, name: 'test', max: 2 })
  const pools = openMachinePools(coordinator.serviceUrl, openAt, machines)
  t.teardown(() => pools.end())
  const read = async () => (await pools.query<{ at: string }>('select current_database() as at')).rows[0]!.at
  return { pools, read }
}

await t.test('what is done for a company is done on its machine, and anything else by the coordinator', async (t) => {
  const { pools, read } = openPools(async (id) => (id === one ? machine.serviceUrl : coordinator.serviceUrl))
  t.equal(await read(), coordinator.name)
  t.equal(await inCompany(one, read), machine.name)
  t.equal(await inCompany(other, read), coordinator.name)
  t.equal(pools.totalCount, 2, 'the coordinator has one pool, whoever needs it')
})

await t.test('a company is looked up again once its machine cannot be reached', async (t) => {
  const gone = Object.assign(new URL(machine.serviceUrl), { port: String(await freePort()) }).href
  const answers = [gone, machine.serviceUrl]
  const { read } = openPools(async () => answers.shift()!)
  await t.rejects(inCompany(one, read), { code: 'ECONNREFUSED' })
  t.equal(await inCompany(one, read), machine.name)
  t.strictSame(answers, [], 'each look-up was needed')
})

await t.test('a company whose machine is not found is looked up again', async (t) => {
  const answers = [Promise.reject(new Error('no coordinator')), Promise.resolve(machine.serviceUrl)]
  const { read } = openPools(() => answers.shift()!)
  await t.rejects(inCompany(one, read), /no coordinator/)
  t.equal(await inCompany(one, read), machine.name)
})

await t.test('a machine whose connections are all taken leaves those of the others free', async (t) => {
  const { pools, read } = openPools(async () => machine.serviceUrl)
  const taken = await Promise.all([1, 2].map(() => inCompany(one, () => pools.connect())))
  const waiting = inCompany(one, read)
  t.equal(await read(), coordinator.name)
  for (const client of taken) client.release()
  t.equal(await waiting, machine.name)
})
