import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { changeWebhook, rotateWebhookSecret } from '../../src/accounts/webhooks/change-webhook.ts'
import { listDeliveries } from '../../src/accounts/webhooks/read-webhooks.ts'
import { UnavailableError } from '../../src/admission/batcher.ts'
import { eraseEmployee } from '../../src/personal-data/erase-employee.ts'
import type { Poster } from '../../src/delivery/webhooks/message-posting.ts'
import { createSingleDeliveries } from '../../src/delivery/webhooks/single-deliveries.ts'
import { watchRevision } from '../../src/delivery/webhooks/progress.ts'
import { LendingPool } from '../../src/postgres/lending-pool.ts'
import type { Receiver } from '../support/http/receiver.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import type { TestWebhook } from '../support/webhooks.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

/*
 * What was read of a webhook is not sent once it is outdated. The tests wait for what a receiver sees: that a message
 * which it has not answered is cut off.
 */

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)
const { acting, changing, services } = webhooks
const WITH_DATA = { include_data: true, types: ['employee.created' as const], concurrency: 1 }

async function createEmployee(): Promise<string> {
  const { body } = await service.call('POST', '/v1/employees', { body: employee({ last_name: 'Forgotten' }) })
  return body.employees[0].id
}

const erase = (value: string) => eraseEmployee(changing, acting, { by: 'id', value })

/** Lets a receiver answer `accepted` messages, and never the next one. Resolves with that one when it has arrived. */
function holdAfter(receiver: Receiver, accepted: number): Promise<ServerResponse> {
  const held = Promise.withResolvers<ServerResponse>()
  receiver.answer = (_message, response) => {
    if (receiver.received.length <= accepted) response.end()
    else held.resolve(response)
  }
  return held.promise
}

const positionsOf = ({ received }: Receiver) => received.map(({ body }) => body.data.position as number)
const namedIn = ({ received }: Receiver) => received.filter(({ text }) => text.includes('Forgotten')).length

/** A poster whose connections take until the message is cut off, and the number of messages that wait for one. */
function connectSlowly(poster: Poster): { poster: Poster; isWaitedFor: Promise<void> } {
  const begun = Promise.withResolvers<void>()
  async function post(...[url, headers, body, signal]: Parameters<Poster['post']>) {
    begun.resolve()
    if (!signal!.aborted) await once(signal!, 'abort')
    return poster.post(url, headers, body, signal)
  }
  return { poster: { ...poster, post }, isWaitedFor: begun.promise }
}

await t.test('a message that waits behind a slow one is not sent once its person is erased', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, WITH_DATA)
  await createEmployee()
  const gone = await createEmployee()
  const held = holdAfter(receiver, 0)
  const round = webhooks.deliverOnce(webhook)
  const response = await held
  await erase(gone)
  await once(response, 'close')
  t.equal((await round).end, 'more')
  t.strictSame(
    await listDeliveries(service.db, acting.companyId, webhook.webhookId, { limit: 9 }),
    [],
    'it is no attempt',
  )
  receiver.answer = (_message, other) => other.end()
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  t.equal(namedIn(receiver), 2, 'the one who stays, twice')
  t.match(receiver.received.at(-1)!.body.data, { employee_id: gone, erased: true })
})

await t.test('a webhook that is read after a long wait for a connection is delivered to', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, WITH_DATA)
  await createEmployee()
  const { now } = performance
  t.teardown(() => (performance.now = now))
  const connectLate = async () => {
    performance.now = () => now.call(performance) + 10_000
    return service.pool.connect()
  }
  const late = new LendingPool(service.pool.options, connectLate, () => [service.pool])
  t.equal((await webhooks.deliverOnce(webhook, { pool: late })).end, 'reached the head')
  t.equal(receiver.received.length, 1)
})

await t.test('a message whose connection is slow is not sent once its person is erased', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, WITH_DATA)
  const gone = await createEmployee()
  const { poster, isWaitedFor } = connectSlowly(services.poster)
  const round = webhooks.deliverOnce(webhook, { poster })
  await isWaitedFor
  await erase(gone)
  t.equal((await round).end, 'more')
  t.strictSame(receiver.received, [])
  await webhooks.deliver(webhook)
  t.equal(namedIn(receiver), 0)
})

