import t from 'tap'
import { countStatements } from '../../support/postgres/watch-clients.ts'
import { startService } from '../../support/service.ts'

/* What a single call costs the database, once its connections have prepared their statements. */

const count = countStatements(t, ['employee-ledger', 'employee-ledger access', 'employee-ledger appends'])
const service = await startService(t)

const create = (name: string) =>
  service.call('POST', '/v1/employees', {
    body: { first_name: 'Ada', last_name: 'Lovelace', email: `${name}@example.com` },
  })

const { body } = await create('first')
const read = async () => t.equal((await service.call('GET', `/v1/employees/${body.employees[0].id}`)).status, 200)
await read()

await t.test('a create is one transaction of two round trips', async (t) => {
  const sent = await count(async () => t.equal((await create('second')).status, 201))
  t.strictSame(sent, { statements: 11, roundTrips: 2 })
})

await t.test('a read counts the use of its key in two round trips, and reads in a third', async (t) => {
  t.strictSame(await count(read), { statements: 7, roundTrips: 3 })
})

await t.test('a page is read in one round trip for each of its statements', async (t) => {
  const page = async () => t.equal((await service.manage('GET', '/bulk-user-logs')).status, 200)
  await page()
  t.strictSame(await count(page), { statements: 2, roundTrips: 2 })
})
