import t from 'tap'
import { asSuperuser } from '../../../support/postgres/as-superuser.ts'
import { browse, cookieOf } from '../../../support/http/sessions.ts'
import { employee, startService } from '../../../support/service.ts'
import { BEFORE_COPIES, copyEntry } from '../../../support/postgres/copy-entry.ts'
import { ENTRIES } from '../../../support/postgres/projection-tables.ts'

/* How many entries of Bulk User Logs match, on the page and in the answer of the API. */

const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)
const page = async (query = '') => (await browse(service, `/settings/bulk-user-logs${query}`, { cookie })).text
const countOn = (text: string) => /<p\s+class="hint entry-count"[^>]*>\s*([^<]*?)\s*<\/p>/.exec(text)?.[1] ?? null
const total = async (query = '') => (await service.admin(`/bulk-user-logs?count=true&limit=1${query}`)).body.total

/** Adds entries to the log like the first one. */
const addEntries = (count: number) => copyEntry(service.pool, service.company.id, count)

await t.test('an empty log shows no number', async (t) => {
  t.match(await page(), /<p\s+class="hint entry-count"[^>]*\shidden\s*>/)
  t.strictSame(await total(), { count: 0, is_more: false })
})

await t.test('entries are counted with every filter, and only if that is asked for', async (t) => {
  await service.call('POST', '/v1/employees', { body: employee({ email: 'ana@acme.example' }) })
  t.notOk('total' in (await service.admin('/bulk-user-logs')).body)
  t.notOk('total' in (await service.admin('/bulk-user-logs?count=false')).body)
  await service.project()
  t.equal(countOn(await page()), '1 entry')
  t.equal(countOn(await page('?status=Completed')), '1 entry matches')
  await service.call('POST', '/v1/employees', { body: {} })
  await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  t.equal(countOn(await page()), '3 entries')
  t.equal(countOn(await page('?status=Completed&last=24h')), '2 entries match')
  for (const [query, count] of [
    ['', 3],
    ['&status=Failed', 1],
    ['&operation=upsert', 0],
    ['&to=2020-01-01T00:00:00Z', 0],
    ['&from=2020-01-01T00:00:00Z&operation=create', 3],
    [`&key=${service.company.key.api_id}`, 3],
    ['&q=acme', 1],
    ['&q=nobody', 0],
    ['&employee=ana@acme.example', 1],
  ] as const) {
    t.strictSame(await total(query), { count, is_more: false }, query)
  }
  const other = await service.makeCompany('Other')
  const { body } = await service.admin('/bulk-user-logs?count=true', other.admin.token)
  t.strictSame(body.total, { count: 0, is_more: false })
})

await t.test('a number is the same on every page of the list', async (t) => {
  await addEntries(60)
  const first = await page()
  t.equal(countOn(first), '63 entries')
  const [, older] = /rel="next"\s+href="\/settings\/bulk-user-logs([^"]+)"/.exec(first)!
  t.equal(countOn(await page(older)), '63 entries')
})

await t.test('a number is exact up to 10,000', async (t) => {
  await service.pool.query(`delete from ${ENTRIES} where position > ${BEFORE_COPIES}`)
  await addEntries(9_997)
  t.strictSame(await total(), { count: 10_000, is_more: false })
  t.equal(countOn(await page()), '10,000 entries')
  await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  t.strictSame(await total(), { count: 10_000, is_more: true })
  // The filters of the page count more.
  t.equal(countOn(await page()), '10,001 entries')
  t.match(countOn(await page('?operation=create')), /^10,001 entries match$/)
})

await t.test('a count that takes too long is left out, and the page is shown', async (t) => {
  // Every entry that is counted, but not one of the few that are listed, takes a moment.
  await asSuperuser(
    service.urls.superUrl,
    `create function slow(bigint) returns boolean language plpgsql volatile cost 1 as
       'begin if $1 < 1000000 then perform pg_sleep(2); end if; return true; end'`,
  )
  await asSuperuser(service.urls.superUrl, `alter table ${ENTRIES} enable row level security`)
  await asSuperuser(
    service.urls.superUrl,
    `create policy slowly on ${ENTRIES} using (position > ${BEFORE_COPIES} or slow(position))`,
  )
  await asSuperuser(service.urls.superUrl, `alter table ${ENTRIES} force row level security`)
  const hasty = await startService(t, { OPTIONAL_READ_MS: '500' }, { urls: service.urls })
  const { text } = await browse(hasty, '/settings/bulk-user-logs?status=Completed', { cookie })
  t.match(text, 'Completed')
  t.equal(countOn(text), null)
  const { body } = await hasty.admin('/bulk-user-logs?count=true&limit=1', service.company.admin.token)
  t.equal(body.items.length, 1)
  t.equal(body.total, null)
})
