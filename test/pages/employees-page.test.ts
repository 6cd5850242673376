import { read, utils } from '@e965/xlsx'
import t from 'tap'
import { csvRecords } from '../support/http/csv-rows.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

/* The list of people: filters, order, pages, and downloads; and changing one of them in a form. */

const service = await startService(t)
const { company } = service
const cookie = await cookieOf(service, company.admin)
const auditor = await cookieOf(service, company.auditor)
const PATH = '/settings/employees'
const open = (path: string, form?: Record<string, string>, as = cookie) =>
  browse(service, path, { cookie: as, ...(form ? { form } : {}) })
const namesOn = (text: string) =>
  [...text.matchAll(/href="\/settings\/employees\/emp_\w+"\s*><bdi>([^<]*)</g)].map(([, name]) => name!)
const listed = async (query: string) => namesOn((await open(`${PATH}?${query}`)).text)

const person = (first_name: string, last_name: string, more: object = {}) =>
  employee({ first_name, last_name, ...more })
const { body: made } = await service.call('POST', '/v1/employees', {
  body: [
    person('Zoë', 'Aalto', { department: 'Sales', location: 'Oslo', external_id: 'E-1' }),
    person('Ada', 'Byrne', { department: 'sales', external_id: null, termination_date: '2020-01-31' }),
    person('Kim', 'Cho', { department: 'IT', location: 'Oslo', external_id: 'E-3', status: 'inactive' }),
    person('Lea', 'Diaz', { department: 'IT', external_id: 'E-4', manager_external_id: 'E-1' }),
  ],
})
const [zoe, ada] = made.employees.map(({ id }: { id: string }) => id) as [string, string]
await service.project()

await t.test('people are listed, narrowed by each filter, and sorted', async (t) => {
  t.strictSame(await listed(''), ['Lea Diaz', 'Kim Cho', 'Ada Byrne', 'Zoë Aalto'])
  t.strictSame(await listed('order=name'), ['Zoë Aalto', 'Ada Byrne', 'Kim Cho', 'Lea Diaz'])
  t.strictSame(await listed('order=department'), ['Kim Cho', 'Lea Diaz', 'Zoë Aalto', 'Ada Byrne'])
  for (const [query, names] of [
    ['status=inactive', ['Kim Cho']],
    ['department=SALES', ['Ada Byrne', 'Zoë Aalto']],
    ['location=oslo&status=active', ['Zoë Aalto']],
    ['manager=E-1', ['Lea Diaz']],
    [`manager=${zoe}`, ['Lea Diaz']],
    ['only=no_external_id', ['Ada Byrne']],
    ['only=ended', ['Ada Byrne']],
    ['q=diaz&department=IT', ['Lea Diaz']],
    ['department=Nowhere', []],
  ] as const)
    t.strictSame(await listed(query), names, query)
  t.match(await open(`${PATH}?manager=nobody`), { status: 422, text: /has no employee/ })
  t.match(await open(`${PATH}?status=away`), { status: 422 })
  t.equal((await open(`${PATH}?status=&q=`)).location, PATH, 'what a form leaves empty is not in the address')
})

await t.test('the list shows how many people were active and inactive, whoever has been erased', async (t) => {
  const other = await service.makeCompany('Chart')
  const theirs = await cookieOf(service, other.admin)
  const chart = async (path = PATH) =>
    /<desc id="people-desc">([^<]*)/.exec((await open(path, undefined, theirs)).text)?.[1]
  t.equal(await chart(), undefined, 'none without people')
  const { body } = await service.call('POST', '/v1/employees', {
    body: [employee({}), employee({}), employee({ status: 'inactive' }), employee({ status: 'inactive' })],
    key: other.key,
  })
  const [first, second, third, fourth] = body.employees.map(({ id }: { id: string }) => id) as string[]
  const change = (employees: object[]) => service.call('PATCH', '/v1/employees', { body: employees, key: other.key })
  await change([{ id: first, status: 'inactive' }])
  await change([
    { id: second, job_title: 'Engineer' },
    { id: third, status: 'active' },
  ])
  await service.project(other.id)
  t.match(await chart(), /: 2 active, 2 inactive\.$/)
  t.equal(await chart(`${PATH}?status=active`), undefined, 'it counts everybody')
  await service.manage('POST', '/erasures', { employee_id: fourth }, other.admin.token)
  await service.manage('POST', '/erasures', { employee_id: third }, other.admin.token)
  await service.project(other.id)
  t.match(await chart(), /: 1 active, 1 inactive\.$/)
  const { body: days } = await service.admin('/employees/by-day', other.admin.token)
  t.equal(days.items.length, 30)
  t.match(
    [days.items[0], days.items.at(-1)],
    [
      { active: 0, inactive: 0 },
      { active: 1, inactive: 1 },
    ],
  )
})

