import t from 'tap'
import { EMPLOYEES } from '../../../projections/employees/queries.ts'
import { createPositionWaits } from '../../../src/http/live/position-waits.ts'
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
    if (asked >= 50 && looks >= 5) manyLooks.resolve()
  })
  const errors: unknown[] = []
  const wait = createPositionWaits(counted, EMPLOYEES, (error) => errors.push(error))
  const waiting = Promise.all(Array.from({ length: 50 }, () => wait(service.company.id, position)))
  await manyLooks.promise
  await service.project()
  await waiting
  t.equal(asked, 50)
  t.strictSame(errors, [])
  await wait(service.company.id, position)
  await t.rejects(wait(service.company.id, position + 1), /beyond the last position/)
})

await t.test('a limited number of calls of a company waits; others get 503 at once', async (t) => {
  const service = await startService(t)
  const other = await service.makeCompany('Other')
  const create = async (key = service.company.key) => {
    const { headers } = await service.call('POST', '/v1/employees', { key, body: employee() })
    return Number(headers['x-ledger-position'])
  }
  const [position, ofOther] = [await create(), await create(other.key)]
  const late = 300_000
  const wait = createPositionWaits(service.db, EMPLOYEES, (error) => t.fail(String(error)), {
    waitMs: late,
    maxWaiting: 2,
  })
  const waits = Array.from({ length: 4 }, () => wait(service.company.id, position))
  const refused = Promise.withResolvers<void>()
  let refusals = 0
  for (const one of waits)
    one.catch(() => {
      refusals += 1
      if (refusals === 2) refused.resolve()
    })
  await refused.promise
  const waitOfOther = wait(other.id, ofOther)
  await Promise.all([service.project(), service.project(other.id)])
  await waitOfOther
  const outcomes = (await Promise.allSettled(waits)).map(({ status }) => status)
  t.strictSame(outcomes.toSorted(), ['fulfilled', 'fulfilled', 'rejected', 'rejected'])
})
