import t from 'tap'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { countBlocks } from '../../support/postgres/count-blocks.ts'
import { runSql } from '../../support/postgres/run-sql.ts'
import { watchStatements } from '../../support/postgres/watch-clients.ts'
import { employee, startService } from '../../support/service.ts'
import { connectProvider } from '../../support/scim-client.ts'

/* The number of users, which every page of a list tells, and what a page costs. */

const onePlan = CITUS_URL === undefined ? {} : { skip: 'on Citus, EXPLAIN does not say what the shards read' }
const statements = watchStatements(t)
const service = await startService(t)
const idp = await connectProvider(service, 'Provider')

async function readTotal(): Promise<number> {
  await service.project()
  return (await idp.ask('GET', '/Users?count=0')).body.totalResults
}

await t.test('the total follows each creation, deletion, return, and erasure', async (t) => {
  const before = await readTotal()
  const { id } = (await idp.post({ userName: 'counted' })).body
  t.equal(await readTotal(), before + 1)
  await idp.patch(id, { op: 'replace', path: 'active', value: false })
  t.equal(await readTotal(), before + 1, 'who is inactive is counted')
  await idp.remove(id)
  t.equal(await readTotal(), before)
  await idp.post({ userName: 'counted' })
  t.equal(await readTotal(), before + 1)
  await service.call('POST', '/v1/employees', { body: [employee({}), employee({})] })
  t.equal(await readTotal(), before + 3)
  const erased = await service.manage('POST', '/erasures', { employee_id: id })
  t.ok(erased.status < 300, JSON.stringify(erased.body))
  t.equal(await readTotal(), before + 2)
})

await t.test('a page with its total reads no more blocks where a thousand people more are', onePlan, async (t) => {
  const read = async () => {
    await idp.post({ userName: `new-${await readTotal()}` })
    await service.project()
    await runSql(service.urls.superUrl, 'vacuum analyze')
    statements.length = 0
    await idp.ask('GET', '/Users?count=10')
    return countBlocks(service.pool, [...statements])
  }
  const few = await read()
  for (let batch = 0; batch < 2; batch += 1)
    await service.call('POST', '/v1/employees', { body: Array.from({ length: 500 }, () => employee({})) })
  await readTotal()
  const many = await read()
  t.ok(many <= few + 10, `${few} blocks, then ${many}`)
})
