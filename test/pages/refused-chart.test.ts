import t from 'tap'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

/* The refused records beside the chart of the first page: tables whose rows have bars. */

const service = await startService(t)
const { company, call, manage } = service
const LOG = '/settings/bulk-user-logs'
const { body: second } = await manage('POST', '/api-keys', { name: 'Payroll <b>' })
const cookie = await cookieOf(service, company.admin)
const open = async (path: string) => (await browse(service, path, { cookie })).text
const shorten = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

await t.test('without refused records there are no bars', async (t) => {
  await call('POST', '/v1/employees', { body: employee() })
  await service.project()
  t.notMatch(await open(LOG), 'Refused records by cause')
})

await t.test('refused records are counted by cause and by key, the most first, each with a link', async (t) => {
  await call('POST', '/v1/employees', { body: [employee({ phone: 'x' }), employee({ phone: 'y' })] })
  const key = { api_id: second.id, api_key: second.api_key }
  await call('POST', '/v1/employees', { body: [employee({ start_date: 'x' })], key })
  await service.project()
  const page = await open(LOG)
  const [, causes = '', keys = ''] = page.split('<table class="bars">')
  t.match(shorten(causes), /Refused records by cause, 7 days Invalid format: phone 2 Invalid format: start_date 1 /)
  t.match(shorten(keys), /By API key .+ 2 Payroll &lt;b&gt; 1 /)
  t.match(keys, `href="${LOG}/refusals?since=7d&amp;key=${second.id}"`)
  t.equal((await browse(service, `${LOG}/refusals?since=7d&key=${second.id}`, { cookie })).status, 200)
})

await t.test('a list that is narrowed has no bars, because they count all calls', async (t) => {
  t.notMatch(await open(`${LOG}?status=Failed`), 'Refused records by cause')
})

await t.test('the page of refused records cuts what was sent as a name', async (t) => {
  await call('POST', '/v1/employees', { body: { first_name: 'W'.repeat(2_000), phone: 'x' } })
  await service.project()
  const page = await open(`${LOG}/refusals`)
  t.match(page, /W{60}…/)
  t.notMatch(page, /W{61}/)
})