await t.test('the list has pages, in every order', async (t) => {
  const other = await service.makeCompany('Large')
  const many = Array.from({ length: 120 }, (_, at) => employee({ last_name: `N${at % 7}`, department: `D${at % 3}` }))
  await service.call('POST', '/v1/employees', { body: many, key: other.key })
  await service.project(other.id)
  const theirs = await cookieOf(service, other.admin)
  for (const order of ['newest', 'name', 'department', 'changed']) {
    const seen = new Set<string>()
    let path: string | undefined = `${PATH}?order=${order}`
    for (let pages = 0; path !== undefined && pages < 5; pages += 1) {
      const { text } = await open(path, undefined, theirs)
      for (const [, id] of text.matchAll(/href="\/settings\/employees\/(emp_\w+)"/g)) seen.add(id!)
      path = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }
    t.equal(seen.size, 120, order)
  }
})

await t.test('the same people can be downloaded as CSV and as a workbook', async (t) => {
  const { text } = await open(`${PATH}?department=sales&order=name`)
  const links = [...text.matchAll(/href="(\/admin\/v1\/employees[^"]+)"/g)].map(([, href]) =>
    href!.replaceAll('&amp;', '&'),
  )
  t.equal(links.length, 2)
  const download = async (href: string) => {
    const headers = { authorization: `Bearer ${company.admin.token}` }
    return Buffer.from(await (await fetch(`${service.address}${href}`, { headers })).arrayBuffer())
  }
  t.match(csvRecords((await download(links[0]!)).toString()), [
    { first_name: 'Zoë', department: 'Sales', status: 'active' },
    { first_name: 'Ada', termination_date: '2020-01-31' },
  ])
  const book = read(await download(links[1]!), { dense: true })
  const [header, ...people] = utils.sheet_to_json(book.Sheets[book.SheetNames[0]!]!, { header: 1 })
  t.match(JSON.stringify(header), 'first_name')
  t.equal(people.length, 2)
  t.match(JSON.stringify(people), '2020-01-31')
  t.notMatch((await open(PATH, undefined, auditor)).text, 'employees.csv', 'auditors have the page without downloads')
})

await t.test('a person is changed in a form, by a call of the user', async (t) => {
  const edit = `${PATH}/${ada}/edit`
  const { text } = await open(edit)
  const seen = /name="seen" value="(\d+)"/.exec(text)![1]!
  t.match(text, /value="Byrne"/)
  const before = await open(edit, { seen, last_name: 'Byrne', phone: '12' })
  t.match(before, { status: 422, text: /needs a country code/ })
  t.match(before.text, 'value="12"')
  const saved = await open(edit, { seen, last_name: 'O’Byrne', manager_id: 'E-1', external_id: '' })
  t.equal(saved.location, `${PATH}/${ada}?done=saved`)
  const { body } = await service.call('GET', `/v1/employees/${ada}`)
  t.match(body, { last_name: 'O’Byrne', manager_id: zoe, department: 'sales', external_id: null })
  await service.project()
  const [entry] = (await service.admin('/bulk-user-logs?source=By%20hand&status=Completed')).body.items
  t.match(entry, {
    name: 'By hand',
    key: null,
    file: null,
    user: { id: company.admin.user_id },
    counts: { updated: 1 },
  })
  t.match(await open(edit, { seen, last_name: 'Late' }), { status: 412, text: /Somebody has changed/ })
})

await t.test('a person is deactivated and reactivated in a form', async (t) => {
  for (const [done, status] of [
    ['deactivated', 'inactive'],
    ['reactivated', 'active'],
  ]) {
    const seen = /name="seen" value="(\d+)"/.exec((await open(`${PATH}/${ada}/edit`)).text)![1]!
    t.equal((await open(`${PATH}/${ada}/edit/status`, { seen })).location, `${PATH}/${ada}?done=${done}`)
    t.match((await service.call('GET', `/v1/employees/${ada}`)).body, { status })
  }
})

await t.test('auditors see people, and change nothing', async (t) => {
  t.match((await open(PATH, undefined, auditor)).text, 'Lea Diaz')
  t.notMatch((await open(`${PATH}/${ada}`, undefined, auditor)).text, `${PATH}/${ada}/edit`)
  t.equal((await open(`${PATH}/${ada}/edit`, undefined, auditor)).status, 403)
  t.equal((await open(`${PATH}/${ada}/edit`, { seen: '1', last_name: 'X' }, auditor)).status, 403)
})

await t.test('erasing stands beside what is done more often, as a link', async (t) => {
  for (const path of [PATH, `${PATH}/${ada}`]) t.notMatch((await open(path)).text, /class="button danger"/)
})
