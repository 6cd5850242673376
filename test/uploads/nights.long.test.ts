import t from 'tap'
import { changedNights, firstNight } from '../support/files/changed-nights.ts'
import { encodeText } from '../support/files/encode-text.ts'
import type { Person } from '../support/files/compare-people.ts'
import { isQuick } from '../support/quick.ts'
import { send, startService } from '../support/service.ts'

/* Files that a program uploads night after night, in which something has changed. */

const service = await startService(t, { MAX_RECORDS: '12' }, { workers: true })

type TestCompany = Awaited<ReturnType<typeof service.makeCompany>>

const upload = (company: TestCompany, content: string | Buffer, query = '') =>
  send(service.address, 'POST', `/admin/v1/uploads?file_name=staff.csv${query}`, {
    key: null,
    body: content,
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
const get = (company: TestCompany, path: string) => service.admin(path, company.admin.token)

async function listPeople({ id, key }: TestCompany): Promise<Person[]> {
  await service.project(id)
  return (await service.call('GET', '/v1/employees?limit=200', { key })).body.items
}

/** Uploads a file, and says what its columns are and what its words mean. */
async function chooseOnce(company: TestCompany) {
  const { body } = await upload(company, firstNight(['da', 'da', 'weg']))
  const path = `/uploads/${body.id}`
  const { body: mapping } = await get(company, `${path}/mapping`)
  const words = { da: 'active', weg: 'inactive' }
  Object.assign(mapping.columns[3], { to: 'division' })
  Object.assign(mapping.columns[4], { to: 'status', words })
  await service.manage('PUT', `${path}/mapping`, { ...mapping, unreadable_values: 'leave_out' }, company.admin.token)
  await service.manage('POST', `${path}/apply`, undefined, company.admin.token)
}

await t.test('a program applies no file whose columns nobody has seen', async (t) => {
  const company = await service.makeCompany('Unseen')
  const unseen = (await upload(company, firstNight(['da']), '&apply=true&all_or_none=false')).body
  t.match(unseen, { state: 'previewed', needs_review: true })
  const exact = 'external_id,First name,E-Mail,custom_attributes.grade\nX-1,Ana,ana@example.com,7'
  t.match((await upload(company, exact, '&apply=true')).body, { state: 'ended', needs_review: false })
  await chooseOnce(company)
  const second = (await upload(company, ['Kennung,Rufname,Status', 'N-0,Ana,weg'].join('\n'), '&apply=true')).body
  t.match(second, { state: 'previewed', needs_review: true }, 'a file of another kind')
})

await t.test('a night with a column more, one renamed, or one lost changes nobody unseen', async (t) => {
  const company = await service.makeCompany('Nights')
  await chooseOnce(company)
  const before = await listPeople(company)
  t.match(
    before.map(({ status, division }) => [status, division]),
    [
      ['active', 'Lager'],
      ['active', 'Lager'],
      ['inactive', 'Lager'],
    ],
  )
  const tonight = (change: (cells: string[], at: number) => string[]) =>
    firstNight(['da', 'weg', 'weg'])
      .split('\n')
      .map((line, at) => change(line.split(','), at).join(','))
      .join('\n')
  const apply = (text: string) => upload(company, text, '&apply=true&all_or_none=false')
  const renamed = await apply(tonight((cells, at) => (at === 0 ? cells.with(4, 'Lage') : cells)))
  t.match(renamed.body, { state: 'previewed', needs_review: true, left_out: [{ reason: 'changed_columns' }] })
  const lost = await apply(tonight((cells) => cells.slice(0, 4)))
  t.match(lost.body, { state: 'previewed', needs_review: true })
  t.strictSame(await listPeople(company), before)
  const more = await apply(tonight((cells, at) => [at === 0 ? 'Stockwerk' : '2', ...cells.toReversed()]))
  t.match(more.body, { state: 'ended', left_out: [{ message: 'New columns: Stockwerk' }], summary: { changed: 1 } })
  t.match(
    (await listPeople(company)).map(({ status, division }) => [status, division]),
    [
      ['active', 'Lager'],
      ['inactive', 'Lager'],
      ['inactive', 'Lager'],
    ],
  )
})

await t.test('a column is the same whatever its capitals and blanks; one that is gone is named', async (t) => {
  const company = await service.makeCompany('Capitals')
  await chooseOnce(company)
  const text = firstNight(['da', 'weg', 'weg'])
  const apply = (names: string) => upload(company, text.replace(/.*/, names), '&apply=true&all_or_none=false')
  const same = await apply('PERSONALNUMMER,Vor name, nachname ,ＡＢＴＥＩＬＵＮＧ,beschäftigung')
  t.match(same.body, { state: 'ended', left_out: [], summary: { changed: 1 } })
  const gone = await apply('Personalnummer,Vorname,Nachname,Abteilung,Lage')
  const message = 'Gone, or renamed: the columns that became status. New columns: Lage'
  t.match(gone.body, { state: 'previewed', needs_review: true, left_out: [{ message }] })
  const twice = await upload(
    company,
    text
      .split('\n')
      .map((line, at) => `${at === 0 ? 'beschäftigung' : 'da'},${line}`)
      .join('\n'),
    '&apply=true&all_or_none=false',
  )
  t.match(twice.body, { state: 'previewed', needs_review: true }, 'nobody knows which one it was')
})

await t.test('dates that turn from day first to month first change nobody unseen', async (t) => {
  const company = await service.makeCompany('Turned dates')
  const night = (...days: string[]) =>
    ['external_id,first_name,start_date', ...days.map((day, at) => `D-${at},Ana,${day}`)].join('\n')
  const first = ['03/04/2020', '05/06/2021', '13/05/2024', '01/02/2019']
  const apply = async (...days: string[]) => (await upload(company, night(...days), '&apply=true')).body
  t.match(await apply(...first), { state: 'ended' })
  const before = await listPeople(company)
  const turned = await apply('04/03/2020', '06/05/2021', '05/12/2024', '02/01/2019')
  t.match(turned, { state: 'previewed', needs_review: true, questions: [{ about: 'dates', header: 'start_date' }] })
  t.match(turned.left_out, [{ reason: 'exchanged_dates', message: /of 3 dates of start_date would be exchanged/ }])
  const proven = await apply('04/03/2020', '06/05/2021', '05/13/2024', '02/01/2019')
  t.match(proven, { state: 'previewed', needs_review: true, questions: [{ about: 'dates' }] })
  t.strictSame(await listPeople(company), before)
  t.match(await apply('03/04/2020', '06/05/2021', '12/05/2024', '01/02/2019'), { state: 'ended', questions: [] })
  t.equal((await listPeople(company))[1]!['start_date'], '2021-05-06', 'a single date is corrected')
})

await t.test('ids that have lost or gained zeros double nobody and change nobody unseen', async (t) => {
  const company = await service.makeCompany('Zeros')
  const night = (spell: (id: string) => string) =>
    [
      'external_id,first_name,email,employee_number',
      ...['0101', '0102', '0100'].map((id) => `${spell(id)},P${id},,`),
      ...['0201', '0202'].map((id) => `,P${id},p${id}@x.example,${spell(id)}`),
    ].join('\n')
  const apply = async (text: string) => (await upload(company, text, '&apply=true')).body
  t.match(await apply(night((id) => id)), { state: 'ended', summary: { created: 5 } })
  const before = await listPeople(company)
  const writings = [(id: string) => id.replace(/^0+/, ''), (id: string) => `${id}.0`, (id: string) => `000${id}`]
  for (const spell of [...writings, (id: string) => `${Number(id)}.00`]) {
    const told = await apply(night(spell))
    t.match(told, { state: 'previewed', needs_review: true, left_out: [{}, {}] }, spell('0101'))
    t.match(told.left_out, [
      { reason: 'respelled_ids', message: /^3 people have the external_id / },
      { reason: 'respelled_ids', message: /^2 people have the employee_number / },
    ])
  }
  t.strictSame(await listPeople(company), before)
  const more = `${night((id) => id)}\n101,New,,\n7,New,,`
  t.match(await apply(more), { state: 'ended', summary: { created: 2, unchanged: 5 } }, 'somebody new may have one')
})

await t.test('ids, names, or addresses that moved to other people change nobody unseen', async (t) => {
  const company = await service.makeCompany('Moved')
  const people = ['Ana Alt', 'Bo Berg', 'Cy Chan', 'Di Dorn', 'Ed Egli'].map((name, at) => {
    const [first = '', last = ''] = name.split(' ')
    return { id: `${at + 1}`, first, last, email: `${first.toLowerCase()}@x.example`, phone: `+4930123450${at}` }
  })
  type Row = (typeof people)[number]
  const head = 'external_id,first_name,last_name,email,phone,custom_attributes.private'
  const write = (rows: readonly Row[]) =>
    [head, ...rows.map(({ id, first, last, email, phone }) => `${id},${first},${last},${email},${phone},p${id}`)].join(
      '\n',
    )
  const apply = async (text: string) => (await upload(company, text, '&apply=true&all_or_none=false')).body
  const night = (change: (row: Row, at: number) => Row) => apply(write(people.map(change)))
  t.match(await night((row) => row), { state: 'ended', summary: { created: 5 } })
  const before = await listPeople(company)
  const next = (at: number, step = 1) => people[(at + step) % people.length]!
  const moved: [string, (row: Row, at: number) => Row][] = [
    ['ids, by a row', (row, at) => ({ ...row, id: next(at).id })],
    ['ids, of two', (row, at) => (at < 2 ? { ...row, id: people[1 - at]!.id } : row)],
    ['addresses', (row, at) => ({ ...row, email: next(at).email })],
    ['names', (row, at) => ({ ...row, first: next(at).first, last: next(at).last })],
    ['ids, to new ones', (row) => ({ ...row, id: `N${row.id}` })],
    ['ids, to new ones without addresses', (row) => ({ ...row, id: `N${row.id}`, email: '' })],
  ]
  for (const [name, change] of moved) {
    const told = await night(change)
    t.match(told, { state: 'previewed', needs_review: true, left_out: [{ reason: 'other_people' }] }, name)
    const path = `/uploads/${told.id}/mapping`
    const { body: mapping } = await get(company, path)
    const again = (await service.manage('PUT', path, mapping, company.admin.token)).body
    t.match(again, { state: 'previewed', needs_review: true }, 'also where a program sends a mapping')
  }
  for (const [name, change] of [
    ['first_name and last_name', ({ first, last, ...row }) => ({ ...row, first: last, last: first })],
    ['custom_attributes.private and phone', (row) => row],
  ] as [string, (row: Row) => Row][]) {
    const text = write(people.map(change))
    const told = await apply(name.includes('phone') ? exchangeCells(text) : text)
    t.match(told, { state: 'previewed', needs_review: true, left_out: [{ reason: 'exchanged_columns' }] }, name)
    t.match(told.left_out[0].message, name)
  }
  t.strictSame(await listPeople(company), before)
  const married = await night((row, at) => (at === 1 ? { ...row, first: 'Cy', last: 'Chan', phone: '' } : row))
  t.match(married, { state: 'ended', summary: { changed: 1 } }, 'a single one may be meant')
  const renamed = await night((row) => ({ ...row, last: 'Neu', email: row.email.replace('x.', 'y.') }))
  t.match(renamed, { state: 'ended', summary: { changed: 5 } }, 'everybody may get a new last name and address')
})

/** Exchanges the last two cells of each row. */
function exchangeCells(text: string): string {
  const rows = text.split('\n').map((line, at) => {
    const cells = line.split(',')
    return at === 0 ? cells : [...cells.slice(0, 4), cells[5]!, cells[4]!]
  })
  return rows.map((cells) => cells.join(',')).join('\n')
}

await t.test('a new column that says who has left is asked about, and any other one is named', async (t) => {
  const company = await service.makeCompany('New columns')
  await chooseOnce(company)
  const [names, ...rows] = firstNight(['da', 'da', 'weg']).split('\n')
  const apply = async (name: string, ...cells: string[]) => {
    const text = [`${names},${name}`, ...rows.map((row, at) => `${row},${cells[at] ?? ''}`)].join('\n')
    return (await upload(company, text, '&apply=true&all_or_none=false')).body
  }
  for (const [name, ...cells] of [
    ['Termination date', '2024-05-31'],
    ['Austrittsdatum'],
    ['Employment status', 'Active', 'Terminated', 'Zork'],
    ['Blocked', 'x'],
  ]) {
    const told = await apply(name!, ...cells)
    t.match(told, { state: 'previewed', questions: [{ about: 'to', header: name }] }, String(name))
  }
  t.match(await apply('Farbe', 'rot', 'blau', 'rot'), { state: 'ended', left_out: [{ message: 'New columns: Farbe' }] })
})

await t.test('what somebody chose and could not apply is proposed again, and never applied by a program', async (t) => {
  const company = await service.makeCompany('Chosen only')
  const file = (name: string) => `Kennung,Rufname\nK-1,${name}`
  const path = `/uploads/${(await upload(company, file('.'))).body.id}/mapping`
  const columns = [
    { header: 'Kennung', to: 'external_id' },
    { header: 'Rufname', to: 'last_name' },
  ]
  t.match(await service.manage('PUT', path, { columns }, company.admin.token), { status: 200 })
  const again = (await upload(company, file('Ana'), '&apply=true')).body
  t.match(again, { state: 'previewed', needs_review: true })
  t.match((await get(company, `/uploads/${again.id}/mapping`)).body, { columns })
  await service.manage('POST', `/uploads/${again.id}/apply`, undefined, company.admin.token)
  t.match((await upload(company, file('Bo'), '&apply=true')).body, { state: 'ended', summary: { changed: 1 } })
})

await t.test('a file that shares columns with one before is still asked who has left', async (t) => {
  const company = await service.makeCompany('Shared columns')
  const before = (await upload(company, 'Badge ID,First name,Last name\nB1,Ana,One\nB2,Bo,Two')).body
  const targets = ['external_id', 'first_name', 'last_name']
  const columns = ['Badge ID', 'First name', 'Last name'].map((header, at) => ({ header, to: targets[at] }))
  await service.manage('PUT', `/uploads/${before.id}/mapping`, { columns }, company.admin.token)
  t.match(await service.manage('POST', `/uploads/${before.id}/apply`, undefined, company.admin.token), { status: 200 })
  const file = ['User principal name,First name,Last name,Block credential', 'ana@x.example,Ana,One,False']
  const { body } = await upload(company, [...file, 'bo@x.example,Bo,Two,True', 'cy@x.example,Cy,Six,False'].join('\n'))
  t.match(body.left_out, [{}, { reason: 'changed_columns' }], 'it is taken for a file of the same kind')
  t.match(body, { needs_review: true, questions: [{ about: 'words', header: 'Block credential' }] })
})

await t.test('a nightly file in another format is applied correctly, or waits and says why', async (t) => {
  const statuses = async (company: TestCompany) =>
    (await listPeople(company)).map((person) =>
      ['external_id', 'status', 'division'].map((name) => String(person[name])).join(' '),
    )
  const company = await service.makeCompany('Written otherwise')
  await chooseOnce(company)
  const nights = changedNights(['da', 'weg', 'weg']).filter((_, at) => !isQuick || at % 4 === 0)
  for (const { name, isSame, content } of nights) {
    const usual = (await upload(company, firstNight(['da', 'da', 'weg']), '&apply=true')).body
    t.match(usual, { state: 'ended', questions: [] }, `the night before: ${name}`)
    const before = await statuses(company)
    t.strictSame(before, ['N-0 active Lager', 'N-1 active Lager', 'N-2 inactive Lager'])
    const { status, body } = await upload(company, content, '&apply=true&all_or_none=false')
    const after = await statuses(company)
    t.strictSame(after, isSame || body.state === 'ended' ? before.with(1, 'N-1 inactive Lager') : before, name)
    if (isSame) t.match(body, { state: 'ended', summary: { changed: 1, unchanged: 2 } }, name)
    const says = [body.needs_review, body.questions?.length > 0, body.code, body.summary?.applied === 3]
    t.ok(status === 201 || status === 422, name)
    t.ok(says.some(Boolean), `${name}: says what to do`)
  }
})

await t.test('a row that repeats another one is taken once, and marks at names are asked once', async (t) => {
  const company = await service.makeCompany('Repeated')
  const list = (...rows: string[]) => ['external_id,first_name,last_name,department,note', ...rows].join('\n')
  const rows = ['R-1,Ana,Berg,Ops,a', 'R-2,Bo,Lind,Ops,b', 'R-1,Ana,Berg,Ops,c', 'R-2,Bo,Lind,Ops,b']
  const { body } = await upload(company, list(...rows), '&apply=true')
  t.match(body, { needs_review: true })
  const path = `/uploads/${body.id}`
  t.match(body.parts, [{ counts: { created: 2, unreadable: 0 } }])
  t.match((await get(company, `${path}/parts/1/preview`)).body.notes, [
    { line: 4, message: 'Repeats line 2: left out' },
    { line: 5, message: 'Repeats line 3: left out' },
  ])
  await service.manage('POST', `${path}/apply`, undefined, company.admin.token)
  t.match(await listPeople(company), [{ external_id: 'R-1' }, { external_id: 'R-2' }])
  const again = await upload(company, list(...rows), '&apply=true&all_or_none=false')
  t.match(again.body, { state: 'ended', summary: { unchanged: 2, refused: 0 } })
  const marked = list('R-1,Ana,Berg (gone),Ops,a', 'R-2,Bo,Lind (left),Ops,b')
  const asked = (await upload(company, marked, '&apply=true&all_or_none=false')).body
  t.match(asked, { state: 'previewed', questions: [{ about: 'words', header: 'last_name', words: ['left'] }] })
  const { body: mapping } = await get(company, `/uploads/${asked.id}/mapping`)
  mapping.columns[2].words.left = 'inactive'
  await service.manage('PUT', `/uploads/${asked.id}/mapping`, mapping, company.admin.token)
  await service.manage('POST', `/uploads/${asked.id}/apply`, undefined, company.admin.token)
  const after = await listPeople(company)
  t.match(after, [{ last_name: 'Berg (gone)' }, { last_name: 'Lind', status: 'inactive' }])
  t.match((await upload(company, marked, '&apply=true')).body, { state: 'ended', summary: { unchanged: 2 } })
})

await t.test('the encoding and the line of names that somebody gave are remembered', async (t) => {
  const company = await service.makeCompany('Encodings')
  const send = (rows: readonly string[], query = '') =>
    upload(company, encodeText(['Kod,Nume', ...rows].join('\n'), 'windows-1250'), query)
  const first = await send(['7,Ţugui Ana'])
  t.match(first, { status: 422, body: { code: 'file_ambiguous' } })
  const { body } = await send(['7,Ţugui Ana'], '&encoding=windows-1250&header_row=1')
  const columns = [
    { header: 'Kod', to: 'external_id' },
    { header: 'Nume', to: 'full_name', names: 'last_first' },
  ]
  await service.manage('PUT', `/uploads/${body.id}/mapping`, { columns }, company.admin.token)
  await service.manage('POST', `/uploads/${body.id}/apply`, undefined, company.admin.token)
  t.match((await send(['7,Ţugui Ana', '8,Ţugui Bo'], '&apply=true')).body, { state: 'ended', summary: { created: 1 } })
  t.match(await listPeople(company), [{ last_name: 'Ţugui' }, { last_name: 'Ţugui', first_name: 'Bo' }])
  const plain = await upload(company, 'Kod,Nume\n9,Popa Cy', '&apply=true')
  t.match(plain.body, { state: 'ended' }, 'a night without any such letter')
  const utf8 = await upload(company, 'Kod,Nume\n7,Ţugui Ana', '&apply=true')
  t.match(utf8.body, { state: 'ended' }, 'a night in UTF-8')
  t.match((await send(['7,Ţugui Ana', '8,Ţugui Bo'], '&apply=true')).body, { state: 'ended' }, 'as before')
  const other = await upload(company, encodeText('Numer,Ţinut\n7,Ţugui', 'windows-1250'))
  t.match(other, { status: 422, body: { code: 'file_ambiguous' } }, 'a file of another kind is asked')
})

await t.test(
  'a night whose letters leave the encoding open is read as the nights before, with a column more, too',
  async (t) => {
    const company = await service.makeCompany('Shown encoding')
    const load = (rows: readonly string[], query = '') =>
      upload(company, encodeText(rows.join('\n'), 'windows-1250'), query)
    const people = [
      'Łukasz Żółć',
      'Małgorzata Święta',
      'Grażyna Wójcik',
      'Paweł Dąbrowski',
      'Agnieszka Zając',
      'Józef Pawłowski',
    ]
    const clear = people.map((name, at) => `${at},${name.replace(' ', ',')},Łódź`)
    const { body } = await load(['external_id,first_name,last_name,location', ...clear])
    await service.manage('POST', `/uploads/${body.id}/apply`, undefined, company.admin.token)
    const open = ['external_id,first_name,last_name,location,floor', '7,Ana,Ţugui,X,2', ...clear.slice(0, 0)]
    t.match((await upload(await service.makeCompany('New'), encodeText(open.join('\n'), 'windows-1250'))).body, {
      code: 'file_ambiguous',
    })
    t.match((await load(open, '&apply=true')).body, { state: 'ended', summary: { created: 1 } })
    t.match((await listPeople(company)).at(-1), { last_name: 'Ţugui' })
  },
)

await t.test('a night leaves out what it cannot read, but not who has left', async (t) => {
  const company = await service.makeCompany('Leaves out')
  const head = 'Employee ID,First name,Start date,Status,Last day'
  const load = async (query: string, ...rows: string[]) =>
    (await upload(company, [head, ...rows].join('\n'), query)).body
  const first = await load('', '1,Ana,2019-04-13,Active,', '2,Bo,2020-06-15,Active,')
  const path = `/uploads/${first.id}`
  const { body: mapping } = await get(company, `${path}/mapping`)
  await service.manage('PUT', `${path}/mapping`, { ...mapping, unreadable_values: 'leave_out' }, company.admin.token)
  await service.manage('POST', `${path}/apply`, undefined, company.admin.token)
  t.match(await load('&apply=true', '1,Ana,soon,Active,', '2,Bo,2020-06-15,Active,'), { state: 'ended' })
  t.match(await load('&apply=true', '1,Ana,2019-04-13,Ruhend,', '2,Bo,2020-06-15,Active,'), {
    state: 'previewed',
    questions: [{ about: 'words', words: ['Ruhend'] }],
  })
  t.match(await load('&apply=true', '1,Ana,2019-04-13,Active,', '2,Bo,2020-06-15,Active,2024-01-31'), {
    state: 'previewed',
    questions: [{ about: 'past_end_dates', rows: 1 }],
  })
})
