import t from 'tap'
import { deliverToNobody, storeDelivery } from '../../support/http/stored-deliveries.ts'
import { startService, type Service } from '../../support/service.ts'

const service: Service = await startService(t, {}, { singleDeliveries: deliverToNobody(() => service.pool) })
const { company } = service
const { body: hook } = await service.manage('POST', '/webhooks', { url: 'https://example.com/hooks' })
const path = `/webhooks/${hook.id}/deliveries`
const error = 'The receiver answered 500'

await t.test('deliveries are listed newest first, and filtered by their outcome', async (t) => {
  const ids: string[] = []
  for (let at = 0; at < 5; at += 1) {
    const failed = at % 2 === 0 ? { isDelivered: false, httpStatus: 500, error, answer: 'Oops' } : {}
    ids.unshift((await storeDelivery(service.pool, company.id, hook.id, failed)).id)
  }
  const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
  const { items } = (await service.admin(path)).body
  t.strictSame(idsOf(items), ids)
  t.strictSame(idsOf((await service.admin(`${path}?status=failed`)).body.items), [ids[0], ids[2], ids[4]])
  t.strictSame(idsOf((await service.admin(`${path}?status=delivered`)).body.items), [ids[1], ids[3]])
  const { body } = await service.admin(`${path}/${ids[0]}`)
  t.match(body, { id: ids[0], type: 'employee.created', position: 1, duration_ms: 35, status: 'failed' })
  t.match(body, { http_status: 500, error, answer: 'Oops' })
  const { request: _, ...listed } = body
  t.strictSame(items[0], listed)
})

await t.test('a ping and a redelivery answer the delivery', async (t) => {
  const ping = await service.manage('POST', `/webhooks/${hook.id}/ping`)
  t.match(ping, { status: 200, body: { type: 'webhook.ping', position: null, status: 'delivered', http_status: 204 } })
  t.match((await service.admin(`${path}/${ping.body.id}`)).body, ping.body)
  const { id } = await storeDelivery(service.pool, company.id, hook.id)
  t.match(await service.manage('POST', `${path}/${id}/redeliver`), { status: 200, body: { type: 'employee.created' } })
})

await t.test("another webhook's delivery does not exist", async (t) => {
  const { body: other } = await service.manage('POST', '/webhooks', { url: 'https://example.com/other' })
  const { id } = await storeDelivery(service.pool, company.id, other.id)
  for (const wrong of [id, 'dlv_01h455vb4pex5vsknk084sn02q', 'me', hook.id]) {
    t.match(await service.admin(`${path}/${wrong}`), { status: 404, body: { code: 'delivery_not_found' } })
  }
  t.match(await service.manage('POST', `${path}/me/redeliver`), { status: 404, body: { code: 'delivery_not_found' } })
  t.match(await service.manage('POST', '/webhooks/me/ping'), { status: 404, body: { code: 'webhook_not_found' } })
})

await t.test('bad queries are refused', async (t) => {
  for (const query of ['status=lost', 'color=red'])
    t.match(await service.admin(`${path}?${query}`), { status: 400, body: { code: 'invalid_query' } }, query)
})

await t.test('a company may wait for few receivers at once', async (t) => {
  let waiting = 0
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const slow: Service = await startService(
    t,
    { POOL_SIZE: '16', HEAVY_READS: '2' },
    {
      singleDeliveries: {
        ...deliverToNobody(() => slow.pool),
        async ping(companyId, webhookId) {
          waiting += 1
          if (waiting === 2) begun.resolve()
          await go.promise
          return storeDelivery(slow.pool, companyId, webhookId, { type: 'webhook.ping', position: null })
        },
      },
    },
  )
  const { id } = (await slow.manage('POST', '/webhooks', { url: 'https://example.com/hooks' })).body
  const ping = () => slow.manage('POST', `/webhooks/${id}/ping`)
  const first = [ping(), ping()]
  await begun.promise
  t.match(await ping(), { status: 429, body: { code: 'rate_limited' } })
  go.resolve()
  for (const answer of await Promise.all(first)) t.equal(answer.status, 200)
})
