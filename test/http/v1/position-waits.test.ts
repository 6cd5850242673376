import t from 'tap'
import { EMPLOYEES } from '../../../projections/employees/queries.ts'
import { openPositionWaits } from '../../../src/http/v1/position-waits.ts'
import { meddledDatabase } from '../../support/postgres/meddled-database.ts'
import { employee, startService } from '../../support/service.ts'

await t.test('each waiting call asks for the head once, and one query polls for all of them', async (t) => {
  const service = await startService(t)
  const { headers } = await service.call('POST', '/v1/employees', { body: employee() })
  const position = Number(headers['x-ledger-position'])
  let [asked, looks] = [0, 0]
  const manyLooks = Promise.withResolvers<void>()
  const counted = meddledDatabase(service.db, async ({ rows }) => {
    if (rows[0] && 'head' in rows[0]) asked += 1
    else looks += 1
    if (looks === 5) manyLooks.resolve()
  })
  const errors: unknown[] = []
  const wait = openPositionWaits(counted, EMPLOYEES, (error) => errors.push(error))
  const waiting = Promise.all(Array.from({ length: 50 }, () => wait(service.company.id, position)))
  await manyLooks.promise
  t.equal(asked, 50)
  await service.project()
  await waiting
  t.equal(asked, 50, 'no call asks again')
  t.strictSame(errors, [])
  await wait(service.company.id, position)
  await t.rejects(wait(service.company.id, position + 1), /beyond the last position/)
})
