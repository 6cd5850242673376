import t from 'tap'
import { employee, startService } from '../support/service.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const EMPLOYEES = '/settings/employees'
const cookie = await cookieOf(service, service.company.auditor)
const open = (path: string) => browse(service, EMPLOYEES + path, { cookie })
const linkOn = ({ text }: { text: string }, label: string) =>
  new RegExp(`href="([^"]+)"[^>]*>${label}<`).exec(text)?.[1]?.replaceAll('&amp;', '&')

/** The lines of the history on a page, as text. */
function historyOn({ text }: { text: string }): string[] {
  const rows = [...text.matchAll(/<td class="what">(.*?)<\/td>/gs)].map(([, what]) => what!)
  return rows.map((row) =>
    row
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/\s+/g, ' ')
      .replace(/ call ?$/, '')
      .trim(),
  )
}

const manager = await service.call('POST', '/v1/employees', { body: employee({ first_name: 'Bo', last_name: 'Li' }) })
const made = await service.call('POST', '/v1/employees', {
  body: employee({ first_name: 'Ana', last_name: 'Pérez', department: 'Engineering', custom_attributes: { grade: 4 } }),
})
const { id } = made.body.employees[0]
const patch = (body: object) => service.call('PATCH', `/v1/employees/${id}`, { body })
await patch({ department: 'Finance', manager_id: manager.body.employees[0].id })
const renamed = await patch({ last_name: '<b>Gómez', custom_attributes: { grade: null } })
await patch({ status: 'inactive' })
await service.project()

await t.test('a history says what changed, from what to what, and by whom, newest first', async (t) => {
  t.strictSame(historyOn(await open(`/${id}`)), [
    'Status: from active → to inactive, by HR sync',
    'grade: from 4 → to not set, by HR sync',
    'Last name: from Pérez → to &lt;b&gt;Gómez, by HR sync',
    'Department: from Engineering → to Finance, by HR sync',
    'Manager: from not set → to Bo Li, by HR sync',
    'Created as Ana Pérez with 6 attributes, by HR sync',
  ])
})

await t.test('a line of time has a point for each event of the table below it, and few events have none', async (t) => {
  const [, label, points] = /aria-label="(\d+ events from [^"]+)"[^>]*>([^]*?)<\/svg>/.exec(
    (await open(`/${id}`)).text,
  )!
  t.match(label, /^4 events from \d/)
  const places = [...points!.matchAll(/<circle[^>]* cx="([\d.]+)%"/g)].map(([, place]) => Number(place))
  t.equal(places.length, 4)
  t.strictSame([places[0], places.at(-1)], [99, 1], 'the newest on the right, the first on the left')
  t.strictSame(
    places,
    places.toSorted((one, other) => other - one),
  )
  t.notMatch((await open(`/${id}?attribute=department`)).text, '<circle')
})

await t.test('a history can be narrowed to an attribute, which then begins with its first value', async (t) => {
  const page = await open(`/${id}`)
  const href = linkOn(page, '<bdi>Department</bdi>')?.slice(EMPLOYEES.length)
  t.strictSame(historyOn(await open(href!)), [
    'Department: from Engineering → to Finance, by HR sync',
    'Department: Engineering, at creation, by HR sync',
  ])
  t.strictSame(historyOn(await open(`/${id}?attribute=custom_attributes.grade`)), [
    'grade: from 4 → to not set, by HR sync',
    'grade: 4, at creation, by HR sync',
  ])
  t.match((await open(`/${id}?attribute=phone`)).text, 'No change found')
})

await t.test('at an earlier position it ends there, and its links stay there', async (t) => {
  const at = Number(renamed.headers['x-ledger-position']) - 2
  const page = await open(`/${id}?at=${at}`)
  t.match(historyOn(page)[0], /^Department/)
  t.match(page.text, `As of event ${at}`)
  const { body } = await service.audit(`/employees/${id}/history`)
  const atCreation = encodeURIComponent(body.items.at(-1).recorded_at)
  t.match((await open(`/${id}?at=${atCreation}`)).text, /As of \d{1,2} \w{3} \d{4}, [\d:]{8} UTC \(event \d+\)/)
  const href = linkOn(page, '<bdi>Department</bdi>')
  t.equal(new URL(href!, service.address).searchParams.get('at'), String(at))
})

