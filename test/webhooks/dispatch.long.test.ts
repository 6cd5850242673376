import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { changeWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import { listDeliveries } from '../../src/accounts/webhooks/read-webhooks.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { Dispatcher } from '../../src/delivery/webhooks/deliveries.ts'
import { runLeasedRound } from '../../src/delivery/webhooks/deliver-round.ts'
import { leaseWebhook, listDueWebhooks } from '../../src/delivery/webhooks/progress.ts'
import { catchUp } from '../../src/workers/project.ts'
import { startReceiver } from '../support/http/receiver.ts'
import type { TestCompany } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)
const { acting, changing, services } = webhooks
const running = new AbortController().signal

async function create(company: TestCompany = service.company): Promise<void> {
  await service.call('POST', '/v1/employees', { key: company.key, body: employee() })
  await service.project(company.id)
}

await t.test('one process at a time delivers to a webhook, until its lease has expired', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url)
  await create()
  const mine = randomUUID()
  t.ok(await leaseWebhook(service.pool, webhook, mine))
  t.ok(await leaseWebhook(service.pool, webhook, mine), 'its holder renews it')
  t.equal(await leaseWebhook(service.pool, webhook, randomUUID()), null)
  t.notOk((await listDueWebhooks(service.pool)).some(({ webhookId }) => webhookId === webhook.webhookId))

  await service.pool.query('update webhook_progress set leased_until = now()')
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  const late = await runLeasedRound(services, webhook, mine, { stopping: running, cutOff: running })
  t.strictSame(late, { end: 'lost' })
  t.equal(receiver.received.length, 2)
})

await t.test('events are told once every projection has folded them, or is parked for the company', async (t) => {
  const receiver = await startReceiver(t)
  const company = await service.makeCompany('Unfolded')
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] }, company)
  await webhooks.deliver(webhook)
  await service.call('POST', '/v1/employees', { key: company.key, body: employee() })
  const isDue = async () => (await listDueWebhooks(service.pool, [company.id])).length === 1
  const lease = () => leaseWebhook(service.pool, webhook, randomUUID())
  t.notOk(await isDue())
  t.equal(await lease(), null)
  await catchUp(service.db, bulkUserLogs, company.id)
  t.notOk(await isDue(), 'the employees are not folded')
  await service.pool.query(`update checkpoints set parked_at = $2 where company_id = $1 and projection = 'employees'`, [
    toUuid(company.id),
    new Date(),
  ])
  t.ok(await isDue())
  t.ok(await lease())
})

await t.test('a round that was overtaken by a replay records nothing, so nothing is skipped', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  const { position } = (await webhooks.find(webhook)).progress
  await create()
  receiver.answer = async (_message, response) => {
    receiver.answer = (_again, other) => other.end()
    await changeWebhook(changing, acting, webhook.webhookId, { change: 'resume', position })
    response.end()
  }
  t.strictSame(await webhooks.deliver(webhook), ['lost'])
  t.equal((await webhooks.find(webhook)).progress.position, position)
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  t.equal(receiver.received.length, 2)
})

await t.test('a new address begins without the failures of the old one', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  await create()
  receiver.answer = async (_message, response) => {
    const settings = { url: `${receiver.url}/new` }
    await changeWebhook(changing, acting, webhook.webhookId, { change: 'edit', settings })
    response.writeHead(410).end()
  }
  t.strictSame(await webhooks.deliver(webhook), ['lost'])
  t.match(await webhooks.find(webhook), { status: 'enabled', progress: { attempts: 0, dueAt: null, error: null } })
  receiver.answer = (_message, response) => response.end()
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
})

await t.test('a webhook that is removed while a message is under way leaves nothing behind', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, { concurrency: 1 })
  await create()
  receiver.answer = async (_message, response) => {
    receiver.answer = (_next, other) => other.end()
    await changeWebhook(changing, acting, webhook.webhookId, { change: 'remove' })
    response.end()
  }
  t.strictSame(await webhooks.deliver(webhook), ['lost'])
  t.strictSame(await listDeliveries(service.db, acting.companyId, webhook.webhookId, { limit: 9 }), [])
})

