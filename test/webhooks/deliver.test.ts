import t from 'tap'
import { Webhook } from 'standardwebhooks'
import { changeWebhook, rotateWebhookSecret } from '../../src/accounts/webhooks/change-webhook.ts'
import { listDeliveries } from '../../src/accounts/webhooks/read-webhooks.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { createSingleDeliveries } from '../../src/delivery/webhooks/single-deliveries.ts'
import type { ReceivedMessage } from '../support/http/receiver.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import { shiftClock } from '../support/shift-clock.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)
const { acting, changing } = webhooks
const receiver = await startReceiver(t)

t.beforeEach(() => {
  receiver.received.length = 0
  receiver.answer = (_message, response) => response.writeHead(204).end()
})

const positionsOf = (messages: ReceivedMessage[]) => messages.map(({ body }) => body.data.position as number)

async function createEmployees(count: number): Promise<string[]> {
  const { body } = await service.call('POST', '/v1/employees', {
    body: Array.from({ length: count }, () => employee()),
  })
  return body.employees.map(({ id }: { id: string }) => id)
}

await t.test('a receiver verifies a message with a library of Standard Webhooks', async (t) => {
  const webhook = await webhooks.create(receiver.url)
  await createEmployees(2)
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  t.strictSame(receiver.received.map(({ body }) => String(body.type)).toSorted(), [
    'api_call.completed',
    'employee.created',
    'employee.created',
  ])
  const verifier = new Webhook(webhook.secret)
  for (const { text, headers, body } of receiver.received) {
    t.strictSame(verifier.verify(text, headers as Record<string, string>), body)
    t.throws(() => verifier.verify(`${text} `, headers as Record<string, string>))
  }
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 3)
})

await t.test('messages of an employee come one after another, in the order of the ledger', async (t) => {
  const webhook = await webhooks.create(receiver.url, {
    concurrency: 16,
    types: ['employee.created', 'employee.updated'],
  })
  const ids = await createEmployees(5)
  for (let round = 0; round < 6; round += 1)
    await service.call('PATCH', '/v1/employees', { body: ids.map((id) => ({ id, job_title: `${round}` })) })
  const underWay = new Map<string, number>()
  let most = 0
  receiver.answer = ({ body }, response) => {
    const id = body.data.employee_id as string
    underWay.set(id, (underWay.get(id) ?? 0) + 1)
    t.equal(underWay.get(id), 1, 'one message of an employee is under way')
    most = Math.max(
      most,
      [...underWay.values()].reduce((sum, count) => sum + count, 0),
    )
    setImmediate(() => {
      underWay.set(id, 0)
      response.writeHead(200).end()
    })
  }
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  t.equal(receiver.received.length, 35)
  t.ok(most > 1, 'messages of several employees are under way at once')
  for (const messages of Map.groupBy(receiver.received, ({ body }) => body.data.employee_id as string).values())
    t.strictSame(
      messages.map(({ body }) => body.data.version),
      [1, 2, 3, 4, 5, 6, 7],
    )
})

await t.test('with a concurrency of 1, everything comes in the order of the ledger', async (t) => {
  const webhook = await webhooks.create(receiver.url, { concurrency: 1 })
  const ids = await createEmployees(4)
  await service.call('PATCH', '/v1/employees', { body: ids.toReversed().map((id) => ({ id, job_title: 'x' })) })
  await webhooks.deliver(webhook)
  const positions = positionsOf(receiver.received)
  t.equal(positions.length, 10)
  t.strictSame(
    positions,
    positions.toSorted((a, b) => a - b),
  )
})

await t.test('a failed message is sent again, and those that were delivered ahead of it are not', async (t) => {
  const webhook = await webhooks.create(receiver.url, { concurrency: 4 })
  const { progress } = await webhooks.find(webhook)
  await createEmployees(8)
  const refused = progress.position + 2
  let isAccepting = false
  receiver.answer = ({ body }, response) => {
    if (body.data.position !== refused || isAccepting) response.writeHead(204).end()
    else response.writeHead(500).end('down for maintenance')
  }
  t.strictSame(await webhooks.deliver(webhook), ['failed'])
  const failing = await webhooks.find(webhook)
  t.match(failing.progress, { position: refused - 1, attempts: 1, error: 'The receiver answered 500' })
  t.ok(failing.progress.failingSince !== null && failing.progress.dueAt! > failing.progress.failingSince)
  t.strictSame(await webhooks.deliver(webhook), ['lost'], 'it is not due yet')

  const ahead = positionsOf(receiver.received).filter((position) => position > refused)
  t.ok(ahead.length > 0)
  receiver.received.length = 0
  isAccepting = true
  await webhooks.passTime(webhook)
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  const positions = positionsOf(receiver.received)
  t.ok(positions.includes(refused))
  t.strictSame(
    positions.filter((position) => ahead.includes(position)),
    [],
  )
  t.match((await webhooks.find(webhook)).progress, { attempts: 0, failingSince: null, dueAt: null, error: null })

  const deliveries = await listDeliveries(service.db, acting.companyId, webhook.webhookId, { limit: 20 })
  t.equal(deliveries.length, 10)
  t.match(
    deliveries.filter(({ isDelivered }) => !isDelivered),
    [{ position: refused, type: 'employee.created', httpStatus: 500, answer: 'down for maintenance' }],
  )
})

