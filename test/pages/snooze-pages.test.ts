import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { checkCompany } from '../../src/accounts/attention/check-attention.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { startService } from '../support/service.ts'

/* A problem that an administrator puts off until a day, and the pages that say why something needs attention. */

const service = await startService(t)
const { company, pool, db } = service
const cookie = await cookieOf(service, company.admin)
const HOME = '/settings/bulk-user-logs'
const PATH = '/settings/attention'
const keyPage = `/settings/api-keys/${company.key.api_id}`
const open = async (path: string) => (await browse(service, path, { cookie })).text
const post = (path: string, form: Record<string, string>) => browse(service, path, { cookie, form })
const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10)
const kinds = async () => (await service.admin('/attention')).body.items.map(({ kind }: { kind: string }) => kind)
const item = `quota_used ${company.key.api_id}`
const useUp = (requests: number) =>
  pool.query(
    `update api_key_usage set window_start = date_trunc('month', statement_timestamp()), requests_made = $2 where api_id = $1`,
    [toUuid(company.key.api_id), requests],
  )
const eventsOf = async () => {
  const { rows } = await pool.query<{ type: string; data: string; actor: string }>(
    "select type, data::json ->> 'until' as until, data::json ->> 'reason' as reason from events where company_id = $1 and type like 'Attention%' order by position",
    [toUuid(company.id)],
  )
  return rows
}

await service.manage('PATCH', `/api-keys/${company.key.api_id}`, { quota_limit: 50, refresh_period: 'monthly' })
await service.call('POST', '/v1/employees', { body: [{ last_name: 'Li', email: 'li@example.com' }] })
await service.project()

await t.test('a key at 46 of 50 calls is amber on the list, and both pages say why and what to do', async (t) => {
  await useUp(46)
  const list = await open('/settings/api-keys')
  t.match(list, /class="badge warn"[^]*Enabled/)
  t.match(list, '46 of 50 calls are used. The quota resets')
  const page = await open(keyPage)
  t.match(page, /<h2 id="attention">Needs attention<\/h2>[^]*46 of 50 calls are used/)
  t.match(page, /class="badge warn"[^]*Enabled/)
})

await t.test('a problem is put off until a day, and the stream says by whom and why', async (t) => {
  await useUp(50)
  await checkCompany({ pool, db }, company.id)
  const [, link = ''] = /href="(\/settings\/attention\/snooze[^"]+)"/.exec(await open(HOME)) ?? []
  t.match(await open(link), 'Snooze a problem of')
  const wrong = await post(`${PATH}/snooze`, { item, until: day(0), reason: ' ' })
  t.match(wrong, { status: 422 })
  t.match(wrong.text, 'Until must be a day from tomorrow to')
  t.match(wrong.text, 'Reason must have 1 to 200 characters')
  t.equal((await post(`${PATH}/snooze`, { item, until: day(91), reason: 'x' })).status, 422)
  t.strictSame(await eventsOf(), [{ type: 'AttentionRaised', until: null, reason: null }])
  t.equal((await post(`${PATH}/snooze`, { item, until: day(7), reason: 'The supplier <b>' })).status, 303)
  t.strictSame(await kinds(), [])
  const home = await open(HOME)
  t.match(home, '1 problem snoozed')
  t.notMatch(home, 'title="Needs attention"')
  t.match(await open(PATH), /the quota is used up[^]*The supplier &lt;b&gt;[^]*Show again/)
  t.match(await open('/settings/events'), /snoozed [^]*the quota is used up, until [^]*The supplier &lt;b&gt;/)
  await useUp(50)
  t.equal(await checkCompany({ pool, db }, company.id), false, 'it has neither begun nor ended')
  t.match(await eventsOf(), [
    { type: 'AttentionRaised' },
    { type: 'AttentionSnoozed', until: day(7), reason: 'The supplier <b>' },
  ])
})

await t.test('a problem that ends while it is put off has ended, and begins again only after that day', async (t) => {
  await useUp(0)
  t.equal(await checkCompany({ pool, db }, company.id), true)
  await useUp(50)
  t.equal(await checkCompany({ pool, db }, company.id), false)
  await runSql(service.urls.superUrl, `update attention_snoozes set until = '${day(0)}'`)
  t.strictSame(await kinds(), ['quota_used'])
  t.equal(await checkCompany({ pool, db }, company.id), true)
  t.match((await eventsOf()).slice(2), [{ type: 'AttentionResolved' }, { type: 'AttentionRaised' }])
})

await t.test('whoever shows a problem again ends its rest at once; twice does nothing more', async (t) => {
  t.equal((await post(`${PATH}/snooze`, { item, until: day(1), reason: 'Later' })).status, 303)
  t.strictSame(await kinds(), [])
  await Promise.all([post(PATH, { item }), post(PATH, { item })])
  t.strictSame(await kinds(), ['quota_used'])
  t.match(await open(PATH), 'No problem is snoozed.')
  t.match((await eventsOf()).slice(4), [
    { type: 'AttentionSnoozed', reason: 'Later' },
    { until: null, reason: null },
  ])
})

await t.test('a problem is put off for 90 days at most', async (t) => {
  t.equal((await post(`${PATH}/snooze`, { item, until: day(90), reason: 'Later' })).status, 303)
  t.strictSame(await kinds(), [])
  await post(PATH, { item })
  t.strictSame(await kinds(), ['quota_used'])
})

await t.test('what does not need attention is not put off, and an auditor puts nothing off', async (t) => {
  const path = `${PATH}/snooze?item=${encodeURIComponent('quota_used key_x')}`
  t.match(await browse(service, path, { cookie }), { status: 303 })
  const auditor = await cookieOf(service, company.auditor)
  const form = { item, until: day(1), reason: 'x' }
  t.equal((await browse(service, `${PATH}/snooze`, { cookie: auditor, form })).status, 403)
  t.equal((await eventsOf()).length, 8)
})
