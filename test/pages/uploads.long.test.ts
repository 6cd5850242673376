import { utils, write } from '@e965/xlsx'
import t from 'tap'
import { request } from 'undici'
import { encodeText } from '../support/files/encode-text.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

/* Uploading a file: the preview says what it would do, and one more click applies it. */

const service = await startService(t, { MAX_RECORDS: '1000' })
const { company } = service
const cookie = await cookieOf(service, company.admin)
const PATH = '/settings/bulk-user-logs/upload'

const wordsOf = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
/** A page of the administrator, or of somebody else. */
async function open(path: string, as: string | null = cookie) {
  const answer = await browse(service, path, { cookie: as })
  return { ...answer, path, words: wordsOf(answer.text) }
}

/** Uploads a file, and opens the page to which it leads. */
async function send(
  content: string | Buffer | null,
  fields: Record<string, string> = {},
  { name = 'staff.csv', as = cookie }: { name?: string; as?: string | null } = {},
) {
  const upload = new FormData()
  for (const [field, value] of Object.entries(fields)) upload.set(field, value)
  if (content !== null)
    upload.set('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name)
  const answer = await browse(service, PATH, { cookie: as, upload })
  return answer.location === null ? { ...answer, path: '', words: wordsOf(answer.text) } : open(answer.location, as)
}

/** Presses a button of an upload's page, and opens the page to which it leads. */
async function press(path: string, form: Record<string, string> = {}) {
  const answer = await browse(service, path, { cookie, form })
  return answer.location === null ? { ...answer, path: '', words: wordsOf(answer.text) } : open(answer.location)
}
const apply = ({ path }: { path: string }) => press(`${path}/apply`)
const newest = async () => {
  await service.project()
  return (await service.admin('/bulk-user-logs?limit=1')).body.items[0]
}

await t.test('a preview shows counts, and each change with its line; applying it does just that', async (t) => {
  await service.call('POST', '/v1/employees', {
    body: [employee({ external_id: 'X-1', job_title: 'Dev' }), employee({ external_id: 'X-2', job_title: 'Lead' })],
  })
  const before = await newest()
  const csv =
    'external_id;first_name;last_name;email;job_title\r\nX-1;;;;Lead\r\nX-2;;;;Lead\r\nX-3;Zoë;Ü;zoe@example.com;\r\n'
  const preview = await send(csv)
  t.equal(preview.status, 200)
  t.match(preview.words, /Created 1 Changed 1 Unchanged 1 Refused 0/)
  t.match(preview.words, /Line 2 Ana Pérez Job title from Dev → to Lead/)
  t.match(preview.words, /Line 4 Zoë Ü .*First name Zoë/)
  t.equal((await newest()).id, before.id, 'nothing is applied yet')

  t.match(await apply(preview), { status: 200, words: /All records of the file were applied/ })
  const entry = await newest()
  t.match(entry, {
    name: 'File upload',
    status: 'Completed',
    operation: 'upsert',
    file: { name: 'staff.csv', rows: 3 },
  })
  t.match(entry, { counts: { total: 3, updated: 1, no_updates: 1 }, user: { id: company.admin.user_id }, key: null })

  t.equal((await apply(preview)).status, 200, 'a repeated click')
  t.equal((await newest()).id, entry.id, 'has no second effect')
})

await t.test('errors are at their lines and columns, and nothing can be applied', async (t) => {
  const csv = 'email,phone,custom_attributes.grade\nnobody@example.com,12,7\n"a@\nb",,\n'
  const { words } = await send(csv, { operation: 'update_many' })
  t.match(words, /Line 2, column 1 nobody@example\.com No such employee exists: email/)
  t.match(words, /Line 2, column 2 nobody@example\.com phone needs a country code, unless the company has a country/)
  t.match(words, /Line 3, column 1 .* email contains a control character \(U\+000A\)/)
  t.notMatch(words, /Apply/)
})

await t.test('a preview counts the rows that leave people inactive without saying so', async (t) => {
  await service.call('POST', '/v1/employees', {
    body: [employee({ external_id: 'W-1', status: 'inactive' }), employee({ external_id: 'W-2', status: 'inactive' })],
  })
  const { words } = await send('external_id,job_title,status\nW-1,Nurse,\nW-2,Nurse,active\n')
  t.match(words, /Changed 2 Unchanged 0 Refused 0 Stay inactive 1/)
  t.match(words, /1 row names an inactive person and sets no status, so they stay inactive/)
})

await t.test('a preview with errors also shows what the other rows would do', async (t) => {
  const before = await newest()
  const csv =
    'external_id,first_name,last_name,email,phone\nN-1,A,B,n1@example.com,12\nN-2,C,D,n2@example.com,\nX-2,E,,,\n'
  const { words } = await send(`${csv}N-3,F,G,n3@example.com,4.9E+12\n`)
  t.match(words, /Created 1 Changed 1 Unchanged 0 Refused 1 Unreadable 1/)
  t.match(words, /Line 5, column 5 .*4\.9E\+12.* was shortened by a spreadsheet/)
  t.match(words, /Line 2, column 5 A B phone needs/)
  t.match(words, /Line 3 C D .*First name C.*Line 4 \S+ \S+ First name from \S+ → to E/)
  t.match(words, /Apply 2 of 4 records/)
  t.equal((await newest()).id, before.id)
})

await t.test(
  'a column that is not an attribute is named, and can become a custom attribute or be ignored',
  async (t) => {
    const csv = 'external_id,Shoe size,Note\nX-1,42,x\n'
    const first = await send(csv)
    t.match(first, { status: 200, words: /1 column used, not used: Shoe size , Note/ })
    const second = await press(`${first.path}/mapping`, { 'to.1': 'custom' })
    t.match(second, {
      status: 200,
      words: /not used: Note.*Line 2 \S+ \S+ Shoe size from not set → to 42/,
    })
    t.match(await apply(second), { words: /All records of the file were applied/ })
    const { items } = (await service.call('GET', '/v1/employees?external_id=X-1')).body
    t.strictSame(items[0].custom_attributes, { 'Shoe size': 42 })
  },
)

await t.test('a preview names managers, and the line of a refused row that another one needs', async (t) => {
  await service.call('POST', '/v1/employees', {
    body: [
      employee({ external_id: 'B-1', first_name: 'Olga', last_name: 'Berg' }),
      employee({ external_id: 'B-2', first_name: 'Per', last_name: 'Dahl' }),
    ],
  })
  await service.project()
  const rows = ['B-2,,,,B-1,', 'B-3,Ida,Vik,b3@example.com,B-1,', 'B-4,Eli,Foss,b4@example.com,B-3,']
  const refused = ['B-5,Jon,Moe,b5@example.com,,12', 'B-6,Kai,Ness,b6@example.com,B-5,']
  const csv = ['external_id,first_name,last_name,email,manager_external_id,phone', ...rows, ...refused].join('\n')
  const { text, words } = await send(csv)
  t.match(words, /Line 2 Per Dahl Manager from not set → to Olga Berg /)
  t.match(words, /Line 3 Ida Vik .*Manager Olga Berg .*Line 4 Eli Foss .*Manager Ida Vik /)
  t.match(words, /Line 6, column 5 Kai Ness .*Line 5, which this one needs, is refused/)
  t.notMatch(text, /Record \d+ of the call|>emp_/)
})

/** What the form would send as a field, of which it must have one. */
function chosenIn(text: string, name: string): string | undefined {
  const fields = [...text.matchAll(new RegExp(`<select name="${name}"[^]*?</select>`, 'g'))]
  return fields.length === 1 ? /value="(\w*)" selected/.exec(fields[0]![0])?.[1] : undefined
}

await t.test('what a column raises once it is mapped is asked, and not left out', async (t) => {
  const asked = await send('external_id,Angabe\nX-1,Ruhend\n')
  t.match(asked.words, /Apply 1 record/, 'the name of the column says nothing')
  const next = { 'to.1': 'status', unreadable_values: chosenIn(asked.text, 'unreadable_values') ?? '' }
  const raised = await press(`${asked.path}/mapping`, next)
  t.match(raised.words, /1 question about the file is open Angabe : Who is active\? Ruhend .*Active Inactive/)
  t.notMatch(raised.words, /Apply \d/)
  t.equal(chosenIn(raised.text, 'unreadable_values'), 'leave_out')
})

await t.test('local phone numbers can be left out by somebody who does not know their country', async (t) => {
  const asked = await send('external_id,First name,Phone\nX-1,Ada,020 7946 0412\n')
  t.match(asked.text, /<input name="country" [^>]*autocapitalize/)
  t.notMatch(asked.text, /<input name="country" [^>]*required/)
  const preview = await press(`${asked.path}/mapping`, { country: '', unreadable_values: 'leave_out' })
  t.match(preview.words, /Values left out.*Line 2, column 3 .*has no country code: left out/)
  t.match(preview.words, /Apply 1 record/)
  const refusing = await press(`${asked.path}/mapping`, { country: '', unreadable_values: 'refuse' })
  t.match(refusing.words, /Questions about the file/)
})

await t.test('what failed can be downloaded, corrected, and sent again; the entries lead to each other', async (t) => {
  const sent = [
    employee({ external_id: 'Y-1', phone: '0151' }),
    employee({
      external_id: 'Y-2',
      phone: '+4915112345678',
      custom_attributes: { badge: '007' },
      start_date: '2026-02-30',
    }),
  ]
  const { body: failed } = await service.call('POST', '/v1/employees', { body: sent })
  await service.project()
  const { body: csv } = await service.admin(`/bulk-user-logs/${failed.log_id}/failed-records.csv`)
  const again = await send(csv as string)
  t.match(
    again.words,
    /Line 2, column \d+ .* phone needs.*Line 3, column \d+ .* start_date/,
    'uncorrected, it fails alike',
  )
  const corrected = (csv as string).replace("'0151", "'+4930901820").replace("'2026-02-30", "'2026-02-28")
  const preview = await send(corrected, {}, { name: 'corrected.csv' })
  t.match(preview, { status: 200, words: /Created 2 / })
  await apply(preview)
  const entry = await newest()
  t.match(entry, { status: 'Completed', corrects: [failed.log_id], file: { name: 'corrected.csv' } })
  t.strictSame((await service.admin(`/bulk-user-logs/${failed.log_id}`)).body.corrected_by, [entry.id])
  const links = async (id: string) => (await browse(service, `/settings/bulk-user-logs/${id}`, { cookie })).text
  t.match(await links(failed.log_id), `Corrected by <a href="/settings/bulk-user-logs/${entry.id}"`)
  t.match(await links(entry.id), `<a href="/settings/bulk-user-logs/${failed.log_id}"`)
  const { items } = (await service.call('GET', '/v1/employees?external_id=Y-2')).body
  t.match(items[0], { phone: '+4915112345678', custom_attributes: { badge: '007' }, start_date: '2026-02-28' })
})

await t.test('JSON is read as the body of a bulk call', async (t) => {
  const preview = await send(
    JSON.stringify({ employees: [{ external_id: 'X-1', location: 'Lyon' }] }),
    {},
    { name: 'a.json' },
  )
  t.match(preview, { status: 200, words: /Record 1 \S+ \S+ Location from not set → to Lyon/ })
  t.match(await send('{"employees":[', {}, { name: 'a.json' }), {
    status: 422,
    words: /Line 1 The list does not end/,
  })
})

await t.test('a record of JSON that another one needs is named by its index in the file', async (t) => {
  const created = { external_id: 'B-8', first_name: 'Mia', last_name: 'Sol' }
  const refused = { external_id: 'B-9', first_name: 'A', last_name: 'B', phone: '12' }
  const needing = { external_id: 'B-10', first_name: 'C', last_name: 'D', manager_external_id: 'B-9' }
  const { words } = await send(JSON.stringify({ employees: [created, refused, needing] }), {}, { name: 'a.json' })
  t.match(words, /Record 3 C D Record 2, which this one needs, is refused/)
})

await t.test('encodings of spreadsheets are recognized', async (t) => {
  const csv = 'external_id\tlast_name\nX-1\tMüller\n'
  for (const bytes of [
    Buffer.from(csv),
    Buffer.from(`\ufeff${csv}`),
    Buffer.from(`\ufeff${csv}`, 'utf16le'),
    Buffer.from(`\ufeff${csv}`, 'utf16le').swap16(),
    Buffer.from(csv, 'latin1'),
  ])
    t.match((await send(bytes)).words, /Line 2 \S+ \S+ Last name from \S+ → to Müller/)
})

await t.test(
  'an encoding that is not certain is asked, with the names of the file, and one click answers',
  async (t) => {
    const asked = await send(encodeText('external_id,last_name\nX-1,Ţugui\n', 'windows-1250'))
    t.match(asked, { status: 200, words: /How to read staff\.csv.*Which of these looks right\?/ })
    t.match(asked.text, /name="encoding" value="[\w-]+" checked/)
    t.match(asked.words, /Ţugui Central European \(Windows-1250\)/)
    t.equal((await open(asked.path)).status, 200, 'the question stays')
    const preview = await press(`${asked.path}/read`, { encoding: 'windows-1250' })
    t.match(preview, { status: 200, words: /Line 2 \S+ \S+ Last name from .* → to Ţugui/ })
    t.equal((await open(asked.path)).status, 404, 'an answered question is gone')
    t.equal((await browse(service, `${asked.path}/read`, { cookie, form: { encoding: 'utf-8' } })).status, 404)
  },
)

await t.test('a sheet is asked if several have a table', async (t) => {
  const book = utils.book_new()
  for (const name of ['Lyon', 'Oslo'])
    utils.book_append_sheet(
      book,
      utils.aoa_to_sheet([
        ['external_id', 'location', 'email'],
        ['X-1', name],
      ]),
      name,
    )
  const asked = await send(write(book, { type: 'buffer' }) as Buffer, {}, { name: 'staff.xlsx' })
  t.match(asked.words, /Which sheet has the employees\?.*external_id · location · email/)
  const preview = await press(`${asked.path}/read`, { sheet: 'Oslo' })
  t.match(preview.words, /Line 2 \S+ \S+ Location from .* → to Oslo/)
  t.match(preview.words, /Sheet &quot;Lyon&quot; is not read/)
})

await t.test('rows that are left out are named, and another line can name the columns', async (t) => {
  const csv = 'Staff list\n\nexternal_id,location,phone\nX-1,Bern,\n,,\nTotal: 1,,\n'
  const preview = await send(csv)
  t.match(preview.words, /Line 3 names the columns/)
  t.match(
    preview.words,
    /4 rows are left out.*Line 1 Stands above the line.*Line 2 Is empty.*Line 5 Is empty.*Line 6 Is a total/,
  )
  t.match(preview.words, /Line 4 \S+ \S+ Location from .* → to Bern/)
  const again = await press(`${preview.path}/read`, { header_row: '1' })
  t.match(again.words, /Line 1 names the columns/)
  t.equal((await open(preview.path)).status, 404, 'the first reading is deleted')
  t.match(await press(`${again.path}/read`, { header_row: '2' }), {
    status: 422,
    words: /Line 2 This line cannot name/,
  })
  const right = await press(`${again.path}/read`, { header_row: '3' })
  t.match(await apply(right), { words: /All records of the file were applied/ })
  t.equal((await browse(service, `${right.path}/read`, { cookie, form: { header_row: '1' } })).status, 404)
})

await t.test('a hostile file gets an error at its line', async (t) => {
  const places: [string, string | Buffer, RegExp][] = [
    ['empty', ' \n', /Line 1 The file is empty/],
    ['NUL', 'email\na@example.com\nb\0@example.com\n', /Line 3 This line contains U\+0000/],
    [
      'mixed encodings',
      Buffer.concat([Buffer.from('email\näöüß\n'), Buffer.from('é\n', 'latin1')]),
      /Line 3 A character/,
    ],
    [
      '10,000 columns',
      Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(','),
      /Line 1 A file must have at most 512 columns/,
    ],
    ['only separators', `email\n${','.repeat(1_000_000)}`, /Line 2 The line has more than/],
    ['a long line', `email\n${'x'.repeat(2_000_000)}\n`, /Line 2 The line has more than/],
    ['an open quotation mark', 'email\n"a@example.com\n', /A cell that begins with a quotation mark/],
    ['too many rows', `email\n${'a@example.com\n'.repeat(100_001)}`, /Line 100002 A file must have at most 100 parts/],
    ['a large JSON file', `[${' '.repeat(8 * 1_048_576)}1]`, /Line 1 A JSON file must have at most/],
  ]
  for (const [name, content, error] of places) t.match(await send(content), { status: 422, words: error }, name)
  const cells: [string, string, RegExp][] = [
    [
      'a damaged number',
      'email,phone\na@example.com,4.9E+12\n',
      /Line 2, column 2 .*4\.9E\+12.* was shortened by a spreadsheet/,
    ],
    [
      '__proto__',
      'email,custom_attributes.__proto__\na@example.com,x\n',
      /Line 2 The record has a member named __proto__/,
    ],
  ]
  for (const [name, content, error] of cells) {
    const { words } = await send(content)
    t.match(words, error, name)
    t.notMatch(words, /Apply/, name)
  }
  t.match(await send(Buffer.alloc(4 * 8 * 1_048_576 + 1, 'x')), { status: 413, words: /A file must have at most/ })
  t.match(await send(null), { status: 200, words: /Choose a file first/ })
})

await t.test('only administrators upload, and get the page and the template', async (t) => {
  t.match(await send('email\n', {}, { as: null }), { status: 401 })
  for (const user of [company.auditor, company.member])
    t.match(await send('email\n', {}, { as: await cookieOf(service, user) }), { status: 403 })
  t.equal((await browse(service, PATH, { cookie })).status, 200)
  const template = await browse(service, `${PATH}/template.csv`, { cookie })
  t.match(template.text, /^first_name,last_name,email,external_id/)
})

await t.test('a form that cannot be read gets a page that says so', async (t) => {
  const post = async (type: string, body: string) => {
    const { statusCode } = await request(`${service.address}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': type, cookie, origin: service.address },
      body,
    })
    return statusCode
  }
  const type = 'multipart/form-data; boundary=b'
  t.equal(await post('multipart/form-data', 'a=b'), 400, 'no boundary')
  t.equal(await post(type, '--b\r\ncontent-disposition: form-data; name="log"\r\n\r\n'), 400, 'no end')
  const field = (at: number) => `--b\r\ncontent-disposition: form-data; name="f${at}"\r\n\r\nx\r\n`
  t.equal(await post(type, `${Array.from({ length: 100 }, (_, at) => field(at)).join('')}--b--`), 413, 'many fields')
  const proto = '--b\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\nx\r\n--b--'
  t.equal(await post(type, proto), 400, 'a name that JavaScript reserves')
})

await t.test('a failed call is sent again as what it was, and the page says what stays open', async (t) => {
  const checked = (text: string) => /value="(\w+)" checked/.exec(text)?.[1]
  const fail = async (method: 'POST' | 'PATCH' | 'PUT', body: object[]) =>
    (await service.call(method, '/v1/employees', { body })).body.log_id as string
  const calls = [
    ['PATCH', 'update_many'],
    ['PUT', 'upsert'],
    ['POST', 'create'],
  ] as const
  for (const [method, operation] of calls) {
    const form = await open(`${PATH}?log=${await fail(method, [{ email: 'mistyped@example.com', phone: '1' }])}`)
    t.equal(checked(form.text), operation)
  }
  t.equal(checked((await open(PATH)).text), 'upsert')
  t.equal((await open(`${PATH}?log=log_nobody`)).status, 404)

  const id = await fail('PATCH', [{ email: 'nobody@example.com', job_title: 'Dev' }, { email: 'a@example.com' }])
  const csv = `log_id,index,email,first_name,last_name\n${id},0,nobody@example.com,No,Body\n`
  t.match(await send(csv, { operation: 'update_many', log: id }), { words: /No such employee exists/ })
  const preview = await send(csv, { operation: 'upsert', log: id })
  t.match(preview.words, /only updated employees, but the file would create 1/)
  t.match((await apply(preview)).words, /1 of 2 records was applied; 1 is still open/)
  await service.project()
  const entry = await open(`/settings/bulk-user-logs/${id}`)
  t.match(entry.words, /Partly corrected by log_\w+ ?\. 1 of 2 records was applied; 1 is still open/)
})

await t.test('the correction of a refused part gets all of its rows', async (t) => {
  const rows = ['R-1,Ada,L,r1@example.com,', 'R-2,Ada,L,r2@example.com,1'].join('\n')
  const { status, body } = await request(`${service.address}/admin/v1/uploads?file_name=a.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${company.admin.token}`, 'content-type': 'text/csv' },
    body: `external_id,first_name,last_name,email,phone\n${rows}\n`,
  }).then(async (answer) => ({ status: answer.statusCode, body: (await answer.body.json()) as Upload }))
  t.equal(status, 201)
  await service.manage('POST', `/uploads/${body.id}/apply`)
  const form = await open(`${PATH}?log=${body.parts[0]!.log_id}`)
  t.match(form.text, `href="/admin/v1/uploads/${body.id}/not-applied.csv"`)
})

interface Upload {
  id: string
  parts: { log_id: string }[]
}