await t.test('a long history is paged, also when it is narrowed', async (t) => {
  for (let at = 0; at < 60; at += 1) await patch({ status: at % 2 ? 'inactive' : 'active', location: `L${at}` })
  for (const [query, count] of [
    ['', 126],
    ['?attribute=location', 60],
  ] as const) {
    const pages = [await open(`/${id}${query}`)]
    for (let next; (next = linkOn(pages.at(-1)!, 'Older'));) pages.push(await open(next.slice(EMPLOYEES.length)))
    t.equal(pages.flatMap(historyOn).length, count, query)
    t.ok(pages.length > 1)
    t.ok(historyOn(pages[0]!).length <= 60)
  }
  t.equal((await open(`/${id}?before=x&attribute=%00`)).status, 200, 'a malformed place means the newest page')
})

await t.test('the events as stored are behind a link', async (t) => {
  const page = await open(`/${id}`)
  t.notMatch(page.text, 'EmployeeUpdated')
  const raw = await browse(service, linkOn(page, 'Show as stored')!, { cookie })
  t.match(raw.text, 'EmployeeUpdated')
})

await t.test('after an erasure, the history has times and actors, but no values', async (t) => {
  await service.manage('POST', '/erasures', { employee_id: id })
  await service.project()
  const page = await open(`/${id}`)
  t.match(page.text, 'Erased person')
  t.strictSame(historyOn(page).slice(0, 2), ['Erased, by admin', 'Changed (data erased), by HR sync'])
  t.notMatch(page.text, /Finance|Pérez/)
})

await t.test(
  'a search shows exact names first, then names that begin with it, with department and status',
  async (t) => {
    const sent = [
      ['Dunja', 'Susan'],
      ['Bob', 'Other'],
      ['Susanne', 'Zander'],
      ['Susan', 'Álvarez'],
      ['Mary Susan', 'Young'],
    ].map(([first_name, last_name], at) =>
      employee({
        first_name,
        last_name,
        department: `Dept ${at}`,
        ...(at === 1 ? { email: 'susan.bob@example.com' } : {}),
      }),
    )
    const other = employee({ first_name: 'Cy', last_name: 'Xsusan' })
    await service.call('POST', '/v1/employees', { body: [...sent, other] })
    await service.project()
    const namesOn = ({ text }: { text: string }) =>
      [...text.matchAll(/<th scope="row">\s*<a [^>]*><bdi>([^<]*)</g)].map(([, name]) => name)
    const page = await open('?q=SUSAN')
    t.strictSame(namesOn(page), [
      'Dunja Susan',
      'Mary Susan Young',
      'Susan Álvarez',
      'Susanne Zander',
      'Bob Other',
      'Cy Xsusan',
    ])
    t.match(page.text, 'Dept 2')
    t.match(page.text, 'Active')
    t.match(namesOn(await open('?q=susan+%C3%81lvarez'))[0] ?? 'redirected', 'redirected')
  },
)

await t.test('a search passes everyone once on its pages', async (t) => {
  const people = Array.from({ length: 120 }, (_, at) =>
    employee({ first_name: at % 2 ? 'Pageanna' : 'Page', last_name: `P${at % 7}` }),
  )
  await service.call('POST', '/v1/employees', { body: people })
  await service.project()
  const idsOn = ({ text }: { text: string }) =>
    [...text.matchAll(/href="\/settings\/employees\/(emp_\w+)"/g)].map(([, one]) => one!)
  const pages = [await open('?q=page')]
  for (let next; (next = linkOn(pages.at(-1)!, 'More'));) pages.push(await open(next.slice(EMPLOYEES.length)))
  const ids = pages.flatMap(idsOn)
  t.equal(pages.length, 3)
  t.equal(new Set(ids).size, 120)
  t.equal(ids.length, 120)
  t.equal((await open('?q=page&cursor=x')).status, 400)
})