await t.test('a later message of an employee waits until the earlier one is accepted', async (t) => {
  const webhook = await webhooks.create(receiver.url, { concurrency: 8, types: ['employee.updated'] })
  const [id] = await createEmployees(1)
  for (const title of ['a', 'b']) await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: title } })
  receiver.answer = (_message, response) => response.writeHead(503).end()
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    t.strictSame(await webhooks.deliver(webhook), ['failed'])
    t.equal((await webhooks.find(webhook)).progress.attempts, attempt)
    await webhooks.passTime(webhook)
  }
  t.strictSame(
    receiver.received.map(({ body }) => body.data.version),
    [2, 2, 2],
  )
  t.equal(
    new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size,
    1,
    'each attempt has the same id',
  )
})

await t.test('a receiver may say when to try again', async (t) => {
  const webhook = await webhooks.create(receiver.url)
  await createEmployees(1)
  receiver.answer = (_message, response) => response.writeHead(429, { 'retry-after': '3600' }).end()
  await webhooks.deliver(webhook)
  const { failingSince, dueAt } = (await webhooks.find(webhook)).progress
  t.equal(Math.round((Date.parse(dueAt!) - Date.parse(failingSince!)) / 60_000), 60)
})

for (const hours of [73, -73]) {
  await t.test(`a process whose clock is ${hours} hours wrong treats a failing webhook like any other`, async (t) => {
    const failing = await webhooks.create(receiver.url)
    await createEmployees(1)
    const before = Date.now()
    receiver.answer = (_message, response) => response.writeHead(503).end()
    const reset = shiftClock(hours * 3_600_000)
    t.teardown(reset)
    await webhooks.deliver(failing)
    reset()
    const { status, progress } = await webhooks.find(failing)
    t.match({ status, attempts: progress.attempts }, { status: 'enabled', attempts: 1 })
    const [message] = receiver.received
    const sent = Number(message!.headers['webhook-timestamp']) * 1_000
    t.ok(sent > before - 60_000 && sent < before + 60_000, 'its receiver gets the right time')
    const [attempt] = await listDeliveries(service.db, acting.companyId, failing.webhookId, { limit: 1 })
    t.ok(Math.abs(Date.parse(attempt!.sentAt) - before) < 60_000, 'and the log of deliveries, too')
    receiver.answer = (_message, response) => response.writeHead(204).end()
    await webhooks.passTime(failing)
    await webhooks.deliver(failing)
    t.match((await webhooks.find(failing)).progress, { attempts: 0, failingSince: null })
  })
}

await t.test('a webhook is disabled when its receiver answers 410, or refuses a message for three days', async (t) => {
  const gone = await webhooks.create(receiver.url)
  const failing = await webhooks.create(receiver.url)
  await createEmployees(1)
  receiver.answer = (_message, response) => response.writeHead(410).end()
  await webhooks.deliver(gone)
  t.match(await webhooks.find(gone), { status: 'disabled', disabledReason: 'gone' })

  receiver.answer = (_message, response) => response.writeHead(500).end()
  await webhooks.deliver(failing)
  await webhooks.passTime(failing, 71)
  await webhooks.deliver(failing)
  t.match(await webhooks.find(failing), { status: 'enabled', progress: { attempts: 2 } })
  await webhooks.passTime(failing, 1)
  await webhooks.deliver(failing)
  t.match(await webhooks.find(failing), { status: 'disabled', disabledReason: 'failing' })

  await webhooks.passTime(failing)
  receiver.received.length = 0
  t.strictSame(await webhooks.deliver(failing), ['lost'])
  t.strictSame(receiver.received, [])
  const { body } = await service.audit('/events?limit=1000')
  const told = body.filter(({ type }: { type: string }) => type === 'WebhookDisabled')
  t.match(told, [{ actor: 'schedule', data: { reason: 'gone' } }, { data: { reason: 'failing' } }])
})

