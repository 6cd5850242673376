import t from 'tap'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { connectProvider } from '../support/scim-client.ts'
import { employee, startService } from '../support/service.ts'

const LOGS = '/settings/bulk-user-logs'
const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)
const open = (query: string) => browse(service, `${LOGS}${query}`, { cookie })

const created = await service.call('POST', '/v1/employees', {
  body: [employee({ first_name: 'Zoë', external_id: 'Z-1' }), employee()],
})
await service.call('PATCH', '/v1/employees', {
  body: [{ external_id: 'Z-1', job_title: 'Dev' }, { email: 'nobody@gone.example' }, { email: 'x@gone.example' }],
})
await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'Z-1', job_title: 'Dev' }] })
await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'Z-1', job_title: 'Dev' }] })
await service.project()

/** The results and error codes of the rows, newest first. */
const resultsOn = (text: string) =>
  [...text.matchAll(/<a\s+href="\/settings\/bulk-user-logs\/log_\w+"\s+aria-label="([^"]*)"/g)].map(([, name]) =>
    name!.slice(0, name!.indexOf(`, ${service.company.key.name}`)),
  )
const chipsOn = (text: string) =>
  [...text.matchAll(/class="chip" href="([^"]*)"[^]*?<\/a/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
const linksOn = (text: string, label: string) =>
  [...text.matchAll(/<a (?:class="button" )?href="([^"]*)"[^>]*>([^<]*)(?:<span class="facet">[^<]*<\/span>)?<\/a/g)]
    .filter(([, , name]) => name!.trim() === label)
    .map(([, href]) => href!.replaceAll('&amp;', '&'))

await t.test('a row says what the call did, or what it asked for and the cause in words', async (t) => {
  t.strictSame(resultsOn((await open('')).text), [
    'No changes, Zoë Pérez',
    'Updated 1, Zoë Pérez',
    'Update 3, records are not valid',
    'Created 2',
  ])
})

await t.test('one search box finds a person, an entry, a request, a key and an error code', async (t) => {
  const { body: entry } = await service.admin(`/bulk-user-logs/${created.body.log_id}`)
  const first = ['Created 2']
  t.strictSame(resultsOn((await open(`?q=${created.body.employees[1].id}`)).text), first)
  t.strictSame(resultsOn((await open(`?q=${entry.request_id}`)).text), first)
  t.strictSame(resultsOn((await open('?q=validation_failed')).text), ['Update 3, records are not valid'])
  t.equal(resultsOn((await open('?q=zo%C3%AB')).text).length, 3)
  t.equal(resultsOn((await open(`?q=${encodeURIComponent(service.company.key.name)}`)).text).length, 4)
  t.equal(resultsOn((await open(`?q=${service.company.key.api_id}`)).text).length, 4)
  t.match(await open(`?q=${entry.id}`), { status: 303, location: `${LOGS}/${entry.id}` }, 'an entry is opened')
  t.match((await open('?q=log_01h455vb4pex5vsknk084sn02q')).text, 'No matching entries')
})

await t.test('every filter that is set can be removed alone, and the form carries the others', async (t) => {
  const key = service.company.key.api_id
  const { text } = await open(`?status=Failed&operation=update_many&key=${key}&last=24h&employee=Z-1&q=dev`)
  const all = { status: 'Failed', operation: 'update_many', key, last: '24h', employee: 'Z-1', q: 'dev' }
  const chips = chipsOn(text).map((href) => Object.fromEntries(new URL(href, service.address).searchParams))
  t.strictSame(
    chips,
    Object.keys(all).map((removed) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== removed))),
  )
  for (const name of ['status', 'last', 'employee'] as const)
    t.match(text, `<input type="hidden" name="${name}" value="${all[name]}"`)
  t.match(linksOn(text, 'Completed')[0], 'status=Completed&operation=update_many')
  t.match(linksOn(text, 'Clear filters'), [LOGS])
})

await t.test('a relative time is in the address, and gives way to a range', async (t) => {
  t.equal(resultsOn((await open('?last=1h')).text).length, 4)
  t.match(linksOn((await open('?status=Failed&from=2026-01-01')).text, '24 h'), [`${LOGS}?status=Failed&last=24h`])
  t.match(await open('?last=1h&from=2026-01-01&to='), { status: 303, location: `${LOGS}?from=2026-01-01` })
})