const CHANGES: Record<string, (webhook: TestWebhook) => Promise<unknown>> = {
  paused: ({ webhookId }) => changeWebhook(changing, acting, webhookId, { change: 'pause' }),
  removed: ({ webhookId }) => changeWebhook(changing, acting, webhookId, { change: 'remove' }),
  'told to send less': ({ webhookId }) =>
    changeWebhook(changing, acting, webhookId, { change: 'edit', settings: { include_data: false } }),
  'given a new secret': ({ webhookId }) => rotateWebhookSecret(changing, acting, webhookId, 0),
}
for (const [happened, change] of Object.entries(CHANGES)) {
  await t.test(`a webhook that was ${happened} sends nothing more of what was read before`, async (t) => {
    const receiver = await startReceiver(t)
    const webhook = await webhooks.create(receiver.url, WITH_DATA)
    for (let count = 0; count < 4; count += 1) await createEmployee()
    const held = holdAfter(receiver, 1)
    const outdated = webhooks.deliverOnce(webhook)
    const response = await held
    await change(webhook)
    await once(response, 'close')
    t.equal((await outdated).end, happened === 'removed' ? 'lost' : 'more')
    t.equal(receiver.received.length, 2)
  })
}

await t.test('a pause causes no duplicates of what was answered', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, WITH_DATA)
  for (let count = 0; count < 3; count += 1) await createEmployee()
  const held = holdAfter(receiver, 1)
  const round = webhooks.deliver(webhook)
  const response = await held
  await changeWebhook(changing, acting, webhook.webhookId, { change: 'pause' })
  await once(response, 'close')
  t.strictSame(await round, ['more', 'lost'])
  await changeWebhook(changing, acting, webhook.webhookId, { change: 'resume' })
  receiver.answer = (_message, other) => other.end()
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  const [first, second, ...rest] = positionsOf(receiver)
  t.strictSame(rest[0], second, 'only the one that was cut off comes again')
  t.notOk(rest.includes(first!))
  t.equal(rest.length, 2)
})

await t.test('a replay cuts off what is under way, and records nothing of it', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, WITH_DATA)
  const { position } = (await webhooks.find(webhook)).progress
  for (let count = 0; count < 2; count += 1) await createEmployee()
  const held = holdAfter(receiver, 1)
  const round = webhooks.deliver(webhook)
  const response = await held
  await changeWebhook(changing, acting, webhook.webhookId, { change: 'resume', position })
  await once(response, 'close')
  t.strictSame(await round, ['lost'])
  t.equal((await webhooks.find(webhook)).progress.position, position)
})

await t.test('a redelivery or a test message is cut off, too', async (t) => {
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, WITH_DATA)
  const { companyId, webhookId } = webhook
  const gone = await createEmployee()
  await webhooks.deliver(webhook)
  const [delivery] = await listDeliveries(service.db, companyId, webhookId, { limit: 1 })
  const redelivering = connectSlowly(services.poster)
  const redelivered = createSingleDeliveries({ ...services, poster: redelivering.poster })
  const again = t.rejects(redelivered.redeliver(companyId, webhookId, delivery!.id), UnavailableError)
  await redelivering.isWaitedFor
  await erase(gone)
  await again

  const pinging = connectSlowly(services.poster)
  const ping = createSingleDeliveries({ ...services, poster: pinging.poster }).ping(companyId, webhookId)
  const refused = t.rejects(ping, UnavailableError)
  await pinging.isWaitedFor
  await changeWebhook(changing, acting, webhookId, { change: 'remove' })
  await refused
  t.equal(receiver.received.length, 1)
})

await t.test('while the database does not answer, nothing more is sent', async (t) => {
  const webhook = await webhooks.create('http://127.0.0.1:1/')
  let asked = 0
  const ask = () => new Promise(() => (asked += 1))
  const silent = { query: ask } as unknown as typeof service.pool
  const seen = { ...webhook, revision: 0, readAt: performance.now() }
  await watchRevision(silent, seen, async ({ isCurrent }) => t.ok(isCurrent()))
  t.equal(asked, 0, 'a short task asks nothing')
  await watchRevision(silent, seen, async ({ signal, isCurrent }) => {
    await once(signal, 'abort')
    t.notOk(isCurrent())
    t.type(signal.reason, UnavailableError)
  })
  t.equal(asked, 1, 'one question at a time')
})

await t.test('a process that stood still sends nothing of what it had read before', async (t) => {
  const webhook = await webhooks.create('http://127.0.0.1:1/')
  const seen = { ...webhook, revision: 0, readAt: performance.now() - 60_000 }
  await watchRevision(service.pool, seen, async ({ isCurrent }) => t.notOk(isCurrent()))
})