await t.test('a paused webhook gets nothing; once resumed, it gets what it missed, or what is asked for', async (t) => {
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  const change = (wanted: Parameters<typeof changeWebhook>[3]) =>
    changeWebhook(changing, acting, webhook.webhookId, wanted)
  await change({ change: 'pause' })
  await createEmployees(2)
  t.strictSame(await webhooks.deliver(webhook), ['lost'])
  await change({ change: 'resume' })
  t.strictSame(await webhooks.deliver(webhook), ['reached the head'])
  t.equal(receiver.received.length, 2)

  const first = receiver.received.map(({ headers }) => headers['webhook-id'])
  await change({ change: 'resume', position: positionsOf(receiver.received)[0]! - 1 })
  await webhooks.deliver(webhook)
  t.strictSame(
    receiver.received.slice(2).map(({ headers }) => headers['webhook-id']),
    first,
    'a replay has the same ids',
  )
  await t.rejects(change({ change: 'resume', position: 1_000_000 }), {
    message: /^after must be at most \d+, the last position of the ledger$/,
  })
})

await t.test('a message holds values if the webhook asks for them, and only types that it asks for', async (t) => {
  const webhook = await webhooks.create(receiver.url, { types: ['employee.updated'], include_data: true })
  const [id] = await createEmployees(1)
  await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Dev' } })
  await webhooks.deliver(webhook)
  t.match(
    receiver.received.map(({ body }) => body),
    [{ type: 'employee.updated', data: { changed: ['job_title'], changes: { job_title: { from: null, to: 'Dev' } } } }],
  )
  t.equal(receiver.received.length, 1)
})

await t.test("the replaced secret signs until it expires by the database's clock", async (t) => {
  const webhook = await webhooks.create(receiver.url, { types: ['api_call.completed'] })
  await rotateWebhookSecret(changing, acting, webhook.webhookId, 3_600)
  const { now } = Date
  t.teardown(() => (Date.now = now))
  Date.now = () => now() + 7_200_000
  await createEmployees(1)
  await webhooks.deliver(webhook)
  await service.pool.query(
    `update webhooks set previous_expires_at = statement_timestamp() where company_id = $1 and webhook_id = $2`,
    [toUuid(webhook.companyId), toUuid(webhook.webhookId)],
  )
  await createEmployees(1)
  await webhooks.deliver(webhook)
  const signatures = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length)
  t.strictSame(signatures, [2, 1])
})

await t.test('while a rotated secret overlaps, both secrets verify', async (t) => {
  const webhook = await webhooks.create(receiver.url, { types: ['api_call.completed'] })
  const { secret } = await rotateWebhookSecret(changing, acting, webhook.webhookId, 3_600)
  await createEmployees(1)
  await webhooks.deliver(webhook)
  const last = await rotateWebhookSecret(changing, acting, webhook.webhookId, 0)
  await createEmployees(1)
  await webhooks.deliver(webhook)
  const verifies = ({ text, headers }: ReceivedMessage) =>
    [webhook.secret, secret, last.secret].map((one) => {
      try {
        return Boolean(new Webhook(one).verify(text, headers as Record<string, string>))
      } catch {
        return false
      }
    })
  t.strictSame(receiver.received.map(verifies), [
    [true, true, false],
    [false, false, true],
  ])
})

await t.test('an administrator sends a test message, and a message again', async (t) => {
  const single = createSingleDeliveries(webhooks.services)
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  await createEmployees(1)
  await webhooks.deliver(webhook)
  const { progress } = await webhooks.find(webhook)
  receiver.answer = (_message, response) => response.writeHead(200).end('thanks')

  const { companyId, webhookId } = webhook
  t.match(await single.ping(companyId, webhookId), { type: 'webhook.ping', position: null, answer: 'thanks' })
  const [, sent] = await listDeliveries(service.db, companyId, webhookId, { limit: 2 })
  const again = await single.redeliver(companyId, webhookId, sent!.id)
  t.match(again, { position: sent!.position, isDelivered: true, httpStatus: 200 })
  t.equal(receiver.received[2]!.headers['webhook-id'], receiver.received[0]!.headers['webhook-id'])
  t.strictSame((await webhooks.find(webhook)).progress, { ...progress, head: progress.head }, 'the checkpoint stays')
  t.equal((await listDeliveries(service.db, companyId, webhookId, { limit: 9 })).length, 3)

  const other = await service.makeCompany('Other')
  await t.rejects(single.ping(other.id, webhookId), { message: 'No such webhook exists' })
  await t.rejects(single.redeliver(companyId, webhookId, newId('dlv')), { message: 'No such delivery exists' })
  receiver.answer = (_message, response) => setImmediate(() => response.end())
  const [first, second] = await Promise.allSettled([
    single.ping(companyId, webhookId),
    single.ping(companyId, webhookId),
  ])
  t.match(
    [first, second],
    [{ status: 'fulfilled' }, { status: 'rejected', reason: { problem: { code: 'rate_limited' } } }],
  )
})