await t.test('a mistyped filter keeps the form and its values, and says what is wrong', async (t) => {
  const bad = {
    status: ['failed', /id="status-fault">Status must be /],
    last: ['2d', /id="last-fault">Last must be one of 1h, 24h, 7d\./],
    operation: ['delete', /id="operation-fault">Operation must be /],
    key: ['mine', /id="key-fault">[^<]+ must be the ID of an API key/],
    from: ['soon', /id="from-fault">From must be a date/],
    to: ['2026-02-30', /id="to-fault">To must be a date/],
    q: ['x'.repeat(255), /id="q-fault">Search must /],
    employee: ['x'.repeat(255), /id="employee-fault">Employee must /],
  } as const
  for (const [name, [value, fault]] of Object.entries(bad)) {
    const { status, text } = await open(`?${name}=${value}&${name === 'q' ? 'operation=create' : 'q=kept'}`)
    t.equal(status, 400, name)
    t.match(text, fault, name)
    t.match(text, name === 'q' ? /value="create" selected/ : /value="kept"/, `${name}: the form keeps the others`)
    t.strictSame(resultsOn(text), [], `${name}: nothing is listed as if it matched`)
  }
  const place = await open('?cursor=nonsense&q=kept')
  t.match(place, { status: 400, text: /role="alert">\s*The query parameter cursor [^]*value="kept"/ })
})

await t.test(
  'the chart counts the calls of the filters, and its bars narrow the time to a day and an hour',
  async (t) => {
    const { text } = await open('?status=Failed&last=7d')
    const [, href, name] = /<a href="([^"]*from=[^"]*)" aria-label="([^"]*)"/.exec(text)!
    t.match(name, /^\d+ \w+: 0 completed, 1 failed$/)
    const day = await open(href!.replaceAll('&amp;', '&').slice(LOGS.length))
    t.strictSame(resultsOn(day.text), ['Update 3, records are not valid'])
    const [, hourly] = /<a href="([^"]*from=[^"]*)" aria-label="[^"]*, \d\d:00: /.exec(day.text)!
    t.match(hourly, /status=Failed&amp;from=[-0-9]+T\d\d%3A00&amp;to=[-0-9]+T\d\d%3A00$/)
    t.strictSame(resultsOn((await open(hourly!.replaceAll('&amp;', '&').slice(LOGS.length))).text), [
      'Update 3, records are not valid',
    ])
    const other = await service.makeCompany('Other')
    const theirs = await browse(service, LOGS, { cookie: await cookieOf(service, other.admin) })
    t.notMatch(theirs.text, 'class="chart')
    await service.call('POST', '/v1/employees', { key: other.key, body: employee() })
    await service.project(other.id)
    const shown = await browse(service, LOGS, { cookie: await cookieOf(service, other.admin) })
    t.match(shown.text, /aria-label="[^"]*: 1 completed, 0 failed"/, 'of one company only')
  },
)

await t.test('a call of an identity provider names its person, and leads to no file', async (t) => {
  const idp = await connectProvider(service, 'Provider')
  const { body } = await idp.post({ userName: 'sara', name: { givenName: 'Sara', familyName: 'Orr' } })
  await idp.patch(body.id, { op: 'replace', path: 'title', value: 'Lead' })
  await idp.post({ userName: 'new', name: { givenName: 'Nils', familyName: 'Neu' }, emails: [{ value: 'no address' }] })
  const { entry } = await idp.lastEntry()
  const names = [...(await open('?source=SCIM')).text.matchAll(/aria-label="([^"]*), Provider,/g)]
  t.strictSame(
    names.map(([, name]) => name),
    ['Create 1, records are not valid, Nils Neu', 'Updated 1, Sara Orr', 'Created 1, Sara Orr'],
  )
  const failed = await open(`/${entry.id}`)
  t.match(failed.text, 'aria-label="Causes"')
  t.notMatch(failed.text, /failed-records\.csv/)
})

await t.test('a call with several records names nobody, also before one that changed nothing', async (t) => {
  const unchanged = { external_id: 'Z-1', job_title: 'Dev' }
  const changed = { id: created.body.employees[1].id, job_title: 'Lead' }
  await service.call('PATCH', '/v1/employees', { body: [unchanged, changed] })
  await service.call('PATCH', '/v1/employees', { body: [unchanged] })
  await service.project()
  t.strictSame(resultsOn((await open('')).text).slice(0, 2), ['No changes, Zoë Pérez', 'Updated 1'])
})