await t.test('a secret that cannot be read postpones a webhook, and never disables it', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url)
  await create()
  const locked = { ...services, secrets: createSecretBox([Buffer.alloc(32, 9)]) }
  const round = await runLeasedRound(locked, webhook, randomUUID(), { stopping: running, cutOff: running })
  t.strictSame(round, { end: 'lost' })
  t.match(await webhooks.find(webhook), {
    status: 'enabled',
    progress: { attempts: 0, failingSince: null, error: 'The service cannot read the secret of this webhook' },
  })
  t.strictSame(receiver.received, [])
  await webhooks.passTime(webhook)
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
})

/** Starts delivering to whatever is due, as a worker would. */
function dispatchDue(t: Test): { dispatcher: Dispatcher; dispatch(): Promise<void> } {
  const dispatcher = new Dispatcher(services)
  t.teardown(() => dispatcher.stop(0))
  return { dispatcher, dispatch: async () => dispatcher.dispatch(await listDueWebhooks(service.pool)) }
}

await t.test('a process that stops before a retry is answered keeps the failure', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  await create()
  receiver.answer = (_message, response) => response.writeHead(500).end()
  await webhooks.deliver(webhook)
  const { progress } = await webhooks.find(webhook)
  await webhooks.passTime(webhook)
  const cut = new AbortController()
  receiver.answer = () => cut.abort()
  const round = await runLeasedRound(services, webhook, randomUUID(), { stopping: running, cutOff: cut.signal })
  t.match(round, { end: 'stopped' })
  t.match((await webhooks.find(webhook)).progress, { ...progress, dueAt: null })
})

await t.test('a receiver is prompt once it has answered promptly, not because there was nothing to send', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  const paceOf = async () =>
    (await listDueWebhooks(service.pool)).find((due) => due.webhookId === webhook.webhookId)?.pace
  await service.call('POST', '/v1/employees', { body: [] })
  await service.project()
  await webhooks.deliver(webhook)
  await create()
  t.equal(await paceOf(), 'slow')
  receiver.answer = (_message, response) => response.writeHead(500).end()
  await webhooks.deliver(webhook)
  await webhooks.passTime(webhook)
  t.equal(await paceOf(), 'failing')
  receiver.answer = (_message, response) => response.end()
  await webhooks.deliver(webhook)
  await create()
  t.equal(await paceOf(), 'prompt')
})

await t.test('events that follow during a round are delivered without another announcement', async (t) => {
  const receiver = await startReceiver(t)
  await webhooks.create(receiver.url, { types: ['employee.created'] })
  const { dispatch } = dispatchDue(t)
  await create()
  receiver.answer = async (_message, response) => {
    receiver.answer = (_again, other) => other.end()
    await create()
    response.end()
  }
  await dispatch()
  await receiver.waitFor(2)
  t.equal(receiver.received.length, 2)
})

await t.test('receivers that never answer delay only each other', async (t) => {
  const silent = await startReceiver(t)
  let givenUp = 0
  silent.answer = (_message, response) => void response.once('close', () => (givenUp += 1))
  const prompt = await startReceiver(t)
  const good = await webhooks.create(prompt.url, { types: ['employee.created'] })
  await create()
  t.strictSame(await webhooks.deliver(good), ['reached the head'])

  const companies = await Promise.all(['A', 'B', 'C', 'D', 'E'].map((name) => service.makeCompany(name)))
  for (const company of companies) {
    for (let count = 0; count < 18; count += 1)
      await webhooks.create(silent.url, { types: ['employee.created'], concurrency: 1 }, company)
    await create(company)
  }
  const { dispatcher, dispatch } = dispatchDue(t)
  await dispatch()
  // Every place for new receivers is taken.
  await silent.waitFor(32)
  await create()
  await dispatch()
  await prompt.waitFor(2)
  // On a slow machine, some are given up by now, and others have taken their places.
  t.ok(silent.received.length - givenUp <= 32)
  await dispatcher.stop(0)
})

await t.test('a process that stops cuts off what is under way, and the next one sends it again', async (t) => {
  const receiver = await startReceiver(t)
  receiver.answer = () => undefined
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  await create()
  const { dispatcher, dispatch } = dispatchDue(t)
  await dispatch()
  await receiver.waitFor(1)
  await dispatcher.stop(0)
  t.match((await webhooks.find(webhook)).progress, { attempts: 0, error: null })
  receiver.answer = (_message, response) => response.end()
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  t.equal(receiver.received.length, 2)
})
