import { pino } from 'pino'
import t from 'tap'
import { startDeliveries } from '../../src/delivery/webhooks/deliveries.ts'
import { currentCompany } from '../../src/postgres/company-scope.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)

await t.test('without the job queue, the sweep delivers by itself', async (t) => {
  const receiver = await startReceiver(t)
  await webhooks.create(receiver.url, { types: ['employee.created'] })
  await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  const log = pino({ level: 'silent' })
  const deliveries = startDeliveries({
    ...webhooks.services,
    log,
    sweepIntervalMs: 50,
  })
  t.teardown(() => deliveries.stop())
  const messages = await receiver.waitFor(1)
  t.equal(messages[0]!.body.type, 'employee.created')
})

await t.test(
  'where companies have machines, one that hangs delays the webhooks of its own companies alone',
  async (t) => {
    const [hung, other] = [await service.makeCompany('Hung'), await service.makeCompany('Other')]
    const receiver = await startReceiver(t)
    const over = Promise.withResolvers<never>()
    const held = Promise.withResolvers<void>()
    over.promise.catch(() => undefined)
    const scopes: (string | null)[] = []
    const pool = new Proxy(service.pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name) as unknown
        return (...args: [string]) => {
          scopes.push(currentCompany())
          if (currentCompany() !== hung.id) return target.query(...args)
          held.resolve()
          return over.promise
        }
      },
    })
    const log = pino({ level: 'silent' })
    const options = { ...webhooks.services, pool, log, sweepIntervalMs: 3_600_000, companiesTogether: 1 }
    const deliveries = startDeliveries(options)
    t.teardown(() => deliveries.stop())
    t.teardown(() => over.reject(new Error('the machine is back')))
    await webhooks.create(receiver.url, { types: ['employee.created'] }, other)
    await service.call('POST', '/v1/employees', { key: other.key, body: employee() })
    await service.project(other.id)
    const before = scopes.length
    deliveries.announce([hung.id])
    await held.promise
    deliveries.announce([hung.id, other.id])
    t.equal((await receiver.waitFor(1))[0]!.body.type, 'employee.created')
    t.notOk(scopes.slice(before).includes(null), 'what is about a company is sent to its machine')
  },
)
