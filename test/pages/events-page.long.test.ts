import t from 'tap'
import { employee, startService } from '../support/service.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const EVENTS = '/settings/events'
const cookie = await cookieOf(service, service.company.admin)
const open = (path: string) => browse(service, EVENTS + path, { cookie })
const positionsOn = ({ text }: { text: string }) =>
  [...text.matchAll(/href="\/settings\/events\/(\d+)"/g)].map(([, position]) => Number(position))
const linkOn = ({ text }: { text: string }, label: string) => {
  const href = new RegExp(`href="([^"]+)"[^>]*>${label}<`).exec(text)?.[1]
  return href?.replaceAll('&amp;', '&')
}

const { body } = await service.call('POST', '/v1/employees', {
  body: [employee({ first_name: 'Zoë', job_title: 'Say "hi"' }), employee()],
})
const [{ id }] = body.employees
const changed = await service.call('PATCH', `/v1/employees/${id}`, { body: { department: 'FINANCE' } })
const key = (await service.manage('POST', '/api-keys', { name: '<b>Test' })).body
await service.manage('POST', `/api-keys/${key.id}/revoke`)
await service.project()
const { rows } = await service.pool.query<{ position: number; type: string; actor: string }>(
  'select position, type, actor from events order by position desc',
)
const first = rows.findLast(({ type }) => type === 'EmployeeCreated')!.position
const positionsOf = (isWanted: (row: (typeof rows)[number]) => boolean) =>
  rows.filter(isWanted).map(({ position }) => position)

await t.test('events are told in sentences, with names that are never markup', async (t) => {
  const { text } = await open('')
  t.match(text, /<bdi>admin<\/bdi><\/a\s*>\s*revoked key\s+<a[^>]+><em\s*><bdi>&lt;b&gt;Test<\/bdi>/)
  t.match(text, /Department<\/bdi>:/)
  t.notMatch(text, '<b>Test')
  t.notMatch(text, 'EmployeeCreated</td>')
  t.match((await open('?view=raw')).text, 'EmployeeCreated', 'they can be shown as stored')
  const [position] = positionsOf(({ type }) => type === 'EmployeeUpdated')
  t.match((await open(`/${position}`)).text, /<title>[^<→]* changed [^<→]*Department: from [^<→]* to FINANCE/)
})

await t.test('events are found by group, type, actor, subject, call, text and time', async (t) => {
  const admin = service.company.admin.user_id
  const day = new Date().toISOString().slice(0, 10)
  for (const [query, isWanted] of [
    ['type=keys', ({ type }) => type.startsWith('ApiKey')],
    ['type=EmployeeUpdated', ({ type }) => type === 'EmployeeUpdated'],
    [`actor=${admin}`, ({ actor }) => actor === admin],
    ['actor=operator', ({ actor }) => actor === 'operator'],
    [`actor=${service.company.key.api_id}&type=calls`, ({ type }) => type === 'ApiCallCompleted'],
    [`id=${key.id}`, ({ type, actor }) => type.startsWith('ApiKey') && actor === admin],
    [`id=${changed.body.log_id}&type=EmployeeUpdated`, ({ type }) => type === 'EmployeeUpdated'],
    ['q=finance', ({ type }) => type === 'EmployeeUpdated'],
    ['q=ZOË', ({ type, position }) => type === 'EmployeeCreated' && position === first],
    ['q=say+"HI', ({ type, position }) => type === 'EmployeeCreated' && position === first],
    [`id=${id}&q=finance`, ({ type }) => type === 'EmployeeUpdated'],
    ['q=%25', () => false],
    ['to=2020-01-01', () => false],
    [`from=2020-01-01&to=${day}`, () => true],
  ] as [string, (row: (typeof rows)[number]) => boolean][]) {
    const page = await open(`?${query}`)
    t.equal(page.status, 200, query)
    t.strictSame(positionsOn(page), positionsOf(isWanted), query)
    const exported = await service.audit(linkOn(page, 'Download these')!.slice('/audit/v1'.length))
    t.strictSame(
      exported.body.map(({ position }: { position: number }) => position),
      positionsOn(page).toReversed(),
      `${query}: the export has the same events`,
    )
  }
})

await t.test('an invalid filter keeps the form, and says which field is wrong', async (t) => {
  for (const [query, field] of [
    ['type=Nothing', null],
    ['actor=Bo', null],
    ['id=emp_x', 'id'],
    ['from=soon', 'from'],
    ['to=2026-02-30', 'to'],
    [`q=${'x'.repeat(255)}`, 'q'],
    ['q=%00', 'q'],
    ['position=0', null],
  ] as const) {
    const { status, text } = await open(`?${query}`)
    t.equal(status, 400, query)
    t.match(text, 'role="alert"')
    t.match(text, '<form method="get" action="/settings/events"')
    if (field !== null) t.match(text, `id="${field}-fault"`)
  }
  t.match((await open('?id=emp_x')).text, 'value="emp_x"')
})

await t.test('paging back and forth passes every matching event once', async (t) => {
  const call = { body: Array.from({ length: 70 }, () => employee({ department: 'Paging' })) }
  await service.call('POST', '/v1/employees', call)
  for (const query of ['?q=paging', '?type=EmployeeCreated', '', `?actor=${service.company.key.api_id}`]) {
    const pages = [await open(query)]
    for (let next; (next = linkOn(pages.at(-1)!, 'Older'));) pages.push(await open(next.slice(EVENTS.length)))
    const all = pages.flatMap(positionsOn)
    t.ok(pages.length >= 2, query)
    t.strictSame(
      all,
      [...new Set(all)].toSorted((a, b) => b - a),
      'each once, newest first',
    )
    const back = await open(linkOn(pages[1]!, 'Newer')!.slice(EVENTS.length))
    t.strictSame(positionsOn(back).at(-1), positionsOn(pages[0]!).at(-1), 'the newer page ends where the older began')
  }
})

await t.test("a filter finds nothing of another company's", async (t) => {
  const other = await service.makeCompany('Other')
  await service.call('POST', '/v1/employees', { body: employee({ department: 'Theirs' }), key: other.key })
  for (const query of ['q=theirs', `actor=${other.key.api_id}`, `actor=${other.admin.user_id}`, `id=${other.id}`]) {
    const page = await open(`?${query}`)
    t.match(page.text, 'No matching events', query)
    t.notMatch(page.text, 'Theirs')
  }
})
