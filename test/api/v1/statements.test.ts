import t from 'tap'
import { countStatements } from '../../support/postgres/watch-clients.ts'
import { startService } from '../../support/service.ts'

/* What calls and their folds cost the database, once its connections have prepared their statements. */

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
  t.match(sent, { statements: 10, roundTrips: 2, rows: 8 })
})

await t.test('a read counts the use of its key in two round trips, and reads in a third', async (t) => {
  t.match(await count(read), { statements: 6, roundTrips: 3 })
})

await t.test('a page is read in one round trip for each of its statements', async (t) => {
  const page = async () => t.equal((await service.manage('GET', '/bulk-user-logs')).status, 200)
  await page()
  t.match(await count(page), { statements: 2, roundTrips: 2 })
})

/* Calls of many records send as many statements as others. */

const RECORDS = 100
const people = Array.from({ length: RECORDS }, (_, at) => ({
  external_id: `hr-${at}`,
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: `ada.${at}@example.com`,
  job_title: 'Engineer',
  custom_attributes: { grade: 'C2', cost_center: 4711 },
}))

/** Makes a call of many records twice, the second one counted, and its fold. */
async function countBulk(method: 'POST' | 'PUT' | 'PATCH', bodies: object[][]) {
  const send = async (employees: object[]) => {
    const { status } = await service.call(method, '/v1/employees', { body: { employees } })
    t.ok(status < 300, `${method} is answered with ${status}`)
  }
  await send(bodies[0]!)
  await service.project()
  const call = await count(() => send(bodies[1]!))
  const fold = await count(() => service.project())
  return { call, fold }
}

await t.test('a creation of many people sends an event, a place in the directory, and a row of each', async (t) => {
  const others = people.map((person, at) => ({ ...person, external_id: `other-${at}`, email: `${at}@example.com` }))
  const { call, fold } = await countBulk('POST', [people, others])
  t.match(call, { statements: 9, roundTrips: 2, rows: 2 * RECORDS + 6 })
  t.ok(call.bytes < 600 * RECORDS, `the call sends ${call.bytes} bytes`)
  t.match(fold, { statements: 15, rows: 3 * RECORDS + 11 })
  t.ok(fold.bytes < 400 * RECORDS, `the fold sends ${fold.bytes} bytes`)
})

await t.test('a nightly list sends nothing of the people whom it does not change', async (t) => {
  const night = (title: string) => people.map((person, at) => (at === 0 ? { ...person, job_title: title } : person))
  const { call, fold } = await countBulk('PUT', [night('Lead'), night('Manager')])
  t.match(call, { statements: 8, roundTrips: 2, rows: 7 })
  // The event that closes the call lists the others.
  t.ok(call.bytes < 65 * RECORDS, `the call sends ${call.bytes} bytes`)
  t.match(fold, { statements: 15, rows: 14 })
})

await t.test('a patch of many people sends their events and their rows', async (t) => {
  const patch = (title: string) => people.map(({ external_id }) => ({ external_id, job_title: title }))
  const { call, fold } = await countBulk('PATCH', [patch('Director'), patch('Chief')])
  t.match(call, { statements: 8, roundTrips: 2, rows: RECORDS + 6 })
  t.ok(call.bytes < 330 * RECORDS, `the call sends ${call.bytes} bytes`)
  t.match(fold, { statements: 15, rows: 4 * RECORDS + 10 })
  t.ok(fold.bytes < 450 * RECORDS, `the fold sends ${fold.bytes} bytes`)
})
