import t from 'tap'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { employee, send, startService } from '../../support/service.ts'

const service = await startService(t, { TRUST_PROXY: '127.0.0.1' })
const { company } = service
const cookie = await cookieOf(service, company.admin)

/** Creates an employee from an address, and returns the id of the entry. */
async function createFrom(address: string, program = 'night-sync/2.1') {
  const headers = { 'x-forwarded-for': address, 'user-agent': program }
  const { status, body } = await service.call('POST', '/v1/employees', { body: [employee()], headers })
  if (status !== 201) throw new Error(`the call got ${status}`)
  return body.log_id as string
}

/** Uploads and applies a file from an address, and returns the id of the entry. */
async function uploadFrom(address: string) {
  const headers = { authorization: `Bearer ${company.admin.token}`, 'x-forwarded-for': address }
  const { body } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=staff.csv', {
    body: 'email,first_name,last_name\nada@example.com,Ada,L\n',
    headers: { ...headers, 'content-type': 'text/csv' },
  })
  const applied = await send(service.address, 'POST', `/admin/v1/uploads/${body.id}/apply`, { headers })
  return applied.body.parts[0].log_id as string
}
const [home, thief] = [await createFrom('203.0.113.7'), await createFrom('198.51.100.66', '<b>curl</b>/8')]
const sixth = await createFrom('2001:DB8:0::1')
const mapped = await createFrom('::ffff:192.0.2.9')
const uploaded = await uploadFrom('198.51.100.7')
await service.project()
const clientOf = async (id: string) => (await service.admin(`/bulk-user-logs/${id}`)).body.client
const idsOf = async (query: string) =>
  (await service.admin(`/bulk-user-logs?${query}`)).body.items.map(({ id }: { id: string }) => id)

await t.test('an entry says from which address and with which program its call was sent', async (t) => {
  t.strictSame(await clientOf(home), { address: '203.0.113.7', user_agent: 'night-sync/2.1' })
  t.match(await clientOf(sixth), { address: '2001:db8::1' }, 'in its usual form')
  t.match(await clientOf(mapped), { address: '192.0.2.9' })
  const { text } = await browse(service, `/settings/bulk-user-logs/${thief}`, { cookie })
  t.match(text, '198.51.100.66')
  t.match(text, '&lt;b&gt;curl&lt;/b&gt;/8')
})

await t.test('a search by address finds the calls that were sent from it', async (t) => {
  t.strictSame(await idsOf('q=198.51.100.66'), [thief])
  t.strictSame(await idsOf('q=2001:0db8::0001'), [sixth], 'in any form')
  t.strictSame(await idsOf('q=198.51.100.7'), [uploaded], 'also of a file')
  t.strictSame(await idsOf('q=198.51.100.66&status=Failed'), [])
  t.strictSame(await idsOf('q=198.51.100.6'), [], 'whole addresses only')
  const other = await service.makeCompany('Other')
  t.strictSame((await service.admin('/bulk-user-logs?q=198.51.100.66', other.admin.token)).body.items, [])
})

await t.test('the page of a key lists the addresses that used it, and leads to their calls', async (t) => {
  const { text } = await browse(service, `/settings/api-keys/${company.key.api_id}`, { cookie })
  const addresses = [...text.matchAll(/bulk-user-logs\?q=[^"]*">([^<]+)<\/a>/g)].map(([, address]) => address)
  t.strictSame(new Set(addresses), new Set(['192.0.2.9', '198.51.100.66', '2001:db8::1', '203.0.113.7']))
  t.match(text, 'night-sync/2.1')
})

await t.test('the page of an event says from where a change was made', async (t) => {
  const key = { name: 'HR', quota_limit: 5, refresh_period: 'daily' }
  const { headers } = await service.manage('POST', '/api-keys', key)
  const { text } = await browse(service, `/settings/events/${headers['x-ledger-position']}`, { cookie })
  t.match(text, /Sent from<\/dt>\s*<dd>127\.0\.0\.1/)
})

await t.test('once the address is deleted, the entry stays and says that it is not known', async (t) => {
  await service.pool.query("delete from actor_clients where address = '203.0.113.7'")
  t.equal(await clientOf(home), null)
  t.strictSame(await idsOf('q=203.0.113.7'), [])
  t.notMatch((await browse(service, `/settings/bulk-user-logs/${home}`, { cookie })).text, 'Sent from')
})
