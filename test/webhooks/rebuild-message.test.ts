import t from 'tap'
import { eraseEmployee } from '../../src/personal-data/erase-employee.ts'
import type { ReceivedMessage } from '../support/http/receiver.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks, SECRETS_KEY } from '../support/webhooks.ts'

const service = await startService(t, { OUTGOING_PRIVATE: '1', SECRETS_KEY: SECRETS_KEY.toString('base64') })
const webhooks = openTestWebhooks(t, service)
const receiver = await startReceiver(t)
const cookie = await cookieOf(service, service.company.admin)
const { webhookId, companyId } = await webhooks.create(receiver.url, { include_data: true })
const path = `/webhooks/${webhookId}/deliveries`

/** The deliveries of the webhook with what they sent, oldest first. */
async function listSent() {
  const { body } = await service.admin(`${path}?limit=200`)
  const ids = body.items.map(({ id }: { id: string }) => id).toReversed() as string[]
  return Promise.all(ids.map(async (id) => (await service.admin(`${path}/${id}`)).body))
}

/** The part of a received message that a delivery shows. */
function requestOf({ headers, text }: ReceivedMessage) {
  const names = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']
  return { headers: Object.fromEntries(names.map((name) => [name, headers[name]])), body: text, erased: false }
}

const [ana] = (await service.call('POST', '/v1/employees', { body: employee({ last_name: 'Forgotten' }) })).body
  .employees

await t.test('a delivery shows exactly what the receiver got, whatever the webhook includes now', async (t) => {
  await service.call('PATCH', `/v1/employees/${ana.id}`, { body: { job_title: 'Déjà "vu"', status: 'inactive' } })
  await service.call('POST', '/v1/employees', { body: '[' })
  await webhooks.deliver({ webhookId, companyId })
  await service.manage('PATCH', `/webhooks/${webhookId}`, { include_data: false })
  await service.call('PATCH', `/v1/employees/${ana.id}`, { body: { job_title: 'Dev' } })
  await webhooks.deliver({ webhookId, companyId })
  await service.manage('PATCH', `/webhooks/${webhookId}`, { include_data: true, description: 'Changed' })
  await service.manage('POST', `/webhooks/${webhookId}/ping`)
  await service.manage('POST', `${path}/${(await listSent())[0].id}/redeliver`)
  const shown = (await listSent()).map(({ request }) => request)
  const byId = (one: { headers: Record<string, unknown> }) => JSON.stringify(one.headers)
  const sort = (all: typeof shown) => all.toSorted((a, b) => (byId(a) < byId(b) ? -1 : 1))
  t.equal(shown.length, 10)
  t.strictSame(sort(shown), sort(receiver.received.map(requestOf)))
  t.ok(shown.some(({ body }) => body.includes('Déjà')) && shown.every(({ body }) => !body.includes('"Dev"')))
})

await t.test('the page shows what was sent beside the answer', async (t) => {
  receiver.answer = (_message, response) => response.writeHead(500).end('<b>No</b>')
  const { body } = await service.manage('POST', `/webhooks/${webhookId}/ping`)
  const page = await browse(service, `/settings${path}/${body.id}`, { cookie })
  t.equal(page.status, 200)
  const { headers } = receiver.received.at(-1)!
  t.match(
    page.text,
    `webhook-id: ${String(headers['webhook-id'])}\nwebhook-timestamp: ${String(headers['webhook-timestamp'])}\n`,
  )
  t.match(page.text, /\{\s+&quot;type&quot;: &quot;webhook\.ping&quot;/)
  t.match(page.text, /Status 500[^]*&lt;b&gt;No&lt;\/b&gt;/)
  t.notMatch(page.text, String(headers['webhook-signature']))
  const list = await browse(service, `/settings${path}`, { cookie })
  t.match(list.text, `href="/settings${path}/${body.id}"`)
  for (const wrong of ['dlv_01h455vb4pex5vsknk084sn02q', 'me'])
    t.equal((await browse(service, `/settings${path}/${wrong}`, { cookie })).status, 404)
})

await t.test('erased data stay erased, and the page says so', async (t) => {
  await eraseEmployee(webhooks.changing, webhooks.acting, { by: 'id', value: ana.id })
  const ofAna = (await listSent()).filter(({ type }) => type.startsWith('employee.'))
  t.equal(ofAna.length, 5)
  for (const { id, request } of ofAna) {
    t.match(request, { erased: true, body: /"erased":true/ })
    t.notMatch(request.body, /Forgotten|Déjà|changed/)
    const { text } = await browse(service, `/settings${path}/${id}`, { cookie })
    t.match(text, 'The data of this event has been erased.')
    t.notMatch(text, /Forgotten|Déjà/)
  }
})

await t.test('a delivery whose event the ledger does not have shows no message', async (t) => {
  const [first] = await listSent()
  await service.pool.query("update webhook_deliveries set type = 'api_key.revoked' where position = $1", [
    first.position,
  ])
  t.equal((await service.admin(`${path}/${first.id}`)).body.request, null)
  const { text } = await browse(service, `/settings${path}/${first.id}`, { cookie })
  t.match(text, 'restored to an earlier state')
})
