import t from 'tap'
import { groupLogEntries } from '../../projections/bulk-user-logs/usage-queries.ts'
import type { EntryFilter } from '../../projections/bulk-user-logs/queries.ts'
import { listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { countFacets } from '../../src/pages/bulk-user-logs/filter-bar.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { openAppends } from '../support/ledger/appends.ts'
import { uploadCall } from '../support/ledger/calls.ts'
import { employee, startService } from '../support/service.ts'
import { BEFORE_COPIES, copyEntry } from '../support/postgres/copy-entry.ts'
import { ENTRIES } from '../support/postgres/projection-tables.ts'

/* The counts beside the filters of Bulk User Logs, and the sums below its entries. */

const LOGS = '/settings/bulk-user-logs'
const service = await startService(t)
const { company } = service
const { body: second } = await service.manage('POST', '/api-keys', { name: 'Second key' })
const key = { ...company.key, api_id: second.id, api_key: second.api_key }
await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
await service.call('POST', '/v1/employees', { body: {} })
await service.call('POST', '/v1/employees', { key, body: [] })
await service.call('PUT', '/v1/employees', { key, body: [employee({ external_id: 'F-1' })] })
const { commit } = openAppends(t, service)
await commit([uploadCall(company, [employee()])])
await service.project()

const cookie = await cookieOf(service, company.admin)
const open = async (query: string) => (await browse(service, `${LOGS}${query}`, { cookie })).text
/** The labels of the options of a list, without the first. */
const optionsOf = (text: string, name: string) => {
  const [list = ''] = new RegExp(`<select id="${name}"[^]*?</select>`).exec(text) ?? []
  return [...list.matchAll(/<option[^>]*>([^<]*)</g)].map(([, label]) => label!).slice(1)
}
const segmentsOf = (text: string) =>
  [...text.matchAll(/>(All|Completed|Failed) <span class="facet">([\d,+]*)</g)].map(
    ([, label, count]) => `${label} ${count}`,
  )
/** The completed and the failed calls that the chart says it has. */
const chartOf = (text: string) => {
  const [, completed, failed] = /([\d,]+) completed, ([\d,]+) failed/.exec(text) ?? []
  return [Number(completed), Number(failed)]
}
const sumsOf = (text: string) => [...text.matchAll(/data-live-sum="(\d+)"/g)].map(([, sum]) => Number(sum))

await t.test(
  'the entries of a page that has newer ones are counted up to its first entry, which is one of them',
  async (t) => {
    const { entries } = await listLogEntries(service.db, company.id, {}, { limit: 10, before: null })
    for (const [newer, { position }] of entries.entries()) {
      const { groups } = await groupLogEntries(service.db, company.id, {}, position)
      t.equal(
        groups.reduce((sum, group) => sum + group.entries, 0),
        entries.length - newer,
      )
    }
  },
)

await t.test('each value of a filter says how many entries it finds beside the other filters', async (t) => {
  const all = await open('')
  t.strictSame(segmentsOf(all), ['All 5', 'Completed 3', 'Failed 2'])
  t.strictSame(optionsOf(all, 'key'), ['Second key (2)', `${company.key.name} (2)`])
  t.strictSame(optionsOf(all, 'operation'), [
    'Create (3)',
    'Update one (0)',
    'Update many (0)',
    'Create or update (2)',
    'Undo (0)',
  ])
  t.strictSame(optionsOf(all, 'source'), ['File upload (1)', 'Public API (4)'])
  t.strictSame(optionsOf(all, 'error').toSorted(), ['No records (1)', 'Records are not valid (1)'])
  t.strictSame(optionsOf(all, 'http_status'), ['200 (2)', '201 (1)', '422 (2)'])
  t.strictSame(sumsOf(all), [5, 0, 0, 1, 0])
  const ofKey = await open(`?key=${second.id}`)
  t.strictSame(segmentsOf(ofKey), ['All 2', 'Completed 1', 'Failed 1'])
  t.strictSame(
    optionsOf(ofKey, 'key'),
    ['Second key (2)', `${company.key.name} (2)`],
    'a filter does not narrow itself',
  )
  t.strictSame(sumsOf(ofKey), [1, 0, 0, 0, 0])
  t.strictSame(segmentsOf(await open('?q=nobody')), ['All ', 'Completed ', 'Failed '], 'a search has no counts')
})

/** Every filter, with a value that finds some of the entries. */
const FILTERS: Record<keyof EntryFilter, string> = {
  status: 'Failed',
  operation: 'create',
  source: 'File%20upload',
  from: '2000-01-01',
  to: '2999-01-01',
  key: second.id,
  error: 'empty_batch',
  http_status: '422',
  employee: 'F-1',
  q: 'F-1',
}

const countAll = async () => (await service.admin('/bulk-user-logs?count=true')).body.total.count

await t.test('each filter reaches the list, its count, the chart, the sums, the API, and the export', async (t) => {
  for (const [name, value] of Object.entries(FILTERS)) {
    const query = `?${name}=${value}`
    const isTime = name === 'from' || name === 'to'
    const ofApi = isTime ? `${query}T00:00:00Z` : query
    const { items, total } = (await service.admin(`/bulk-user-logs${ofApi}&count=true`)).body
    t.ok(items.length > 0 && (isTime || items.length < (await countAll())), `${name} finds ${items.length}`)
    t.equal(total.count, items.length, name)
    const page = await open(query)
    t.equal(new Set(page.match(/data-id="log_\w+"/g)).size, items.length, `${name}: the list`)
    t.match(page, new RegExp(`<(?:input|select)\\s[^>]*\\bname="${name}"`), `${name}: the next search keeps it`)
    const csv = await browse(service, `/admin/v1/bulk-user-logs.csv${ofApi}`, { cookie })
    t.equal(csv.text.trimEnd().split('\n').length - 1, items.length, `${name}: the export`)
    t.match(page, `/admin/v1/bulk-user-logs.csv?${name}=`, `${name}: the link of the export`)
    if (name === 'employee' || name === 'q') continue
    const completedOnly = /<a [^>]*href="([^"]*)"[^>]*>Completed <span class="facet">0</.exec(page)?.[1]
    if (completedOnly) t.notMatch(completedOnly, new RegExp(`\\b${name}=(?!Completed)`), `${name}: no dead end`)
    const failed = items.filter(({ status }: { status: string }) => status === 'Failed').length
    const [completed, failures] = chartOf(page)
    t.strictSame([completed, failures], [items.length - failed, failed], `${name}: the chart`)
    const sums = ['total', 'updated', 'deactivated', 'failed', 'no_updates'].map((count) =>
      items.reduce((sum: number, { counts }: { counts: Record<string, number> }) => sum + counts[count]!, 0),
    )
    t.strictSame(sumsOf(page), sums, `${name}: the sums`)
  }
})

