import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { rowsWith } from '../../support/postgres/rows-with.ts'
import { employee, startService } from '../../support/service.ts'
import { makeWebhook, storeDelivery } from '../../support/webhooks.ts'

const service = await startService(t)
const { company } = service

/** Creates an employee. Returns the id, and the position of the first event. */
async function create(): Promise<{ id: string; position: number }> {
  const answer = await service.call('POST', '/v1/employees', { body: employee() })
  return { id: answer.body.employees[0].id, position: await lastPosition('EmployeeCreated') }
}

async function lastPosition(type: string): Promise<number> {
  const { rows } = await service.pool.query<{ position: number }>(
    'select max(position) as position from events where company_id = $1 and type = $2',
    [toUuid(company.id), type],
  )
  return rows[0]!.position
}

async function answers(): Promise<Record<string, string | null>> {
  const { rows } = await service.pool.query<{ position: number; answer: string | null }>(
    'select position, answer from webhook_deliveries where company_id = $1 order by position',
    [toUuid(company.id)],
  )
  await service.pool.query('delete from webhook_deliveries')
  return Object.fromEntries(rows.map(({ position, answer }) => [String(position), answer]))
}

const erase = (id: string) => service.manage('POST', '/erasures', { employee_id: id })

await t.test('an erasure deletes what receivers answered about the person, and nothing else', async (t) => {
  const webhooks = [await makeWebhook(service), await makeWebhook(service)]
  const [ana, bo] = [await create(), await create()]
  await service.call('PATCH', `/v1/employees/${ana.id}`, { body: { job_title: 'Dev' } })
  const updated = await lastPosition('EmployeeUpdated')
  for (const { id } of webhooks)
    for (const { position } of [ana, bo, { position: updated }])
      await storeDelivery(service, id, position, { answer: 'stored Ana Pérez' })
  await storeDelivery(service, webhooks[0]!.id, null, { answer: 'stored a test' })
  const { body } = await erase(ana.id)
  t.match(body, { erased: { positions: 2 } })
  t.strictSame(await answers(), {
    [ana.position]: null,
    [updated]: null,
    [bo.position]: 'stored Ana Pérez',
    null: 'stored a test',
  })
})

await t.test('an answer does not outlive an erasure that runs while a delivery is recorded', async (t) => {
  const { id } = await makeWebhook(service)
  const ana = await create()
  const recording = await service.pool.connect()
  t.teardown(() => recording.release())
  await recording.query('begin')
  await recording.query('select from webhook_progress where company_id = $1 and webhook_id = $2 for update', [
    ...[toUuid(company.id), toUuid(id)],
  ])
  const erased = erase(ana.id)
  await lockIsAwaited(service, 'webhook_progress')
  await storeDelivery({ ...service, pool: recording as never }, id, ana.position, { answer: 'stored Ana Pérez' })
  await recording.query('commit')
  t.equal((await erased).status, 200)
  t.strictSame(await answers(), { [ana.position]: null })
})

await t.test('nothing of an erased person is left in any table of webhooks', async (t) => {
  const { id } = await makeWebhook(service)
  const name = 'Zebulon'
  const answer = await service.call('POST', '/v1/employees', { body: employee({ first_name: name }) })
  await storeDelivery(service, id, await lastPosition('EmployeeCreated'), { answer: `hello ${name}` })
  t.equal((await erase(answer.body.employees[0].id)).status, 200)
  await service.project()
  t.strictSame(await rowsWith(service.urls.superUrl, [name]), [])
})