await t.test('the list and its exports are filtered by the error code of the call', async (t) => {
  const codes = async (query: string) => {
    const { body } = await service.admin(`/bulk-user-logs${query}`)
    return body.items.map(({ error }: { error: { code: string } | null }) => error?.code ?? null)
  }
  t.strictSame(await codes('?error=empty_batch'), ['empty_batch'])
  t.strictSame(await codes('?error=no_such_code'), [])
  t.equal((await service.admin('/bulk-user-logs?error=Not%20a%20code')).status, 400)
  t.match(await open('?error=validation_failed'), /class="chip"[^]*Records are not valid/)
})

await t.test('the list is filtered by the HTTP status that the calls were answered with', async (t) => {
  const statuses = async (query: string) => {
    const { body } = await service.admin(`/bulk-user-logs${query}`)
    return body.items.map(({ http_status: status }: { http_status: number }) => status)
  }
  t.strictSame(await statuses('?http_status=422'), [422, 422])
  t.strictSame(await statuses('?http_status=201'), [201])
  t.strictSame(await statuses('?http_status=422&status=Completed'), [])
  for (const wrong of ['42', '600', '422.5', 'no']) {
    t.equal((await service.admin(`/bulk-user-logs?http_status=${wrong}`)).status, 400, wrong)
    t.match(await open(`?http_status=${wrong}`), /id="http_status"[^>]*aria-invalid="true"/, wrong)
  }
  const failed = await open('?http_status=422')
  t.match(failed, /class="chip"[^]*HTTP status <bdi>422</)
  t.match(failed, `href="${LOGS}?status=Completed"`, 'completed calls have another one')
})

await t.test('the newest 50,000 entries are grouped, which says that there are more', async (t) => {
  const { pool, db } = service
  const add = (count: number) => copyEntry(pool, company.id, count)
  await add(50_000 - (await countAll()))
  const whole = await groupLogEntries(db, company.id, {}, null)
  t.equal(whole.isMore, false)
  t.equal(countFacets(whole, {}).counts.status.get(''), 50_000)
  await pool.query(`delete from ${ENTRIES} where company_id = $1 and position > ${BEFORE_COPIES}`, [toUuid(company.id)])
  await add(50_001)
  const cut = await groupLogEntries(db, company.id, {}, null)
  t.equal(cut.isMore, true)
  t.equal(countFacets(cut, { status: 'Failed' }).counts.status.get('Completed'), 50_001)
})

await t.test('a filter counts the entries that match, also those older than the ones that are grouped', async (t) => {
  const countOn = async (query: string) => / entry-count"[^>]*>\s*([^<]*?)\s*</.exec(await open(query))?.[1]
  t.equal(await countOn('?status=Failed'), '2 entries match')
  t.equal(await countOn('?status=Completed'), '10,000+ entries match')
  t.equal(await countOn('?from=2000-01-01'), '50,000+ entries match')
  t.equal(await countOn(''), '50,000+ entries')
})
